"""Adds our own Python to a base image; projects' images are prepared on the result. The supervisor
must not depend on the Python of a dataset's image or of a project's build."""

from importlib import metadata
from pathlib import Path
from typing import Any

from evaluation.engine.records import Json
from evaluation.engine.sandbox import images, layout, texts
from evaluation.engine.sandbox.bases import Base
from evaluation.engine.sandbox.docker import engine_errors
from evaluation.engine.sandbox.image_packages import BUILD_DIRECTORY, packed
from evaluation.engine.sandbox.images import Client, Say

PROGRAM = Path(__file__).with_name("interpreter_files.py")
REPOSITORY = "assay-supervised"
SECONDS = 120
# Pure Python of ours for static analysis, next to the interpreter.
PACKAGES = ("jedi", "parso")
STUBS = ("jedi/third_party/django-stubs/", "jedi/third_party/typeshed/third_party/")


def with_supervisor(client: Client, base: Base, say: Say = lambda _: None) -> str:
    """Returns an image that is the base plus one layer with our Python 3.11, which runs on a base
    without a Python or a C library and is not in PATH. Raises SandboxError."""
    made_from = images.ensure(client, say=say)
    recipe: dict[str, Json] = {
        "base": base.digest,
        "python": made_from.reference,
        "program": PROGRAM.read_text(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
    }
    wanted = f"{REPOSITORY}:{images.content_hash(recipe)}"

    def make() -> None:
        say(f"adding Python for the supervisor to {base.image}")
        folder = layout.INTERPRETER[0].rpartition("/")[0]
        files = packed({f"packages/{path}": text for path, text in packages().items()})
        command = ["python3", "-I", "-c", PROGRAM.read_text(), folder]
        command.append(f"{BUILD_DIRECTORY}/packages")
        with images.container(client, made_from.reference, command) as filled:
            client.api.put_archive(filled, "/var", files)
            images.run(client, filled, SECONDS, texts.PYTHON_NOT_MADE)
            made = b"".join(client.api.get_archive(filled, "/opt")[0])
        settings: dict[str, Any] = client.images.get(base.digest).attrs["Config"]
        starts = settings.get("Cmd") or settings.get("Entrypoint")
        # Docker creates no container without a command, and the image keeps the given command.
        with images.container(client, base.digest, None if starts else ["/bin/sh"]) as unstarted:
            client.api.put_archive(unstarted, "/", made)
            repository, _, tag = wanted.partition(":")
            client.api.commit(unstarted, repository=repository, tag=tag)

    with engine_errors(texts.PUTTING_PYTHON(image=base.image)):
        images.made_once(client, wanted, make)
    return wanted


def packages() -> dict[str, str]:
    """This host's copy of the packages, by path, without stubs of other projects, which would hide
    the sources of a project that they describe."""
    files = {
        str(path): path.read_text()
        for name in PACKAGES
        for path in metadata.files(name) or ()
        if path.suffix in (".py", ".pyi", ".txt") and not str(path).startswith(STUBS)
    }
    # jedi lists this folder.
    return {**files, f"{STUBS[1]}empty.txt": ""}

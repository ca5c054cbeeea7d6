"""The sandbox's own images: made on this machine and named by the hash of their recipe. `python -m
evaluation.engine.sandbox.images` makes the missing ones. An image is a Debian base, Python 3.11 and
a few pinned packages or Debian's JDK, flattened into a single layer. Runs no candidate's code."""

import contextlib
import functools
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import docker
from docker.errors import DockerException, ImageNotFound, NotFound
from urllib3.exceptions import HTTPError

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Json
from evaluation.engine.sandbox import debootstrap, image_packages, texts
from evaluation.engine.sandbox.state import machine_lock
from evaluation.engine.texts import Text
from evaluation.engine.variables import Variables

DEFAULT_BASE = "debian:bookworm-slim"
_HERE = Path(__file__).parent
_SCRIPTS = {"python": _HERE / "image_build.sh"} | {
    path.name.partition("_")[0]: path for path in sorted(_HERE.glob("*_image_build.sh"))
}
NAMES = tuple(_SCRIPTS)
REGISTRY_SECONDS = 10
BUILD_SECONDS = 900

# docker-py raises its own errors, and those of lower layers if a connection breaks or stalls.
FAILURES = (DockerException, OSError, HTTPError)

Say = Callable[[str], None]
Client: TypeAlias = docker.DockerClient


class Image(NamedTuple):
    """A sandbox image that exists. `reference` names the recipe and is the same on every host;
    `digest` is Docker's id of this host's build."""

    reference: str
    digest: str


def recipe(name: str = "python") -> dict[str, Json]:
    """All inputs that decide the contents of the image `name`. The label `origin` of an image has
    the source of its base: "debootstrap" or the registry's digest."""
    if name not in NAMES:
        raise SandboxError(texts.NO_SUCH_IMAGE(name=repr(name), names=", ".join(NAMES)))
    # Without the versions of Debian's packages.
    return {
        "image": name,
        "base": base_image(),
        "debootstrap": [*debootstrap.OPTIONS, debootstrap.SUITE],
        "build": _SCRIPTS[name].read_text(),
        **(
            {"packages": image_packages.PINNED.read_text()}
            if name == "python"
            else {"sources": dict(sources(name))}
        ),
    }


def sources(name: str) -> dict[str, str]:
    """The texts of our programs in an image by path, in the folder of its name. They are compiled
    while the image is made: for Java a compiler that stays warm and the harness that starts a
    candidate's JVM, so that archives of loaded classes hold them."""
    home = _HERE / name
    paths = (path for path in home.rglob("*.*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(home).as_posix(): path.read_text() for path in sorted(paths)}


def base_image() -> str:
    return Variables().text("ASSAY_BASE_IMAGE", DEFAULT_BASE)


def reference(name: str = "python") -> str:
    return f"assay-sandbox-{name}:{content_hash(recipe(name))}"


def ensure(client: Client, name: str = "python", say: Say = lambda _: None) -> Image:
    """Makes a missing image (a minute or two); one process builds, others wait. Raises
    SandboxError, with the remedy."""
    wanted = reference(name)
    try:
        made = made_once(client, wanted, lambda: _build(client, wanted, name, say), lock="images")
    except FAILURES as error:
        raise SandboxError(texts.DOCKER_FAILED_MAKING(reason=str(error))) from error
    return Image(wanted, made)


def content_hash(value: Json) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _build(client: Client, wanted: str, name: str, say: Say) -> None:
    base, origin = _base(client, say)
    say(f"installing the image's packages into {base}")
    changes = ['CMD ["python3"]', *labels(wanted, origin)]
    network, packages = "host", None
    with tempfile.TemporaryDirectory(prefix="assay-image-") as directory:
        if name == "python":
            with container(client, base, ["true"]) as probe:
                for path in ("/usr/bin/python3", "/usr/local/bin/python3"):
                    with contextlib.suppress(NotFound):
                        client.api.get_archive(probe, path)[0].close()
                        network = "none"
            packages = Path(directory) / "packages"
            image_packages.fetch_packages(packages)
        texts_by_path = {f"{name}/{path}": text for path, text in sources(name).items()}
        script = {"build.sh": _SCRIPTS[name].read_text()}
        files = image_packages.packed(script | texts_by_path, packages)
    build(client, base, wanted, files, changes, network)


def debian(client: Client, say: Say) -> tuple[str, str]:
    with machine_lock("images"):
        return _base(client, say)


def _base(client: Client, say: Say) -> tuple[str, str]:
    """Raises SandboxError, among others if no registry has the operator's own base."""
    named = base_image()
    made = f"assay-sandbox-base:{debootstrap.SUITE}-{content_hash([*debootstrap.OPTIONS])}"
    error = None if digest(client, named) else try_pull(client, named, say)
    if error is not None and named != DEFAULT_BASE:
        raise SandboxError(texts.BASE_NOT_PULLED(image=named, reason=str(error))) from error
    if error is None:
        attributes: dict[str, Any] = client.images.get(named).attrs
        digests: list[str] = attributes["RepoDigests"] or [attributes["Id"]]
        return named, digests[0].rpartition("@")[2]
    say("no registry provides it")
    if not digest(client, made):
        theirs, ours = client.version()["Arch"], debootstrap.architecture()
        if theirs != ours:
            raise SandboxError(texts.OTHER_ARCHITECTURE(theirs=theirs, ours=ours))
        debootstrap.require()
        say("making a Debian base system with debootstrap (about a minute)")
        # Named only when complete: Docker also accepts half a tar.
        unfinished = f"{made}-unfinished"
        with debootstrap.base_system(Variables().text("ASSAY_DEBIAN_MIRROR")) as stream:
            _import(client, iter(functools.partial(stream.read, 2**20), b""), unfinished, [])
        client.images.get(unfinished).tag(*made.split(":"))
        client.images.remove(unfinished)
    return made, "debootstrap"


def digest(client: Client, named: str) -> str:
    """Docker's id of an image by its name or id; "" if there is no such image."""
    with contextlib.suppress(ImageNotFound):
        return str(client.images.get(named).id)
    return ""


def try_pull(client: Client, named: str, say: Say) -> Exception | None:
    """Pulls the image if a registry answers within REGISTRY_SECONDS; returns the error if not."""
    say(f"pulling {named}")
    usual = client.api.timeout
    try:
        # Query the registry first: a pull in docker-py has no timeout.
        client.api.timeout = REGISTRY_SECONDS
        client.images.get_registry_data(named)
        client.api.timeout = usual
        client.images.pull(named)
    except FAILURES as error:
        return error
    finally:
        client.api.timeout = usual
    return None


def made_once(client: Client, wanted: str, make: Callable[[], None], *, lock: str = "bases") -> str:
    """Makes a missing image; one process makes it, others wait. Returns Docker's id of it."""
    if here := digest(client, wanted):
        return here
    with machine_lock(lock):
        if not digest(client, wanted):
            make()
        if here := digest(client, wanted):
            return here
    raise SandboxError(texts.IMAGE_NOT_LISTED(image=wanted))


@contextlib.contextmanager
def container(
    client: Client, image: str, command: list[str] | None, network: str = "none", **options: Any
) -> Iterator[str]:
    """Creates a container and removes it afterwards."""
    host_config = client.api.create_host_config(network_mode=network)
    made: str = client.api.create_container(
        image, command, labels={"org.assay.build": "image"}, host_config=host_config, **options
    )["Id"]
    try:
        yield made
    finally:
        client.api.remove_container(made, force=True, v=True)


def run(client: Client, made: str, seconds: int, failed: Text) -> None:
    """Runs a container to its end. Raises SandboxError with its last words if it fails."""
    client.api.start(made)
    if client.api.wait(made, timeout=seconds)["StatusCode"] != 0:
        words = client.api.logs(made, tail=3).decode(errors="replace")
        raise SandboxError(failed(said=" ".join(words.split())))


def build(
    client: Client,
    base: str,
    wanted: str,
    files: bytes,
    changes: Sequence[str],
    network: str = "host",
) -> None:
    """Runs the build script of `files` in `base`, as root, and flattens the result into `wanted`,
    so that deleted files are gone. Keeps only the settings in `changes`, in Dockerfile syntax.
    Raises SandboxError with the end of the script's output."""
    mirror = Variables().text("ASSAY_DEBIAN_MIRROR")
    environment = {**debootstrap.proxies(), **({"ASSAY_DEBIAN_MIRROR": mirror} if mirror else {})}
    command = ["sh", f"{image_packages.BUILD_DIRECTORY}/build.sh"]
    options: dict[str, Any] = {"entrypoint": [], "user": "0", "environment": environment}
    with container(client, base, command, network, **options) as made:
        client.api.put_archive(made, "/var", files)
        run(client, made, BUILD_SECONDS, texts.IMAGE_NOT_BUILT)
        _import(client, client.api.export(made), wanted, changes)


def labels(wanted: str, origin: str) -> list[str]:
    values = {"recipe": wanted.partition(":")[2], "origin": origin}
    return [f"LABEL org.assay.{key}={json.dumps(value)}" for key, value in values.items()]


def _import(
    client: Client, tar: Iterator[bytes] | IO[bytes], wanted: str, changes: Sequence[str]
) -> None:
    name, _, tag = wanted.partition(":")
    said = client.api.import_image_from_data(tar, name, tag, [*changes])
    if '"error"' in str(said):
        raise SandboxError(texts.IMAGE_NOT_STORED(image=wanted, said=str(said)))


def main() -> int:
    try:
        client = docker.from_env()
        for name in NAMES:
            started = time.monotonic()
            image = ensure(client, name, lambda line: print(f"    {line}", flush=True))
            print(f"{image.reference}  {image.digest}  {time.monotonic() - started:.1f} s")
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 3
    except DockerException as error:
        print(texts.DOCKER_FAILED_MAKING(reason=str(error)), file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

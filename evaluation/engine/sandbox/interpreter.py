"""Adds our own Python to a base image; projects' images are prepared on the result. The supervisor
must not depend on the Python of a dataset's image or of a project's build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Json
from evaluation.engine.sandbox import images, layout, texts
from evaluation.engine.sandbox.bases import Base
from evaluation.engine.sandbox.docker import engine_errors
from evaluation.engine.sandbox.images import Client, Say
from evaluation.engine.sandbox.state import machine_lock

PROGRAM = Path(__file__).with_name("interpreter_files.py")
REPOSITORY = "assay-supervised"
SECONDS = 120


def with_supervisor(client: Client, base: Base, say: Say = lambda _: None) -> str:
    """Returns an image that is the base plus one layer with our Python 3.11, which runs on a base
    without a Python or a C library and is not in PATH. Raises SandboxError."""
    made_from = images.ensure(client, say=say)
    recipe: dict[str, Json] = {
        "base": base.digest,
        "python": made_from.reference,
        "program": PROGRAM.read_text(),
    }
    wanted = f"{REPOSITORY}:{images.content_hash(recipe)}"
    with engine_errors(texts.PUTTING_PYTHON(image=base.image)):
        if not images.present(client, wanted):
            with machine_lock("bases"):
                if not images.present(client, wanted):
                    say(f"adding Python for the supervisor to {base.image}")
                    _put(client, base, _interpreter(client, made_from.reference), wanted)
    return wanted


def _interpreter(client: Client, reference: str) -> bytes:
    where = layout.INTERPRETER[0].rpartition("/")[0]
    container = _create(client, reference, ["python3", "-I", "-c", PROGRAM.read_text(), where])
    try:
        client.api.start(container)
        status = client.api.wait(container, timeout=SECONDS)["StatusCode"]
        if status != 0:
            words = client.api.logs(container, tail=3).decode(errors="replace")
            raise SandboxError(texts.PYTHON_NOT_MADE(said=" ".join(words.split())))
        chunks, _ = client.api.get_archive(container, "/opt")
        return b"".join(chunks)
    finally:
        client.api.remove_container(container, force=True, v=True)


def _put(client: Client, base: Base, files: bytes, wanted: str) -> None:
    """Commits a container of the base that never runs."""
    settings: dict[str, Any] = client.images.get(base.digest).attrs["Config"]
    starts = settings.get("Cmd") or settings.get("Entrypoint")
    # Docker creates no container without a command, and the image keeps the given command.
    container = _create(client, base.digest, None if starts else ["/bin/sh"])
    try:
        client.api.put_archive(container, "/", files)
        repository, _, tag = wanted.partition(":")
        client.api.commit(container, repository=repository, tag=tag)
    finally:
        client.api.remove_container(container, force=True, v=True)


def _create(client: Client, image: str, command: list[str] | None) -> str:
    made: dict[str, str] = client.api.create_container(
        image,
        command,
        labels={"org.assay.build": "base"},
        host_config=client.api.create_host_config(network_mode="none"),
    )
    return made["Id"]

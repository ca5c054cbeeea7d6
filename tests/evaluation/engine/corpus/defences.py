"""Switches defences off, to show that what names them needs them."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from evaluation.engine.sandbox import docker, messages

# Of stand-ins: what is replaced in a module that a container receives.
DEFENCES = {"exceptions": ("loading", "MOST_BASES = 2", "MOST_BASES = 9")}


def without(defence: str) -> AbstractContextManager[None]:
    """Containers that are opened meanwhile lack the defence."""
    return replaced([DEFENCES[defence]])


@contextmanager
def replaced(pieces: Iterable[tuple[str, str, str]]) -> Iterator[None]:
    """(module, text, other text) of what containers receive meanwhile."""
    real = messages.source

    def source(name: str) -> str:
        text = real(name)
        for module, written, instead in pieces:
            if name == module:
                assert text.count(written) == 1, "the defence has another text"
                text = text.replace(written, instead)
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "source", source)
        yield


@contextmanager
def changed_image(image: str, script: str, **environment: str) -> Iterator[str]:
    """The image after a shell script that root runs in it."""
    client = docker.client()
    made = client.containers.create(
        image, ["sh", "-euc", script], user="0", network_mode="none", environment=environment
    )
    try:
        made.start()
        assert made.wait()["StatusCode"] == 0, made.logs()
        committed = made.commit("assay-test-open", made.short_id)
    finally:
        made.remove(force=True)
    try:
        yield str(committed.id)
    finally:
        client.images.remove(f"assay-test-open:{made.short_id}")


@contextmanager
def executable(*places: str) -> Iterator[None]:
    """Containers that start meanwhile may run programs and libraries in these mounts."""
    real = docker._tmpfs

    def mounts(confinement: docker.Confinement, uid: int) -> dict[str, str]:
        found = real(confinement, uid)
        return found | {place: found[place].replace("noexec", "exec") for place in places}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docker, "_tmpfs", mounts)
        yield

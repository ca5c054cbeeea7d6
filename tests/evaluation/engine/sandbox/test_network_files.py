"""Tests of the files that describe a sandbox's network, which Docker does not set up."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import docker as sandboxes

pytestmark = pytest.mark.docker
LOOK = (
    "cat /etc/hosts /etc/hostname /etc/resolv.conf; cut -d: -f1 -s /proc/net/dev; "
    "getent ahostsv4 localhost; touch /etc/hosts /etc/resolv.conf"
)


@contextmanager
def container(image: str, *command: str) -> Iterator[sandboxes.Container]:
    confinement = sandboxes.Confinement(image, sandboxes.LEAST_MEMORY, 16)
    started = sandboxes.Container(confinement, list(command), {})
    try:
        yield started
    finally:
        started.remove()


def output(image: str, program: str) -> tuple[str, str]:
    with container(image, "sh", "-c", program) as running:
        out = b""
        while not running.ended:
            out += running.receive()
        return out.decode(), running.errors.decode()


def test_a_sandbox_knows_localhost_and_has_only_a_loopback(image: str) -> None:
    out, errors = output(image, LOOK)
    *files, devices = out.splitlines()[:4]
    assert files == ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback", "sandbox"]
    assert devices.split() == ["lo"]
    assert {line.split()[0] for line in out.splitlines()[4:]} == {"127.0.0.1"}
    assert errors.count("Read-only file system") == 2


def test_a_sandbox_starts_although_others_delete_the_files(
    image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests start sandboxes at the same time.
    monkeypatch.setattr(sandboxes, "_NETWORK_VOLUME", f"assay-network-{secrets.token_hex(6)}")
    write = sandboxes._write_network_files
    deletions = 3

    def delete() -> None:
        sandboxes.client().api.remove_volume(sandboxes._NETWORK_VOLUME)

    def written_and_deleted(image: str) -> str:
        nonlocal deletions
        place = write(image)
        if deletions := max(deletions - 1, 0):
            delete()
        return place

    sandboxes._network_files.cache_clear()
    try:
        with container(image, "true"):
            pass
        delete()
        monkeypatch.setattr(sandboxes, "_write_network_files", written_and_deleted)
        assert output(image, "head -1 /etc/hosts") == ("127.0.0.1\tlocalhost\n", "")
        delete()
    finally:
        sandboxes._network_files.cache_clear()


def test_a_sandbox_that_docker_refuses_for_another_reason_says_so(
    image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And leaves the files alone: while they are replaced, no other sandbox starts."""
    monkeypatch.setattr(sandboxes, "_write_network_files", lambda image: pytest.fail(image))
    confinement = sandboxes.Confinement(image, sandboxes.LEAST_MEMORY, 16, runtime="none-such")
    with pytest.raises(SandboxError, match="none-such"):
        sandboxes.Container(confinement, ["true"], {})


def test_files_are_written_without_a_container_left_behind(
    image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests start sandboxes at the same time, which fails while their files are replaced.
    monkeypatch.setattr(sandboxes, "_NETWORK_VOLUME", f"assay-network-{secrets.token_hex(6)}")
    sandboxes._write_network_files(image)
    sandboxes.client().api.remove_volume(sandboxes._NETWORK_VOLUME)
    listed = sandboxes.client().api.containers(
        all=True, filters={"label": f"{sandboxes.OWNER}={sandboxes.owner_mark()}"}
    )
    assert listed == []

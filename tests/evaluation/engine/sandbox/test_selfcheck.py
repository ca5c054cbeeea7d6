"""Each claim about native code and about a class's permissions fails where its defence is off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluation.engine.sandbox import docker, images, seccomp, selfcheck, selfcheck_java
from evaluation.engine.sandbox.session import Session

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def java() -> str:
    return images.ensure(docker.client(), "java").reference


@pytest.fixture(scope="module")
def session(java: str) -> Iterator[Session]:
    with Session(java, selfcheck_java.LIMITS, runners=(selfcheck_java.RUNNER,)) as opened:
        yield opened


@pytest.fixture
def python() -> str:
    return images.ensure(docker.client()).reference


def holds(image: str, probe: selfcheck.Probe) -> bool:
    (check,) = selfcheck.tried(image, [probe], None)
    return check.held


@pytest.mark.parametrize("denied", selfcheck_java._DENIED, ids=lambda each: each[1])
def test_a_claim_of_the_guard_fails_where_the_permission_is_given(
    session: Session, denied: tuple[str, str, tuple[str, ...]]
) -> None:
    claim, kind, trials = denied
    probe = selfcheck_java._denied(claim, kind, *trials)
    assert probe.held is not None
    assert probe.held(session.run(selfcheck_java._execution(probe)))
    permitted = replace(probe, permitted=(kind,))
    assert not probe.held(session.run(selfcheck_java._execution(permitted)))


@pytest.mark.parametrize("place", ["/work", "/tmp", "/dev/shm", "/dev/mqueue"])
def test_native_code_runs_in_a_place_that_is_not_noexec(
    python: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    tmpfs = docker._tmpfs

    def executable(confinement: docker.Confinement, uid: int) -> dict[str, str]:
        mounts = tmpfs(confinement, uid)
        return mounts | {place: mounts[place].replace("noexec", "exec")}

    assert holds(python, selfcheck.NATIVE)
    monkeypatch.setattr(docker, "_tmpfs", executable)
    assert not holds(python, selfcheck.NATIVE)


def test_files_in_memory_can_be_made_where_the_call_is_allowed(
    python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (probe,) = [each for each in selfcheck._PROBES if each.claim == "no files in memory"]
    assert holds(python, probe)
    monkeypatch.setattr(seccomp, "_FILES", f"{seccomp._FILES} memfd_create")
    assert not holds(python, probe)


@pytest.fixture
def with_python(java: str) -> Iterator[str]:
    """The image with a Python that anyone may start."""
    client = docker.client()
    made = client.containers.create(java, ["chmod", "755", "/usr/bin/python3.11"])
    made.start()
    made.wait()
    image = made.commit("assay-test-open", "java")
    yield str(image.id)
    made.remove(force=True)
    client.images.remove("assay-test-open:java")


def test_an_image_with_another_program_is_found(java: str, with_python: str) -> None:
    *_, probe = selfcheck_java._BELOW
    assert holds(java, probe)
    assert not holds(with_python, probe)

"""Tests that each claim about native code and a class's permissions fails if its defence is off."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluation.engine.sandbox import (
    docker,
    images,
    seccomp,
    selfcheck,
    selfcheck_java,
    selfcheck_outside,
    selfcheck_projects,
)
from evaluation.engine.sandbox.session import Session
from tests.evaluation.engine.corpus.defences import changed_image, executable, replaced

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


@pytest.fixture
def both(python: str, java: str) -> dict[str, str]:
    return {"python": python, "java": java}


# The list of the Java sandbox has a copy of the claim.
@pytest.mark.parametrize(
    ("image", "place"),
    [
        *(("python", place) for place in ("/work", "/tmp", "/dev/shm", "/dev/mqueue")),
        *(("java", place) for place in ("/work", "/dev/shm")),
    ],
)
def test_native_code_runs_in_a_place_that_is_not_noexec(
    both: dict[str, str], image: str, place: str
) -> None:
    probe = selfcheck.NATIVE if image == "python" else selfcheck_java._BELOW[0]
    assert holds(both[image], probe)
    with executable(place):
        assert not holds(both[image], probe)


_MEMFD_SECRET = 447  # on x86_64


def has_secret_memory() -> bool:
    fd = ctypes.CDLL(None).syscall(_MEMFD_SECRET, 0)
    if fd >= 0:
        os.close(fd)
    return bool(fd >= 0)


@pytest.mark.parametrize(
    ("call", "claim"),
    [
        ("memfd_create", "no files in memory"),
        pytest.param(
            *("memfd_secret", "no secret memory"),
            marks=pytest.mark.skipif(not has_secret_memory(), reason="not in this kernel"),
        ),
        ("execveat", "no start of a file by its descriptor"),
    ],
)
def test_a_claim_of_a_call_fails_where_the_call_is_allowed(
    python: str, monkeypatch: pytest.MonkeyPatch, call: str, claim: str
) -> None:
    (probe,) = [each for each in selfcheck._PROBES if each.claim == claim]
    assert holds(python, probe)
    monkeypatch.setattr(seccomp, "_FILES", f"{seccomp._FILES} {call}")
    assert not holds(python, probe)


@pytest.fixture
def with_python(java: str) -> Iterator[str]:
    """The Java image with a Python that any user may start."""
    with changed_image(java, "chmod 755 /usr/bin/python3.11") as image:
        yield image


def test_an_image_with_another_program_is_found(java: str, with_python: str) -> None:
    *_, probe = selfcheck_java._BELOW
    assert holds(java, probe)
    assert not holds(with_python, probe)


BOTH = (selfcheck_java.RUNNER, selfcheck_outside.RUNNER)
IN_FILES = (
    ("outside", "self._write(OWN, made)", "self._write(OWN, made); self._write(OWN, tests)"),
    (
        "workshop",
        'self._write(f"{RUN}/own", made)',
        'self._write(f"{RUN}/own", made); self._write(f"{RUN}/own", tests)',
    ),
    ("java_candidate", "os.closerange(3, 64)", "os.set_inheritable(report_fd, True)"),
)


def failing(session: Session) -> list[str]:
    checks = selfcheck_outside.tried(session)
    return [check.claim.partition(": ")[2] for check in checks if not check.held]


def from_outside(claim: str) -> list[selfcheck_outside._Probe]:
    return [each for each in selfcheck_outside._PROBES if each.claim.endswith(claim)]


def test_claims_about_an_evaluation_fail_where_files_and_descriptors_hold_it(java: str) -> None:
    (probe,) = [each for each in selfcheck_java._PROBES if "evaluation's classes" in each.claim]
    execution = selfcheck_java._execution(probe)
    with replaced(IN_FILES), Session(java, selfcheck_java.LIMITS, runners=BOTH) as session:
        assert selfcheck_outside.counted(session.run(execution)) != [3, 3]
        assert failing(session) == [
            "the class's JVM has no class of the evaluation",
            "no file holds an expected value",
            "the class's JVM holds no descriptor except its channel, its output and its own files",
        ]


# One session per claim: a process of the class's user ends with its run, so the next run in the
# session could not find it.
@pytest.mark.parametrize(
    "claim",
    [
        "no other process belongs to the class's user",
        "no other process can be read or signalled",
    ],
)
def test_a_claim_about_the_judge_fails_where_it_has_the_classs_user(
    java: str, monkeypatch: pytest.MonkeyPatch, claim: str
) -> None:
    monkeypatch.setattr(selfcheck_outside, "_PROBES", from_outside(claim))
    own_user = replaced([("outside", "uids[1] + 8", "uids[0]")])
    with own_user, Session(java, selfcheck_java.LIMITS, runners=BOTH) as session:
        assert failing(session) == [claim]


def test_the_claim_about_an_ended_jvm_fails_where_its_end_is_a_result(
    java: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = "a program that ends its JVM scores nothing"
    monkeypatch.setattr(selfcheck_outside, "_PROBES", from_outside(claim))
    counted = 'if how == "counted" else None'
    a_result = [("java_outside", counted, f"{counted[:-4]}[3, 3]")]
    with replaced(a_result), Session(java, selfcheck_java.LIMITS, runners=BOTH) as session:
        assert failing(session) == [claim]


def test_claims_of_the_audit_fail_without_its_hook(python: str) -> None:
    checks = [*selfcheck_projects.run(python)]
    assert [check for check in checks if not check.held] == []
    with replaced([("pytest_plugin/audit", "sys.addaudithook(self._hook)\n", "pass\n")]):
        held = [check.claim for check in selfcheck_projects.run(python) if check.held]
    assert held == ["Projects: what honest programs do is no evidence"]

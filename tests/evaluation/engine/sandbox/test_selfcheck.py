"""Tests that each claim about native code and a class's permissions fails if its defence is off."""

import ctypes
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from evaluation.engine.sandbox import seccomp, selfcheck, selfcheck_java, selfcheck_projects
from tests.evaluation.engine.corpus.defences import changed_image, executable, replaced

pytestmark = pytest.mark.docker


def failing(image: str, probes: Iterable[selfcheck.Probe]) -> list[str]:
    options: dict[str, Any] = {}
    if "java" in image:
        options = {"limits": selfcheck_java.LIMITS, "runners": selfcheck_java.RUNNERS}
    checks = selfcheck.tried(image, probes, **options)
    return [check.claim for check in checks if not check.held]


def test_each_claim_of_the_guard_fails_where_the_permission_is_given(java: str) -> None:
    denied = selfcheck_java._DENIED.items()
    permitted = [selfcheck_java._denied(kind, *words, permitted=(kind,)) for kind, words in denied]
    assert failing(java, permitted) == [probe.claim for probe in permitted]


# The list of the Java sandbox has a copy of the claim.
@pytest.mark.parametrize(
    ("fixture", "place"),
    [
        *(("image", place) for place in ("/work", "/tmp", "/dev/shm", "/dev/mqueue")),
        ("java", "/work"),
    ],
)
def test_native_code_runs_in_a_place_that_is_not_noexec(
    request: pytest.FixtureRequest, fixture: str, place: str
) -> None:
    reference = request.getfixturevalue(fixture)
    probe = selfcheck.NATIVE if fixture == "image" else selfcheck_java._BELOW[0]
    with executable(place):
        assert [check.held for check in selfcheck.tried(reference, [probe])] == [False]


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
    image: str, monkeypatch: pytest.MonkeyPatch, call: str, claim: str
) -> None:
    probes = [probe for probe in selfcheck._PROBES if probe.claim == claim]
    monkeypatch.setattr(seccomp, "_FILES", f"{seccomp._FILES} {call}")
    assert failing(image, probes) == [claim]


@pytest.fixture
def with_python(java: str) -> Iterator[str]:
    """The Java image with a Python that any user may start."""
    with changed_image(java, "chmod 755 /usr/bin/python3.11") as image:
        yield image


def test_an_image_with_another_program_is_found(with_python: str) -> None:
    *_, probe = selfcheck_java._BELOW
    assert [check.held for check in selfcheck.tried(with_python, [probe])] == [False]


IN_FILES = (
    ("workshop", "self._write(OWN, made)", "self._write(OWN, made); self._write(OWN, tests)"),
    ("java_jvm", "os.closerange(3, 64)", "os.set_inheritable(report_fd, True)"),
)


def from_outside(claim: str) -> list[selfcheck.Probe]:
    return [probe for probe in selfcheck_java._OUTSIDE_PROBES if probe.claim.endswith(claim)]


def test_claims_about_an_evaluation_fail_where_files_and_descriptors_hold_it(java: str) -> None:
    inside = [probe for probe in selfcheck_java._PROBES if "evaluation's classes" in probe.claim]
    with replaced(IN_FILES):
        assert failing(java, [*inside, *selfcheck_java._OUTSIDE_PROBES]) == [
            "Java: the evaluation's classes cannot be found, read or made",
            "Java from outside: the class's JVM has no class of the evaluation",
            "Java from outside: no file holds an expected value",
            "Java from outside: the class's JVM holds no descriptor except its channel, its output "
            "and its own files",
        ]


# One session per claim: a process of the class's user ends with its run, so the next run in the
# session could not find it.
@pytest.mark.parametrize(
    "claim",
    ["no other process belongs to the class's user", "no other process can be read or signalled"],
)
def test_a_claim_about_the_judge_fails_where_it_has_the_classs_user(java: str, claim: str) -> None:
    with replaced([("workshop", "self.uids[1] + 8", "self.uids[0]")]):
        assert failing(java, from_outside(claim)) == [f"Java from outside: {claim}"]


def test_the_claim_about_an_ended_jvm_fails_where_its_end_is_a_result(java: str) -> None:
    claim = "a program that ends its JVM scores nothing"
    counted = 'if how == "counted" else None'
    with replaced([("java_outside", counted, f"{counted[:-4]}[3, 3]")]):
        assert failing(java, from_outside(claim)) == [f"Java from outside: {claim}"]


def test_claims_of_projects_fail_without_the_hook_and_with_readable_tests(image: str) -> None:
    off = [
        ("pytest_plugin/audit", "sys.addaudithook(self._hook)\n", "pass\n"),
        ("trees", "os.fchmod(fd, 0o600)", "pass"),
    ]
    with replaced(off):
        held = [check.claim for check in selfcheck_projects.run(image) if check.held]
    assert held == ["Projects: what honest programs do is no evidence"]

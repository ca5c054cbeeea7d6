"""Each claim about native code and about a class's permissions fails where its defence is off."""

from __future__ import annotations

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
from tests.evaluation.engine.corpus.defences import replaced

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


@pytest.mark.parametrize(
    ("call", "claim"),
    [
        ("memfd_create", "no files in memory"),
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


def test_claims_about_an_evaluation_fail_where_files_and_descriptors_hold_it(java: str) -> None:
    (probe,) = [each for each in selfcheck_java._PROBES if "evaluation's classes" in each.claim]
    execution = selfcheck_java._execution(probe)
    with replaced(IN_FILES), Session(java, selfcheck_java.LIMITS, runners=BOTH) as session:
        assert selfcheck_java._counted(session.run(execution)) != [3, 3]
        assert failing(session) == [
            "the class's JVM has no class of the evaluation",
            "no file holds an expected value",
            "the class's JVM holds no descriptor except its channel, its output and its own files",
        ]


@pytest.mark.slow
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
    probes = [each for each in selfcheck_outside._PROBES if each.claim.endswith(claim)]
    monkeypatch.setattr(selfcheck_outside, "_PROBES", probes)
    own_user = replaced([("outside", "uids[1] + 8", "uids[0]")])
    with own_user, Session(java, selfcheck_java.LIMITS, runners=BOTH) as session:
        assert failing(session) == [claim]


def test_claims_of_the_audit_fail_without_its_hook(python: str) -> None:
    checks = [*selfcheck_projects.run(python)]
    assert [check for check in checks if not check.held] == []
    with replaced([("pytest_plugin/audit", "        sys.addaudithook(hook)\n", "        pass\n")]):
        held = [check.claim for check in selfcheck_projects.run(python) if check.held]
    assert held == ["Projects: what honest programs do is no evidence"]

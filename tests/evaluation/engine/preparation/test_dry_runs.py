"""A project's own tests in its image, in real containers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.preparation.dry_runs import dry_run
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.withholding import Passed
from evaluation.engine.records import Prepared
from evaluation.engine.sandbox import docker
from tests.support.projects import prepared

pytestmark = pytest.mark.docker
TESTS = """
def test_right():
    assert True

def test_wrong():
    assert False
"""


@pytest.fixture(scope="module")
def project() -> Prepared:
    return prepared({"test_it.py": TESTS})


def tried(
    project: Prepared, *commands: str, stopped: Callable[[], bool] = lambda: False
) -> tuple[Passed, str]:
    named = replace(project, project=replace(project.project, test_commands=commands))
    return dry_run(named, {}, Options(), stopped)


def test_what_passes_is_told_with_the_command_that_it_passes_by(project: Prepared) -> None:
    command = "python3 -m pytest -q test_it.py"
    assert tried(project, command) == (frozenset({(command, "test_it.py::test_right")}), "")


def test_where_nothing_passes_it_is_said_why(project: Prepared) -> None:
    passed, said = tried(project, "echo no tests here")
    assert not passed
    assert "`echo no tests here` ended" in said
    assert "no tests here" in said


def test_who_is_stopped_waits_for_no_tests(project: Prepared) -> None:
    began = time.monotonic()
    with pytest.raises(SandboxError, match="Stopped"):
        tried(project, "sleep 50", stopped=lambda: time.monotonic() - began > 4)
    assert time.monotonic() - began < 20


def test_who_is_stopped_before_opens_nothing(project: Prepared) -> None:
    before = {each["Id"] for each in containers()}
    with pytest.raises(SandboxError, match="Stopped"):
        tried(project, "pytest", stopped=lambda: True)
    assert {each["Id"] for each in containers()} <= before


def containers() -> list[dict[str, str]]:
    mark = f"{docker.OWNER}={docker.owner_mark()}"
    return list(docker.client().api.containers(all=True, filters={"label": mark}))

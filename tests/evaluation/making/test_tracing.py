"""Tests of the plugin that records which functions tests enter, in a separate pytest."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evaluation.engine.records import Execution, Json, Limits, Outcome
from evaluation.making import python_bodies
from evaluation.making.build import functions
from evaluation.making.cuts import Cut
from evaluation.making.site import entered_in, watched

SOURCE = """
import functools
import threading

@functools.cache
def entered():
    return inner()

def inner():
    def nested():
        return 1
    return nested()

def never():
    return 2

class A:
    async def coroutine(self):
        yield 1

    @property
    def in_a_thread(self):
        return 3
"""
TESTS = """
import asyncio, sys, threading
import pytest
import a

def test_one():
    assert a.entered() == 1
    sys.setprofile(None)

def test_two():
    async def first():
        async for one in a.A().coroutine():
            return one
    assert asyncio.run(first()) == 1

def test_calls_cause_no_audit_events():
    events = []
    sys.addaudithook(lambda event, _arguments: events.append(event))
    for _ in range(1000):
        a.inner()
    assert len(events) < 1000

def test_three():
    thread = threading.Thread(target=lambda: a.A().in_a_thread)
    thread.start()
    thread.join()

def test_four():
    assert False
"""
COMMAND = f"{sys.executable} -m pytest -p no:cacheprovider --junitxml=report.xml -q"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "test_a.py").write_text(TESTS)
    return tmp_path


def candidates() -> list[Cut]:
    return functions({"a.py": SOURCE}, ".py", python_bodies.cut)[0]


def execution(command: str) -> Execution:
    payload: dict[str, Json] = {"files": {"a.py": SOURCE}, "command": command, "report": "pytest"}
    return Execution("repository", payload, Limits(60.0))


def run(folder: Path, command: str) -> Outcome:
    """Runs the watched execution on this machine; the report is made from JUnit's XML."""
    planned = watched(execution(command), candidates())
    files = planned.payload["files"]
    for name, text in files.items():
        (folder / name).write_text(str(text))
    clean = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    subprocess.run(["/bin/sh", "-c", str(planned.payload["command"])], cwd=folder, env=clean)
    tests: dict[str, Json] = {}
    for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if "failure" in kinds else "skipped" if "skipped" in kinds else "passed"
        tests[f"{case.get('classname')}::{case.get('name')}"] = [outcome, ""]
    # The plugin's tests have other names in the XML; restore the ids that pytest gave them.
    told = {id.replace("assay_reached::", "assay_reached.py::"): x for id, x in tests.items()}
    return Outcome(exit_code=0, report={"exit": 0, "complete": True, "tests": told})


def names(outcome: Outcome) -> list[str]:
    found = entered_in(outcome, candidates())
    assert found is not None
    return [each.name for each in found]


REACHED = ["entered", "inner", "nested", "coroutine", "in_a_thread"]


@pytest.mark.parametrize("options", [" -p xdist.plugin -n 2", " -k 'not four'"])
def test_what_the_tests_enter_is_told(project: Path, options: str) -> None:
    assert names(run(project, COMMAND + options)) == REACHED


def test_a_project_called_by_another_path_is_the_same_and_its_tests_end_as_ever(
    project: Path,
) -> None:
    link = project.with_name("link")
    link.symlink_to(project)
    outcome = run(link, f"cd . && {COMMAND}")
    assert names(outcome) == REACHED
    assert outcome.report is not None and isinstance(outcome.report["tests"], dict)
    ends = [end for id, end in outcome.report["tests"].items() if id.startswith("test_a")]
    assert [end == ["passed", ""] for end in ends] == [True, True, True, True, False]


def test_a_run_that_did_not_say_everything_says_nothing(project: Path) -> None:
    good = run(project, COMMAND)
    tests = good.report["tests"]
    fewer = {id: told for id, told in tests.items() if not id.endswith("py::0")}
    for report in ({**good.report, "complete": False}, {**good.report, "tests": fewer}, None):
        assert entered_in(replace(good, report=report), candidates()) is None

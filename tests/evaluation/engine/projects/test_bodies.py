"""Bodies judged in the file that they were cut out of, tried on RealCode's tasks."""

from pathlib import Path

import pytest

from evaluation.engine.families.realcode import FAMILY, REINDENTED
from evaluation.engine.family import ByExecution, InProjects
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Limits,
    Outcome,
    Prepared,
    Reference,
    Status,
    Step,
    Task,
)
from tests.evaluation.engine.families.realcode import cases
from tests.evaluation.engine.projects.made import said

assert isinstance(FAMILY.judged, ByExecution) and FAMILY.judged.projects is not None
JUDGED: ByExecution = FAMILY.judged
PROJECTS: InProjects = FAMILY.judged.projects
TEST, OTHER = "tests/test_scale.py::test_weigh", "tests/test_scale.py::test_reset"
DRY_RUN = {"dry_run": Reference("dry_run", Status.PASSED, passed=(OTHER, TEST))}
LIMITS = Limits(cpu_seconds=300.0)


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return cases.task(tmp_path)


def prepared(task: Task, **texts: str) -> Prepared:
    return cases.prepared(PROJECTS.project(task), **texts)


def case(task: Task, text: str) -> Case:
    return Case(
        task, Generation(Key(1, 0), text), "base", prepared=prepared(task), references=DRY_RUN
    )


def outcome(**tests: str) -> Outcome:
    return said({f"tests/test_scale.py::{name}": how for name, how in tests.items()})


def planned(task: Task, text: str) -> Execution:
    execution = JUDGED.plan(case(task, text), LIMITS)
    assert isinstance(execution, Execution)
    return execution


# The body ends in two blank lines, the first of which belongs to it.
PLACE = {
    "path": cases.FILE,
    "lines": [11, 13],
    "skeleton": f"{cases.LEFT}\n        pass\n{cases.RIGHT.rstrip()}",
    "placeholder": [11, 11],
    "name": "weigh",
}


def test_a_generation_is_run_in_the_project_s_file(task: Task) -> None:
    execution = planned(task, "```python\npass\n```")
    assert execution.runner in JUDGED.runners and execution.limits == LIMITS
    assert execution.payload == {
        "files": {cases.FILE: f"{cases.LEFT}\n\n        pass\n\n\n{cases.RIGHT.rstrip()}"},
        "command": "pytest tests",
        "report": "pytest",
        "watch": {
            "control": False,
            "except": [],
            "written": [cases.FILE],
            "forks": False,
            "pools": False,
            "place": PLACE,
        },
        "hidden": [],
    }


@pytest.mark.parametrize(
    ("name", "body"),
    [("oracle", cases.GT), ("stub_pass", "        pass"), ("stub_empty_str", '        return ""')],
)
def test_references_stand_where_the_body_stood(task: Task, name: str, body: str) -> None:
    assert name in PROJECTS.references.names
    execution = PROJECTS.references.plan(task, prepared(task), DRY_RUN, name)
    assert execution is not None
    whole = f"{cases.LEFT}\n{body}\n{cases.RIGHT.rstrip()}"
    assert execution.payload["files"] == {cases.FILE: whole}
    assert (whole == cases.ORIGINAL.rstrip("\n")) is (name == "oracle")


def test_what_was_repaired_is_told_first(task: Task) -> None:
    run = Step(planned(task, "pass"), outcome(test_weigh="failed"))
    assert JUDGED.judge(case(task, "pass"), [run]).flags[:1] == (REINDENTED,)


def test_the_dry_run_tells_where_the_authors_record_differs(task: Task) -> None:
    there, here = prepared(task), outcome(test_reset="passed", test_weigh="failed")
    found = PROJECTS.references.judge(task, there, {}, "dry_run", here)
    assert found.status is Status.PASSED
    assert found.facts["passed_only_in_the_record"] == [TEST]
    assert found.facts["passed_only_here"] == [OTHER]
    stub = PROJECTS.references.judge(task, there, DRY_RUN, "stub_pass", here)
    assert "passed_only_here" not in stub.facts


def test_a_task_that_was_cut_out_of_another_file_is_unfit(task: Task) -> None:
    assert PROJECTS.unfit(task, prepared(task)) == ""
    other = prepared(task, **{cases.FILE: cases.ORIGINAL.replace("None", "0")})
    assert "differ from" in PROJECTS.unfit(task, other)


STUBS = {name: Reference(name, Status.FAILED) for name in ("stub_pass", "stub_empty_str")}


def canaries(task: Task) -> list[tuple[str, bool]]:
    found = PROJECTS.canaries(task, prepared(task), {**DRY_RUN, **STUBS})
    return [(canary.case.generation.text, canary.passes) for canary in found]


def test_the_reference_body_and_a_stub_are_canaries(task: Task) -> None:
    assert canaries(task) == [(cases.GT, True), ("        pass", False)]


def test_a_body_that_post_processing_changes_is_no_canary(tmp_path: Path) -> None:
    body = "        self.load = 1\n        def weigh():\n            return 0"
    assert canaries(cases.task(tmp_path, gt=body)) == []

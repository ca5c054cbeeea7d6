"""Tests of a Java task's file under test and its references; test_bodies.py tests the rest."""

from pathlib import Path

import pytest

from evaluation.engine.families.realcode_java import FAMILY
from evaluation.engine.family import ByExecution, InProjects
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Limits,
    Outcome,
    Reference,
    Status,
    Step,
    Task,
)
from tests.evaluation.engine.families.realcode_java import cases

assert isinstance(FAMILY.judged, ByExecution) and FAMILY.judged.projects is not None
JUDGED: ByExecution = FAMILY.judged
PROJECTS: InProjects = FAMILY.judged.projects
DRY_RUN = {"dry_run": Reference("dry_run", Status.PASSED, passed=("org.kitchen.ShelfTest::puts",))}
OPEN_BODY = cases.GT.removesuffix("\n    }")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return cases.load(tmp_path)


def case(task: Task, text: str) -> Case:
    there = cases.prepared(PROJECTS.project(task))
    return Case(task, Generation(Key(1, 0), text), "base", prepared=there, references=DRY_RUN)


def planned(task: Task, text: str) -> Execution:
    execution = JUDGED.plan(case(task, text), Limits(cpu_seconds=1200.0))
    assert isinstance(execution, Execution)
    return execution


@pytest.mark.parametrize("generation", [cases.GT, OPEN_BODY, f"{cases.GT}\n\n}}\n"])
def test_a_repaired_body_makes_the_project_s_own_file(task: Task, generation: str) -> None:
    assert planned(task, generation).payload == {
        "files": {cases.FILE: cases.ORIGINAL.rstrip("\n")},
        "command": "mvn test",
        "report": "surefire",
    }


def test_the_stub_is_the_task_s_own(task: Task) -> None:
    there = cases.prepared(PROJECTS.project(task))
    execution = PROJECTS.references.plan(task, there, DRY_RUN, "stub_pass")
    assert execution is not None
    whole = f"{cases.LEFT}{cases.STUB}{cases.RIGHT}".rstrip("\n")
    assert execution.payload["files"] == {cases.FILE: whole}
    assert PROJECTS.references.names == ("dry_run", "oracle", "control", "stub_pass")


def test_a_compile_error_is_told_where_the_uploaded_text_has_it(task: Task) -> None:
    """The words after the place could be the program's own, and other lines are hidden."""
    text = f"Вот:\n```java\n{cases.GT.replace('i++', 'i+ +;')}\n```"
    # The code begins with the rest of the line of its fence.
    line, other = cases.LEFT.count("\n") + 2, "src/test/java/org/kitchen/ShelfTest.java"
    error = f"12:30 [\x1b[1;31mERROR\x1b[m] /workspace/shelf/{cases.FILE}:[{line},40] secret"
    output = "\n".join(
        ["[ERROR] COMPILATION ERROR :", error, error.replace(f"[{line},", "[3,"), error]
        + [f"[ERROR] /workspace/shelf/{other}:[{line},1] secret"]
    )
    step = Step(planned(task, text), Outcome(exit_code=1, output=output))
    verdict = JUDGED.judge(case(task, text), [step])
    assert verdict.status is Status.COMPILE_ERROR
    assert verdict.evidence == "line 3, column 40: javac reports an error here."

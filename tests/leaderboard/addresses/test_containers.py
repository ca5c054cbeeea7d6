"""Tests that only the hidden data that judging needs enters containers."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evaluation.engine.family import ByExecution, Family
from evaluation.engine.records import Case, Execution, Generation, Key, Outcome, Step, Task
from evaluation.engine.registry import family
from tests.support.cast import FAMILIES

CANONICAL = "veiled-canonical"
PROGRAM = "def anything():\n    return None\n"
FALLS_BACK = Outcome(exit_code=0, report={"fallback": "an object of the candidate's class"})
PASSES = Outcome(exit_code=0, report={"ended": True, "flags": []})


def loaded(slug: str) -> tuple[Family, tuple[Task, ...]]:
    """A family with its sample tasks."""
    sample = FAMILIES / slug / "sample"
    answers = sample / "answers.jsonl"
    one = family(slug)
    return one, one.load_tasks(sample / "tasks.jsonl", answers if answers.exists() else None)


def cases(one: Family, task: Task) -> Iterator[Case]:
    for setting in one.settings:
        for slot in one.slots(task, setting):
            key = Key(task.id, 0, slot.requirement, slot.turn)
            yield Case(task, Generation(key, PROGRAM), setting)


def executions(judged: ByExecution, case: Case, *outcomes: Outcome) -> list[Execution]:
    """The executions of a case whose runs have these outcomes, and the next one."""
    first = judged.plan(case, judged.limits)
    assert isinstance(first, Execution)
    planned, steps = [first], []
    for outcome in outcomes:
        steps.append(Step(planned[-1], outcome))
        following = judged.proceed(case, steps) if judged.proceed else None
        if following is None:
            break
        planned.append(following)
    return planned


def crossing(execution: Execution) -> str:
    return json.dumps(execution.payload, ensure_ascii=False)


def by_execution(one: Family) -> ByExecution:
    assert isinstance(one.judged, ByExecution)
    return one.judged


@pytest.mark.parametrize("slug", ["rucodeeval", "codeif_function"])
def test_what_crosses_is_the_cases_own_task_alone(slug: str) -> None:
    one, tasks = loaded(slug)
    for task, other in zip(tasks, tasks[1:], strict=False):
        case = next(cases(one, task))
        foreign = list(texts(other.hidden))
        for execution in executions(by_execution(one), case, FALLS_BACK, PASSES, PASSES):
            said = crossing(execution)
            assert [text for text in foreign if len(text) > 40 and text in said] == []


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def test_the_candidates_process_of_codeif_is_sent_no_test_and_no_reference() -> None:
    one, tasks = loaded("codeif_function")
    for task in tasks:
        for case in cases(one, task):
            (first, *_) = executions(by_execution(one), case)
            assert first.runner == "standins"
            assert first.payload["candidate"] == {"program": PROGRAM.rstrip("\n")} or (
                first.payload["candidate"] == {"program": PROGRAM}
            )


def test_the_reference_of_codeif_runs_without_the_candidate() -> None:
    """Even if the judging falls back on the reference's values, no run in a container has both the
    reference and the candidate."""
    one, tasks = loaded("codeif_function")
    for task in tasks:
        code = f"{task.hidden['code']}\n# {CANONICAL}\n"
        marked = replace(task, hidden={**task.hidden, "code": code})
        for case in cases(one, marked):
            for execution in executions(by_execution(one), case, FALLS_BACK, FALLS_BACK):
                said = crossing(execution)
                assert not (CANONICAL in said and "anything" in said)


def test_slots_need_nothing_hidden() -> None:
    """Intake decides which generations it accepts from a task's public part alone."""
    for slug in ("rucodeeval", "codeif_function"):
        one, tasks = loaded(slug)
        for task in tasks:
            for setting in one.settings:
                bare = replace(task, hidden={})
                assert one.slots(bare, setting) == one.slots(task, setting)

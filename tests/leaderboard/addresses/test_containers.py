"""Test that no container has both a reference solution and a candidate."""

import json
from dataclasses import replace

from evaluation.engine.family import ByExecution
from evaluation.engine.records import Case, Execution, Generation, Key, Outcome, Step
from evaluation.engine.registry import family
from tests.support.cast import FAMILIES

CANONICAL = "veiled-canonical"
PROGRAM = "def anything():\n    return None\n"
FALLS_BACK = Outcome(exit_code=0, report={"fallback": "an object of the candidate's class"})


def test_the_reference_of_codeif_runs_without_the_candidate() -> None:
    """Also if the judging falls back on the reference's values."""
    one = family("codeif_function")
    assert isinstance(one.judged, ByExecution) and one.judged.proceed is not None
    with_reference = 0
    for task in one.load_tasks(FAMILIES / "codeif_function/sample/tasks.jsonl", None):
        code = f"{task.hidden['code']}\n# {CANONICAL}\n"
        marked = replace(task, hidden={**task.hidden, "code": code})
        for setting in one.settings:
            for slot in one.slots(marked, setting):
                key = Key(task.id, 0, slot.requirement, slot.turn)
                case = Case(marked, Generation(key, PROGRAM), setting)
                steps: list[Step] = []
                planned = one.judged.plan(case, one.judged.limits)
                while planned is not None and len(steps) < 3:
                    assert isinstance(planned, Execution)
                    crossing = json.dumps(planned.payload)
                    assert not (CANONICAL in crossing and "anything" in crossing)
                    with_reference += CANONICAL in crossing
                    steps.append(Step(planned, FALLS_BACK))
                    planned = one.judged.proceed(case, steps)
    assert with_reference > 0

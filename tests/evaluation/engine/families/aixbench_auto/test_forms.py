"""Tests in real containers: no form of a right answer is a compile error or wrong."""

from pathlib import Path

import pytest

from evaluation.engine.families.aixbench_auto import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Generation, Key, Status, Task, Verdict
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.families.aixbench_auto.forms import FORMS, TASKS, from_outside

pytestmark = pytest.mark.docker
# One for each part of the assembling: bare and in classes, static and of an object, each kind of
# type, wider types, imports. The whole list is slow.
FEW = [
    *("bare static", "bare of an object", "bare with overloads", "utility class"),
    *("class with a private constructor", "class in an object", "interface with a default method"),
    *("enumeration with bodies", "record with a static method", "with a receiver"),
    *("days with imports that clash with the signature's", "days of wider types", "top generic"),
    *("top of its class's type", "scale of its class's type"),
    *("swap with a result", "class by its package's name", "class with private overloads of types"),
    *("class with a private method of its type", "private abstract class"),
]


def judged(folder: Path, answers: dict[str, tuple[Task, str]]) -> dict[str, Verdict]:
    assert isinstance(FAMILY.judged, ByExecution)
    image = images.ensure(docker.client(), "java").reference
    limits = FAMILY.judged.limits
    judge = Judge(FAMILY.judged, opener(FAMILY.judged, image, limits), Slots(folder), limits=limits)
    cases = [
        Case(task, Generation(Key(task.id, sample), text), "base")
        for sample, (task, text) in enumerate(answers.values())
    ]
    found: list[Verdict] = []
    try:
        while len(found) < len(cases):
            found += judge.batch(cases[len(found) :])
    finally:
        judge.close()
    return dict(zip(answers, found, strict=True))


def faults(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {
        name: f"{verdict.status} {verdict.tests_passed} {verdict.evidence}"
        for name, verdict in verdicts.items()
        if not verdict.passed
    }


# Each javac accepts, but none has one method to call.
UNFIT = {
    "missing": "static int zeros(String bits) { return 0; }",
    "another number of parameters": "static int ones(String bits, int from) { return 0; }",
    "of other types": "static long ones(String bits) { return 0; }",
    "of a narrower parameter": "static int ones(Integer bits) { return 0; }",
    "ambiguous": """static int ones(java.io.Serializable bits) { return 0; }
static int ones(CharSequence bits) { return 0; }""",
    "without an object": "class Bits { Bits(int a) {} int ones(String bits) { return 0; } }",
    "abstract": "interface Bits { int ones(String bits); }",
}


@pytest.mark.parametrize("names", [FEW, pytest.param([*FORMS], marks=pytest.mark.slow)])
def test_right_answers_of_every_form_pass_and_what_cannot_be_called_says_so(
    tmp_path: Path, names: list[str]
) -> None:
    assert len(FORMS) >= 60
    answers = {name: FORMS[name] for name in names}
    answers |= {
        f"{name}, from outside": (from_outside(task), text)
        for name, (task, text) in answers.items()
    }
    answers |= {name: (from_outside(TASKS["ones"]), text) for name, text in UNFIT.items()}
    verdicts = judged(tmp_path, answers)
    unfit = {name: verdicts.pop(name) for name in UNFIT}
    assert faults(verdicts) == {}
    for name, verdict in unfit.items():
        assert verdict.status is Status.COMPILE_ERROR, name
        assert "the task's method is missing, ambiguous or" in verdict.evidence, name

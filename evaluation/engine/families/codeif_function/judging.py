"""How a generation of CodeIF-Bench L-1 part 1 is judged.

The tests run in one process and the candidate in another (runner `standins`). They share a process
(`script`) only if values that are not plain data have to cross. A candidate can force that by
returning an odd value, so such a pass is followed by controls, and is suspect if the task's own
reference does not need it. The steps: the candidate with stand-ins; then the reference with
stand-ins, the candidate in one process, and each control with the reference and with the candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.engine.families.codeif_function import controls, dataset, extraction
from evaluation.engine.family import Canary
from evaluation.engine.instructions import BASE, DYNAMIC, code_in_dialogue, name_of
from evaluation.engine.records import (
    Case,
    Evidence,
    Execution,
    Generation,
    Integrity,
    Json,
    Key,
    Limits,
    Outcome,
    Status,
    Step,
    Task,
    Tier,
    Verdict,
    evidence_text,
)
from evaluation.engine.sandbox import attribution

LIMITS = Limits(cpu_seconds=3.0)
DYNAMIC_LIMITS = Limits(cpu_seconds=10.0)
ONE_PROCESS = "one_process"
# Maximum characters of a traceback: a candidate may report one of any size.
_TRACED = 4000


def _parts(case: Case) -> tuple[str, str]:
    requirement = case.generation.key.requirement
    program = extracted(case.generation, case.setting)
    if case.test_set:
        return program, dataset.tests_alone(case.task, name_of(case.test_set))
    return program, dataset.tests(case.task, case.setting, requirement)


def extracted(generation: Generation, setting: str) -> str:
    if setting == DYNAMIC:
        return code_in_dialogue(generation.text)
    return extraction.code(generation.text, base=generation.key.requirement is None)


def plan(case: Case, limits: Limits) -> Execution:
    return _standins(case, *_parts(case), limits)


def _standins(case: Case, program: str, tests: str, limits: Limits) -> Execution:
    judge: dict[str, Json] = {"program": program, "tests": tests, "functions": _functions(case)}
    return Execution("standins", {"candidate": {"program": program}, "judge": judge}, limits)


def _functions(case: Case) -> list[Json]:
    """The reference's functions, which a task may call although they shadow a builtin."""
    code = case.task.hidden["code"].splitlines()
    heads = (line.split("(")[0] for line in code if line.startswith("def "))
    return [head.removeprefix("def ").strip() for head in heads]


def proceed(case: Case, steps: Sequence[Step]) -> Execution | None:
    """If the stand-ins do not suffice: the reference's run, then the run in one process, then its
    controls."""
    if not _needs_one_process(steps[0]):
        return None
    program, tests = _parts(case)
    limits = steps[0].execution.limits
    if len(steps) == 1:
        return _standins(case, case.task.hidden["code"], tests, limits)
    if len(steps) == 2:
        return _script(case, program, tests, limits)
    if not _ended(steps[2].outcome) or _deceived(steps):
        return None
    wrong = controls.altered_tests(tests)
    number, of_candidate = divmod(len(steps) - 3, 2)
    if number == len(wrong):
        return None
    tested = program if of_candidate else case.task.hidden["code"]
    return _script(case, tested, wrong[number], limits)


def _needs_one_process(step: Step) -> bool:
    return "fallback" in _report(step.outcome)


def _script(case: Case, program: str, tests: str, limits: Limits) -> Execution:
    payload: dict[str, Json] = {"program": program, "tests": tests, "functions": _functions(case)}
    return Execution("script", payload, limits)


def _deceived(steps: Sequence[Step]) -> bool:
    """Whether the candidate passed a control that the reference fails."""
    controls_of = zip(steps[3::2], steps[4::2], strict=False)
    return any(not _ended(ref.outcome) and _ended(own.outcome) for ref, own in controls_of)


def _report(outcome: Outcome) -> dict[str, Any]:
    return dict(outcome.report or {})


def _ended(outcome: Outcome) -> bool:
    by_itself = outcome.exit_code == 0 and outcome.stop is None and outcome.died is None
    return by_itself and _report(outcome).get("ended") is True


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    shared = len(steps) > 1
    outcome = steps[2].outcome if shared else steps[0].outcome
    doubts = _doubts(steps)
    passed = _ended(outcome)
    status = Status.PASSED if passed else _failure(outcome)
    flags = [ONE_PROCESS] if shared else []
    if not passed and _error(outcome).get("type") == "Gone":
        flags.append(attribution.ENDED_EARLY)
    return Verdict(
        key=case.generation.key,
        status=status,
        test_set=case.test_set,
        integrity=Integrity.SUSPECT if passed and doubts else Integrity.CLEAN,
        tier=Tier.SHARED if shared else Tier.OUTSIDE,
        duration_ms=round(outcome.wall_seconds * 1000),
        peak_memory_kib=outcome.peak_memory_kib,
        flags=tuple(flags),
        evidence=evidence_text(*doubts) if passed else "",
        output=_said(outcome) if case.setting == DYNAMIC else outcome.output,
    )


def _doubts(steps: Sequence[Step]) -> list[Evidence]:
    doubts = []
    if _deceived(steps):
        doubts.append(Evidence("control", "", "It also passed tests with wrong expectations."))
    if len(steps) > 1 and not _needs_one_process(steps[1]):
        why = _report(steps[0].outcome).get("fallback")
        sentence = (
            f"It ran in the same process as the tests ({why}), which the reference does not need."
        )
        doubts.append(Evidence("one_process", "", sentence))
    return doubts


def _error(outcome: Outcome) -> dict[str, Any]:
    error = _report(outcome).get("error")
    return error if isinstance(error, dict) else {}


def _said(outcome: Outcome) -> str:
    trace = _error(outcome).get("trace")
    return outcome.errors + (trace if isinstance(trace, str) else "")[-_TRACED:]


def _failure(outcome: Outcome) -> Status:
    by_end = attribution.status_of_end(outcome)
    if by_end is not None:
        return by_end
    kind = _error(outcome).get("type")
    if attribution.out_of_memory(outcome) or kind == "MemoryError":
        return Status.MEMORY_EXCEEDED
    if kind == "AssertionError":
        return Status.FAILED
    if kind == "SyntaxError" and _report(outcome).get("loaded") is not True:
        return Status.COMPILE_ERROR
    return Status.RUNTIME_ERROR


def _canary_task() -> Task:
    return Task(
        id="canary",
        public={"prompt": "", "requirements": {}, "turns": ()},
        hidden={
            "test": "assert doubled([1, 2]) == [2, 4]\nassert doubled([]) == []",
            "unit_tests": {},
            "code": "def doubled(values):\n    return [2 * value for value in values]\n",
        },
    )


def _canary(text: str, passes: bool) -> Canary:
    generation = Generation(Key("canary", 0, None, 0), text)
    return Canary(Case(_canary_task(), generation, BASE), passes)


CANARIES = (
    _canary("def doubled(values):\n    return [2 * value for value in values]\n", passes=True),
    _canary("def doubled(values):\n    return list(values)\n", passes=False),
)

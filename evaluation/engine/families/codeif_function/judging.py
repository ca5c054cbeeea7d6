"""How a generation of CodeIF-Bench L-1 part 1 is judged.

The tests run in one process and the candidate in another (runner `standins`). They share a process
(`script`) only if the tests need more of a value than crosses, or if they fail with the reference
too, as when they capture what it prints. A candidate can force the first by returning an odd value,
so such a pass is followed by controls; if the task's own reference does not need it, the pass is
suspect, unless plain data in place of the candidate's objects pass with stand-ins. The steps: the
candidate with stand-ins; then the reference with stand-ins, the candidate in one process, the
reference with stand-ins and the task's own tests, the reference in one process, and for each
control the reference, and if it fails the candidate twice: with the control and with the tests, in
a random order, which it cannot tell from counters, clocks or what it left behind.
"""

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.engine import instructions
from evaluation.engine.compiler_messages import Program, Refusal
from evaluation.engine.families.codeif_function import controls
from evaluation.engine.family import Canary
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
# Controls that the reference fails are repeated up to this number: to guess the order in all of
# them succeeds once in 256 times.
_LEAST_CONTROLS = 8
_FENCED = re.compile(r"```python\r?\n(.*?)```", re.DOTALL)
_DOCSTRING = re.compile(r'    """\r?\n(.*?)"""', re.DOTALL)


def code_in(text: str, *, base: bool) -> str:
    """The code of an answer as the published labels require (README.md, "Judging"): the first
    fenced block, else the text. Drops docstrings and blank lines, except for Base."""
    block = _FENCED.search(text)
    extracted = block.group(1) if block else text
    return extracted if base else instructions.without_blank_lines(_DOCSTRING.sub("", extracted))


def extracted(generation: Generation, setting: str) -> str:
    if setting == instructions.DYNAMIC:
        return instructions.code_in_dialogue(generation.text)
    return code_in(generation.text, base=generation.key.requirement is None)


def _tests(case: Case) -> str:
    """The joined tests that a generation has to pass (README.md, "Settings"): those of
    instructions, and the prompt's for None."""
    names: Sequence[str | None] = [instructions.name_of(case.test_set)]
    if not case.test_set:
        names = instructions.counted(case.task, case.setting, case.generation.key.requirement)
    base, unit_tests = case.task.hidden["test"], case.task.hidden["unit_tests"]
    return "\n".join(base if name is None else unit_tests[name] for name in names)


def plan(case: Case, limits: Limits) -> Execution:
    return _standins(case, extracted(case.generation, case.setting), _tests(case), limits)


def program(case: Case, steps: Sequence[Step]) -> Program:
    code = extracted(case.generation, case.setting)
    return Program(code, 1, code, Refusal.read(_error(_deciding(steps)).get("place")))


def _standins(
    case: Case, program: str, tests: str, limits: Limits, *, reduced: bool = False
) -> Execution:
    payload: dict[str, Json] = {
        "candidate": {"program": program, **({"reduced": True} if reduced else {})},
        "judge": {"program": program, "tests": tests, "functions": _functions(case)},
    }
    return Execution("standins", payload, limits)


def _functions(case: Case) -> list[Json]:
    """The reference's functions, which a task may call although they shadow a builtin."""
    code = case.task.hidden["code"].splitlines()
    heads = (line.split("(")[0] for line in code if line.startswith("def "))
    return [head.removeprefix("def ").strip() for head in heads]


def proceed(case: Case, steps: Sequence[Step]) -> Execution | None:
    """If the stand-ins do not suffice: the reference's run, then the run in one process, then its
    controls."""
    if _suffices(steps):
        return None
    reference, tests, limits = case.task.hidden["code"], _tests(case), steps[0].execution.limits
    base = case.task.hidden["test"]
    code = extracted(case.generation, case.setting)
    if len(steps) > 2 and not _ended(steps[2].outcome):
        return None
    if _needs_none(steps):
        ends = any(map(_is_reduced, steps))
        return None if ends else _standins(case, code, tests, limits, reduced=True)
    if len(steps) > 2 and _deceived(steps):
        return None
    if len(steps) in (1, 3):
        return _standins(case, reference, tests if len(steps) == 1 else base, limits)
    program = reference if len(steps) == 4 else code
    if len(steps) > 4:
        wrong = controls.altered_tests(tests)
        if not _ended(steps[4].outcome):
            # The reference fails all of these, so only those count that no right program passes.
            added = tests.removeprefix(base)
            start = tests.removesuffix(added)
            altered = controls.altered_tests(added, inputs=False)
            wrong = [*controls.altered_tests(start), *(start + control for control in altered)]
        done = [*_controlled(steps)]
        if done and not _ended(done[-1][0].outcome) and len(done[-1][1]) < 2:
            order = [done[-1][0].execution.payload["tests"], tests]
            for step in done[-1][1]:
                order.remove(step.execution.payload["tests"])
            tests = str(secrets.choice(order))
        else:
            if len(done) >= len(wrong):
                first = zip(wrong, done, strict=False)
                failed = [control for control, (by, _) in first if not _ended(by.outcome)]
                repeated = len(done) - len(wrong)
                if not failed or len(failed) + repeated >= _LEAST_CONTROLS:
                    return None
                wrong = failed
            program, tests = reference, wrong[len(done) % len(wrong)]
    payload: dict[str, Json] = {"program": program, "tests": tests, "functions": _functions(case)}
    return Execution("script", payload, limits)


def _controlled(steps: Sequence[Step]) -> Iterator[tuple[Step, Sequence[Step]]]:
    """Each control's run of the reference, and those of the candidate if the reference fails."""
    at = 5
    while at < len(steps):
        candidate_steps = () if _ended(steps[at].outcome) else steps[at + 1 : at + 3]
        yield steps[at], candidate_steps
        at += 1 + len(candidate_steps)


def _deceived(steps: Sequence[Step]) -> bool:
    """Whether the candidate passed a control, or failed the tests that it had passed."""
    return any(
        _ended(step.outcome)
        is (step.execution.payload["tests"] != steps[2].execution.payload["tests"])
        for _, candidate_steps in _controlled(steps)
        for step in candidate_steps
    )


def _report(outcome: Outcome) -> dict[str, Any]:
    return dict(outcome.report or {})


def _suffices(steps: Sequence[Step]) -> bool:
    """Whether the run with stand-ins decides. A failure of tests that may look at the program's
    process does if the reference passes so."""
    report = _report(steps[0].outcome)
    if "fallback" in report:
        return False
    return not report.get("looks_further") or any(_ended(step.outcome) for step in steps[1:2])


def _needs_none(steps: Sequence[Step]) -> bool:
    """Whether the reference's runs show that it needs no process with its tests. One that lacks
    what an instruction adds shows by the task's own tests what it needs."""
    passes = len(steps) > 2 and _ended(steps[1].outcome)
    return passes or (len(steps) > 4 and not any(_needs_one(step, steps) for step in steps[1:4:2]))


def _needs_one(step: Step, steps: Sequence[Step]) -> bool:
    """Whether a run of the reference with stand-ins shows that it needs one process. One that fails
    shows it only if it passes there."""
    report = _report(step.outcome)
    falls = "fallback" in report and "error" not in report
    return falls or ("error" in report and _ended(steps[4].outcome))


def _is_reduced(step: Step) -> bool:
    candidate = step.execution.payload.get("candidate")
    return isinstance(candidate, dict) and candidate.get("reduced") is True


def _deciding(steps: Sequence[Step]) -> Outcome:
    """The outcome in one process; that with stand-ins if it suffices, if both are failures, or if
    plain data in place of the program's objects pass, too."""
    for step in steps[3:]:
        if _is_reduced(step) and _ended(step.outcome):
            return step.outcome
    falls = "fallback" in _report(steps[0].outcome)
    return next((s.outcome for s in steps[2:3] if falls or _ended(s.outcome)), steps[0].outcome)


def _error(outcome: Outcome) -> dict[str, Any]:
    error = _report(outcome).get("error")
    return error if isinstance(error, dict) else {}


def _ended(outcome: Outcome) -> bool:
    by_itself = outcome.exit_code == 0 and outcome.stop is None and outcome.died is None
    return by_itself and _report(outcome).get("ended") is True


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    outcome = _deciding(steps)
    shared = any(outcome is step.outcome for step in steps[2:3])
    error = _error(outcome)
    passed = _ended(outcome)
    doubts = []
    if passed and shared and _needs_none(steps):
        why = _report(steps[0].outcome).get("fallback", "the tests failed otherwise")
        sentence = (
            f"It ran in the same process as the tests ({why}), which the reference does not need."
        )
        doubts.append(Evidence("one_process", "", sentence))
    elif passed and shared and _deceived(steps):
        doubts.append(
            Evidence("control", "", "It also passed wrong tests, or failed the right ones.")
        )
    flags = [ONE_PROCESS] if shared else []
    if not passed and error.get("type") == "Gone":
        flags.append(attribution.ENDED_EARLY)
    output = outcome.output
    if case.setting == instructions.DYNAMIC:
        trace = error.get("trace")
        output = outcome.errors + (trace if isinstance(trace, str) else "")[-_TRACED:]
    return Verdict(
        key=case.generation.key,
        status=Status.PASSED if passed else _failure(outcome, error),
        test_set=case.test_set,
        integrity=Integrity.SUSPECT if doubts else Integrity.CLEAN,
        tier=Tier.SHARED if shared else Tier.OUTSIDE,
        duration_ms=outcome.wall_ms,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=tuple(flags),
        evidence=evidence_text(*doubts),
        output=output,
    )


def _failure(outcome: Outcome, error: Mapping[str, object]) -> Status:
    kind = error.get("type")
    by_end = attribution.status_of_end(outcome)
    if by_end is not None:
        return by_end
    if attribution.out_of_memory(outcome):
        return Status.MEMORY_EXCEEDED
    if "place" in error:
        return Status.COMPILE_ERROR
    if kind == "MemoryError":
        return Status.MEMORY_EXCEEDED
    if kind == "AssertionError":
        return Status.FAILED
    return Status.RUNTIME_ERROR


_DOUBLED = "def doubled(values):\n    return [2 * value for value in values]\n"
_TASK = Task(
    id="canary",
    public={"prompt": "", "requirements": {}, "turns": ()},
    hidden={
        "test": "assert doubled([1, 2]) == [2, 4]\nassert doubled([]) == []",
        "unit_tests": {},
        "code": _DOUBLED,
    },
)
CANARIES = tuple(
    Canary(Case(_TASK, Generation(Key("canary", 0, None, 0), text), instructions.BASE), passes)
    for text, passes in [
        (_DOUBLED, True),
        ("def doubled(values):\n    return list(values)\n", False),
    ]
)

"""Runs a task's evaluation on a generation's class and reads its counts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.engine.families.aixbench_auto.assembling import (
    BASE_CLASS,
    PACKAGE,
    Assembled,
    assemble,
)
from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.families.aixbench_auto.report import Report, read_report
from evaluation.engine.records import (
    Case,
    Execution,
    Integrity,
    Json,
    Limits,
    Status,
    Step,
    Task,
    Verdict,
)
from evaluation.engine.sandbox.attribution import out_of_memory, status_of_end

RUNNER, OUTSIDE = "java_class", "java_outside"
NO_CONTROL = "no_control"
ENDED_EARLY = "ended_early"
NO_EVALUATION = "evaluation_does_not_compile"

EVALUATIONS = "com.aixcode.autoTest.evaluation"
_DEFAULT = "Default"
_EVIDENCE, _OUTPUT = 2000, 4096
_MOST_SIGNS = 5


class _Opinion(NamedTuple):
    status: Status
    evidence: str = ""
    flags: tuple[str, ...] = ()


def plan(case: Case, limits: Limits) -> Execution | Verdict:
    assembled = assemble(case.task, case.generation.text)
    if assembled is None:
        empty = Verdict(case.generation.key, Status.COMPILE_ERROR)
        return replace(empty, evidence="there is no code in it")
    if case.task.hidden.get("fields") is not None:
        return Execution(OUTSIDE, _apart(case.task, assembled), limits)
    return Execution(RUNNER, _payload(case.task, assembled, assembled.prefix), limits)


def proceed(case: Case, steps: Sequence[Step]) -> Execution | None:
    """After a full pass its control; if the control passes any test, also the default class."""
    execution, found = steps[0].execution, read_report(steps[0].outcome.report)
    if not _is_pass(steps[0], found) or found is None or not found.control:
        return None
    if len(steps) == 1:
        assembled = assemble(case.task, case.generation.text)
        assert assembled is not None, "a generation without code is never run"
        payload = _payload(case.task, assembled, _control_prefix(assembled))
        return Execution(RUNNER, payload, execution.limits)
    if len(steps) == 2 and _passed(steps[1]) > 0:
        return Execution(RUNNER, _default(case.task), execution.limits)
    return None


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    """A pass is suspect if the control passes more tests than a method that only throws, or if the
    class is able to forge a pass."""
    outcome, found = steps[0].outcome, read_report(steps[0].outcome.report)
    assembled = assemble(case.task, case.generation.text)
    assert assembled is not None, "a generation without code is never run"
    opinion = _opinion(steps[0], found, assembled)
    suspicion = _suspicion(steps, found) if opinion.status is Status.PASSED else ""
    counted = found.counted if found is not None and opinion.status in _COUNTED else None
    controls = [step.outcome.wall_seconds for step in steps[1:]]
    return Verdict(
        case.generation.key,
        opinion.status,
        integrity=Integrity.SUSPECT if suspicion else Integrity.CLEAN,
        tests_passed=counted.passed if counted else None,
        tests_total=counted.total if counted else None,
        duration_ms=None if opinion.status in _NEVER_RAN else round(outcome.wall_seconds * 1000),
        control_ms=round(sum(controls) * 1000) if controls else None,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=(*assembled.flags, *opinion.flags),
        evidence=_printable(suspicion or opinion.evidence, _EVIDENCE),
        output=_printable(outcome.output, _OUTPUT),
    )


_COUNTED = (Status.PASSED, Status.FAILED)
# A class that never ran has no duration, which is not 0 seconds.
_NEVER_RAN = (Status.COMPILE_ERROR, Status.NOT_RUN)


def _payload(task: Task, assembled: Assembled, prefix: str) -> dict[str, Json]:
    own = f"{PACKAGE}.{{}}{task.id}".replace(".", "/")
    return {
        **_shared(task, prefix),
        "units": dict(assembled.units),
        "control": {
            "method": str(task.public["entry_point"]),
            "parameters": method_of(task.public["signature"]).parameters,
            "of": own.format(assembled.prefix),
            "name": own.format(_control_prefix(assembled)),
        },
    }


def _apart(task: Task, assembled: Assembled) -> dict[str, Json]:
    """The parts of the two processes of a run from outside."""
    evaluation, own = f"{EVALUATIONS}.Evaluation{task.id}", f"{PACKAGE}.{assembled.prefix}{task.id}"
    kit, fields = task.hidden["kit"], [*task.hidden["fields"]]
    return {
        "kit": kit,
        "candidate": {
            "units": dict(assembled.units),
            "run": {"class": own, "fields": fields},
        },
        "judge": {
            "kit": kit,
            "shared": dict(task.hidden.get("base", {})),
            "tests": {f"{evaluation.replace('.', '/')}.java": task.hidden["evaluation"]},
            "run": {
                "evaluation": evaluation,
                "package": PACKAGE,
                "prefix": assembled.prefix,
                "class": own,
                "base": BASE_CLASS,
                "fields": fields,
            },
        },
    }


def _default(task: Task) -> dict[str, Json]:
    """A class that inherits every method of the base; these throw."""
    name = f"{_DEFAULT}{task.id}"
    text = f"package {PACKAGE};\npublic class {name} extends {BASE_CLASS} {{}}\n"
    units: dict[str, Json] = {f"{PACKAGE.replace('.', '/')}/{name}.java": text}
    return {**_shared(task, _DEFAULT), "units": units, "control": {}}


def _shared(task: Task, prefix: str) -> dict[str, Json]:
    evaluation = f"{EVALUATIONS}.Evaluation{task.id}"
    own: Mapping[str, str] = task.hidden.get("base", {})
    tests = {f"{evaluation.replace('.', '/')}.java": task.hidden["evaluation"], **own}
    run: dict[str, Json] = {"evaluation": evaluation, "package": PACKAGE, "prefix": prefix}
    return {"kit": task.hidden["kit"], "tests": dict(tests), "run": run}


def _control_prefix(assembled: Assembled) -> str:
    """A name that is in none of the units, since no text can hold its own hash."""
    text = "\n".join(assembled.units.values())
    return f"{assembled.prefix}_{hashlib.sha256(text.encode()).hexdigest()[:8]}_"


def _opinion(step: Step, found: Report | None, assembled: Assembled) -> _Opinion:
    ended = status_of_end(step.outcome)
    opinion = _of_the_report(found, assembled) if ended is None else _Opinion(ended)
    controlled = step.execution.runner == RUNNER
    if opinion.status is Status.PASSED and controlled and found is not None and not found.control:
        return opinion._replace(flags=(NO_CONTROL,))
    if opinion.status in (Status.RUNTIME_ERROR, Status.FAILED) and out_of_memory(step.outcome):
        return opinion._replace(status=Status.MEMORY_EXCEEDED)
    return opinion


def _of_the_report(found: Report | None, assembled: Assembled) -> _Opinion:
    if found is None:
        return _Opinion(Status.RUNTIME_ERROR, flags=(ENDED_EARLY,))
    if not found.tests_compiled:
        words = "; ".join(each.words for each in found.diagnostics)
        return _Opinion(Status.NOT_RUN, words, (NO_EVALUATION,))
    if not found.compiled:
        return _Opinion(Status.COMPILE_ERROR, _diagnosed(found, assembled))
    if found.counted is not None:
        status = Status.PASSED if found.counted.all else Status.FAILED
        return _Opinion(status)
    if found.unplain:
        return _Opinion(Status.RUNTIME_ERROR, found.unplain)
    if found.threw:
        memory = found.threw == "java.lang.OutOfMemoryError"
        status = Status.MEMORY_EXCEEDED if memory else Status.RUNTIME_ERROR
        return _Opinion(status, f"the evaluation ended in {found.threw}")
    return _Opinion(Status.RUNTIME_ERROR, "it ended before its evaluation", (ENDED_EARLY,))


def _diagnosed(found: Report, assembled: Assembled) -> str:
    """The compiler's messages with line numbers of the uploaded text."""
    lines = []
    for each in found.diagnostics:
        own = assembled.own_line(each.path, each.line)
        lines.append(each.words if own is None else f"line {own}: {each.words}")
    return "\n".join(lines)


def _is_pass(step: Step, found: Report | None) -> bool:
    ended = status_of_end(step.outcome) is None
    return ended and found is not None and found.counted is not None and found.counted.all


def _passed(step: Step) -> int:
    found = read_report(step.outcome.report)
    return found.counted.passed if found is not None and found.counted is not None else 0


def _suspicion(steps: Sequence[Step], found: Report | None) -> str:
    said = []
    if len(steps) > 1 and _passed(steps[1]) > (_passed(steps[2]) if len(steps) > 2 else 0):
        control, default = _passed(steps[1]), _passed(steps[2]) if len(steps) > 2 else 0
        said.append(
            f"with what the method returns thrown away {control} tests still pass, "
            f"where a method that only throws passes {default}"
        )
    if found is not None and found.signs:
        named = ", ".join(found.signs[:_MOST_SIGNS])
        said.append(f"the class has what a pass could be brought about with: {named}")
    return "; ".join(said)


def _printable(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8; a lone surrogate, which no file accepts, becomes "?"."""
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")

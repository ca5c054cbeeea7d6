"""Runs a task's evaluation on a generation's class and reads its counts."""

from __future__ import annotations

from collections.abc import Sequence
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
    Evidence,
    Execution,
    Integrity,
    Json,
    Limits,
    Status,
    Step,
    Task,
    Tier,
    Verdict,
    evidence_text,
    printable,
)
from evaluation.engine.sandbox.attribution import ENDED_EARLY, out_of_memory, status_of_end

RUNNER, OUTSIDE = "java_class", "java_outside"
NO_EVALUATION = "evaluation_does_not_compile"

EVALUATIONS = "com.aixcode.autoTest.evaluation"
_EVIDENCE, _OUTPUT = 2000, 4096


class _Opinion(NamedTuple):
    status: Status
    evidence: str = ""
    flags: tuple[str, ...] = ()


def plan(case: Case, limits: Limits) -> Execution | Verdict:
    assembled = assemble(case.task, case.generation.text)
    if assembled is None:
        empty = Verdict(case.generation.key, Status.COMPILE_ERROR, tier=Tier.OUTSIDE)
        return replace(empty, evidence="there is no code in it")
    if case.task.hidden.get("fields") is not None:
        return Execution(OUTSIDE, _apart(case.task, assembled), limits)
    return Execution(RUNNER, _payload(case.task, assembled), limits)


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    """A pass is suspect if a result of the class decides itself what it equals."""
    (step,) = steps
    outcome, report = step.outcome, read_report(step.outcome.report)
    assembled = assemble(case.task, case.generation.text)
    assert assembled is not None, "a generation without code is never run"
    opinion = _opinion(step, report, assembled)
    deciding = report.deciding if report and opinion.status is Status.PASSED else ""
    doubt = Evidence("comparison", str(case.task.public["entry_point"]), _DECIDING % deciding)
    counted = report.counted if report is not None and opinion.status in _COUNTED else None
    ran = step.execution.runner == RUNNER and (report is None or report.compiled)
    return Verdict(
        case.generation.key,
        opinion.status,
        integrity=Integrity.SUSPECT if deciding else Integrity.CLEAN,
        tier=Tier.SHARED if ran else Tier.OUTSIDE,
        tests_passed=counted.passed if counted else None,
        tests_total=counted.total if counted else None,
        duration_ms=None if opinion.status in _NEVER_RAN else round(outcome.wall_seconds * 1000),
        peak_memory_kib=outcome.peak_memory_kib,
        flags=(*assembled.flags, *opinion.flags, *_denials(report)),
        evidence=printable(evidence_text(doubt) if deciding else opinion.evidence, _EVIDENCE),
        output=printable(outcome.output, _OUTPUT),
    )


_DECIDING = "A result has an equals method of the generation, so that it decides a comparison: %s."
_COUNTED = (Status.PASSED, Status.FAILED)
# The duration of a class that never ran is None and not 0 seconds.
_NEVER_RAN = (Status.COMPILE_ERROR, Status.NOT_RUN)


def _payload(task: Task, assembled: Assembled) -> dict[str, Json]:
    evaluation = f"{EVALUATIONS}.Evaluation{task.id}"
    return {
        "kit": task.hidden["kit"],
        "shared": dict(task.hidden.get("base", {})),
        "tests": {f"{evaluation.replace('.', '/')}.java": task.hidden["evaluation"]},
        "units": dict(assembled.units),
        # The method gets copies of its arguments, and the evaluation a copy of its result.
        "copied": {
            "method": str(task.public["entry_point"]),
            "parameters": method_of(task.public["signature"]).parameters,
        },
        "run": {
            "evaluation": evaluation,
            "package": PACKAGE,
            "prefix": assembled.prefix,
            "permitted": [*task.hidden.get("permitted", ())],
        },
    }


def _apart(task: Task, assembled: Assembled) -> dict[str, Json]:
    """The payload of a run from outside, with a part for each of the two processes."""
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


def _opinion(step: Step, report: Report | None, assembled: Assembled) -> _Opinion:
    ended = status_of_end(step.outcome)
    opinion = _of_the_report(report, assembled) if ended is None else _Opinion(ended)
    if opinion.status in (Status.RUNTIME_ERROR, Status.FAILED) and out_of_memory(step.outcome):
        return opinion._replace(status=Status.MEMORY_EXCEEDED)
    return opinion


def _of_the_report(report: Report | None, assembled: Assembled) -> _Opinion:
    if report is None:
        return _Opinion(Status.RUNTIME_ERROR, flags=(ENDED_EARLY,))
    if not report.tests_compiled:
        words = "; ".join(each.words for each in report.diagnostics)
        return _Opinion(Status.NOT_RUN, words, (NO_EVALUATION,))
    if not report.compiled:
        return _Opinion(Status.COMPILE_ERROR, _diagnosed(report, assembled))
    if report.counted is not None:
        status = Status.PASSED if report.counted.all else Status.FAILED
        return _Opinion(status)
    if report.unplain:
        return _Opinion(Status.RUNTIME_ERROR, report.unplain)
    if report.threw:
        memory = report.threw == "java.lang.OutOfMemoryError"
        status = Status.MEMORY_EXCEEDED if memory else Status.RUNTIME_ERROR
        return _Opinion(status, f"the evaluation ended in {report.threw}")
    return _Opinion(Status.RUNTIME_ERROR, "it ended before its evaluation", (ENDED_EARLY,))


def _diagnosed(report: Report, assembled: Assembled) -> str:
    """The compiler's messages with line numbers of the uploaded text."""
    lines = []
    for each in report.diagnostics:
        own = assembled.own_line(each.path, each.line)
        lines.append(each.words if own is None else f"line {own}: {each.words}")
    return "\n".join(lines)


def _denials(report: Report | None) -> list[str]:
    return [f"denied_{kind}" for kind in report.denied] if report is not None else []

"""Runs a generation's function on the tests and compares the results outside the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.engine.families.rucodeeval.extraction import extract_code
from evaluation.engine.families.rucodeeval.report import Raised, Report, Result, Value, read_report
from evaluation.engine.records import (
    Case,
    Execution,
    Limits,
    Outcome,
    Status,
    Step,
    Tier,
    Verdict,
    printable,
)
from evaluation.engine.sandbox.attribution import ENDED_EARLY, out_of_memory, status_of_end

RUNNER = "calls"
BAD_REPORT = "bad_report"

_DOES_NOT_COMPILE = ("SyntaxError", "IndentationError", "TabError")
_EVIDENCE = 500
_OUTPUT = 4096


class _Opinion(NamedTuple):
    status: Status
    evidence: str = ""
    flags: tuple[str, ...] = ()


def plan(case: Case, limits: Limits) -> Execution:
    """The run gets every test's arguments, but no expected results."""
    payload = {
        "program": case.task.public["function"] + extract_code(case.generation.text),
        "entry_point": case.task.public["entry_point"],
        "tests": case.task.hidden["tests"],
    }
    return Execution(RUNNER, payload, limits)


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    """The candidate may forge the report: a malformed one is a failure."""
    outcome = steps[-1].outcome
    expected: Sequence[str] = case.task.hidden["outputs"]
    report = read_report(outcome.report, len(expected))
    results = report.results if report else ()
    rights = [result == Value(text) for result, text in zip(results, expected, strict=False)]
    ended = status_of_end(outcome)
    opinion = _Opinion(ended) if ended else _of_the_report(report, expected, outcome)
    return Verdict(
        case.generation.key,
        opinion.status,
        tier=Tier.OUTSIDE,
        tests_passed=sum(rights),
        tests_total=len(expected),
        duration_ms=round(outcome.wall_seconds * 1000),
        peak_memory_kib=outcome.peak_memory_kib,
        flags=opinion.flags,
        evidence=printable(opinion.evidence, _EVIDENCE),
        output=printable(outcome.output, _OUTPUT),
    )


def _of_the_report(report: Report | None, expected: Sequence[str], outcome: Outcome) -> _Opinion:
    opinion = _of_the_results(report, expected, silent=outcome.report is None)
    if opinion.status is not Status.PASSED and out_of_memory(outcome):
        return opinion._replace(status=Status.MEMORY_EXCEEDED)
    return opinion


def _of_the_results(report: Report | None, expected: Sequence[str], *, silent: bool) -> _Opinion:
    if report is None:
        return _Opinion(Status.RUNTIME_ERROR, flags=(ENDED_EARLY if silent else BAD_REPORT,))
    if report.error is not None:
        return _not_loaded(report.error)
    for number, (result, text) in enumerate(zip(report.results, expected, strict=False), start=1):
        if result != Value(text):
            return _wrong(number, result)
    if not expected or len(report.results) < len(expected):
        evidence = f"ended in test {len(report.results) + 1}"
        return _Opinion(Status.RUNTIME_ERROR, evidence, (ENDED_EARLY,))
    return _Opinion(Status.PASSED)


def _not_loaded(error: Raised) -> _Opinion:
    evidence = f"does not load: {error.kind}: {error.text}"
    if error.kind == "MemoryError":
        return _Opinion(Status.MEMORY_EXCEEDED, evidence)
    compiles = error.kind not in _DOES_NOT_COMPILE
    return _Opinion(Status.RUNTIME_ERROR if compiles else Status.COMPILE_ERROR, evidence)


def _wrong(number: int, result: Result) -> _Opinion:
    if isinstance(result, Raised):
        return _Opinion(Status.RUNTIME_ERROR, f"test {number} raised {result.kind}")
    said = "another result" if isinstance(result, Value) else "None"
    return _Opinion(Status.FAILED, f"test {number} gave {said}")

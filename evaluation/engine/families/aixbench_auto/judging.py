"""Runs a task's evaluation on a generation's class and reads the report of the runners "java_class"
and "java_outside", which a broken sandbox may have written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from evaluation.engine.compiler_messages import LINE_END, unseen_in
from evaluation.engine.families.aixbench_auto import assembling
from evaluation.engine.families.aixbench_auto.assembling import Assembled, assemble
from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.records import (
    Case,
    Evidence,
    Execution,
    Integrity,
    Json,
    Limits,
    Status,
    Step,
    Tier,
    Verdict,
    evidence_text,
    printable,
)
from evaluation.engine.sandbox.attribution import ENDED_EARLY, out_of_memory, status_of_end
from evaluation.engine.sandbox.inside.java_class import KINDS

RUNNER, OUTSIDE = "java_class", "java_outside"
NO_EVALUATION = "evaluation_does_not_compile"

EVALUATIONS = "com.aixcode.autoTest.evaluation"
# A program that draws at random fails some runs by chance: if a third of its runs pass, all of
# these fail after 0.03 % of its passes.
CONTROLS = 20
_NOT_CALLED = "the task's method is missing, ambiguous or of other types"
_EVIDENCE, _OUTPUT = 2000, 4096
_COUNTED = (Status.PASSED, Status.FAILED)
# The duration of a class that never ran is None and not 0 seconds.
_NEVER_RAN = (Status.COMPILE_ERROR, Status.NOT_RUN)


class _Opinion(NamedTuple):
    status: Status
    evidence: str = ""
    flags: tuple[str, ...] = ()


class Diagnostic(NamedTuple):
    """A compiler message about a place in a unit, from 1; without a unit, no path and zeros."""

    path: str
    line: int
    column: int
    words: str


class Counted(NamedTuple):
    """The counts that an evaluation returned. One of the benchmark's exceeds its total."""

    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Report:
    """`diagnostics` are those of the evaluation if it does not compile, else the generation's.
    Without `counted` the evaluation did not finish; `threw` is its exception's class, if any.
    `denied`: the kinds of permissions that were denied to the class. `deciding`: the class of a
    result that has an equals method of the generation's, if any. `changed`: whether the method
    changed the copy of an argument. `unplain`: why a value did not cross, in a run from outside,
    which has none of these three. `imports_added`: whether imports were added."""

    tests_compiled: bool
    compiled: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    counted: Counted | None = None
    threw: str = ""
    denied: tuple[str, ...] = ()
    unplain: str = ""
    deciding: str = ""
    changed: bool = False
    imports_added: bool = False

    @property
    def passed(self) -> bool:
        return self.counted is not None and self.counted.passed == self.counted.total > 0


def read_report(raw: Any) -> Report | None:
    """Returns None for a malformed report."""
    counted = None
    try:
        of_tests = _diagnostics(raw["tests"])
        added = raw.get("imports_added") is True
        if raw["compiled"] is not True:
            diagnostics = _diagnostics(raw.get("diagnostics", []))
            return Report(not of_tests, False, of_tests or diagnostics, imports_added=added)
        run = raw["run"]
        if run is None:
            return Report(True, True, imports_added=added)
        match run["counted"]:
            case [passed, total] if type(passed) is type(total) is int and min(passed, total) >= 0:
                counted = Counted(passed, total)
            case None | [_, _]:
                pass
            case _:
                return None
        return Report(
            True,
            True,
            counted=counted,
            threw=str(run["threw"]),
            denied=tuple(kind for kind in KINDS if kind in run["denied"]),
            unplain=str(run.get("unplain", "")),
            deciding=str(run.get("deciding", "")),
            changed=run.get("changed") is True,
            imports_added=added,
        )
    except (KeyError, TypeError, ValueError):
        return None


def _diagnostics(raw: Any) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(str(unit), int(at), int(by), str(words)) for unit, at, by, words in raw)


def plan(case: Case, limits: Limits) -> Execution | Verdict:
    task, assembled = case.task, assemble(case.task, case.generation.text)
    if assembled is None:
        empty = Verdict(case.generation.key, Status.COMPILE_ERROR, tier=Tier.OUTSIDE)
        return replace(empty, evidence="there is no code in it")
    kit, fields = task.hidden["kit"], task.hidden.get("fields")
    evaluation = f"{EVALUATIONS}.Evaluation{task.id}"
    units: dict[str, Json] = {
        "units": dict(assembled.units),
        "imports": {name: [*texts] for name, texts in assembled.imports.items()},
    }
    run: dict[str, Json] = {
        "evaluation": evaluation,
        "package": assembling.PACKAGE,
        "prefix": assembled.prefix,
    }
    tests: dict[str, Json] = {
        "kit": kit,
        "shared": dict(task.hidden.get("base", {})),
        "tests": {f"{evaluation.replace('.', '/')}.java": task.hidden["evaluation"]},
    }
    if fields is None:
        # The method gets copies of its arguments, and the evaluation a copy of its result.
        copied: dict[str, Json] = {
            "method": str(task.public["entry_point"]),
            "parameters": method_of(task.public["signature"]).parameters,
        }
        run["permitted"] = [*task.hidden.get("permitted", ())]
        return Execution(RUNNER, {**tests, **units, "copied": copied, "run": run}, limits)
    # From outside, each of the two processes has a part.
    crossing: dict[str, Json] = {
        "class": f"{assembling.PACKAGE}.{assembled.prefix}{task.id}",
        "fields": [*fields],
    }
    run |= {"base": assembling.BASE_CLASS, **crossing}
    payload: dict[str, Json] = {
        "kit": kit,
        "candidate": {**units, "run": crossing},
        "judge": {**tests, "run": run},
    }
    return Execution(OUTSIDE, payload, limits)


def proceed(_case: Case, steps: Sequence[Step]) -> Execution | None:
    """A class that changes the copy of an argument runs again with the evaluation's own objects, as
    in the authors' harness. If only that run passes, runs with copies follow until one passes."""
    execution, report = steps[0].execution, read_report(steps[0].outcome.report)
    if report is None or not report.changed:
        return None
    if len(steps) == 1:
        return replace(execution, payload={**execution.payload, "copied": {}})
    undecided = _passes(steps[1]) and not _passes_with_copies(steps) and len(steps) <= CONTROLS
    return execution if undecided else None


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    """A pass is suspect if a result of the class decides itself what it equals, or if the class
    passes only with the evaluation's own objects."""
    step = steps[1] if len(steps) > 1 else steps[0]
    outcome, report = step.outcome, read_report(step.outcome.report)
    assembled = assemble(case.task, case.generation.text)
    assert assembled is not None, "a generation without code is never run"
    ended = status_of_end(outcome)
    text = case.generation.text
    opinion = _of_the_report(report, assembled, text) if ended is None else _Opinion(ended)
    if opinion.status in (Status.RUNTIME_ERROR, Status.FAILED) and out_of_memory(outcome):
        opinion = opinion._replace(status=Status.MEMORY_EXCEEDED)
    doubts = _doubts(case, steps) if opinion.status is Status.PASSED else []
    controls = [control.outcome.wall_seconds for control in steps if control is not step]
    counted = report.counted if report is not None and opinion.status in _COUNTED else None
    ran = step.execution.runner == RUNNER and (report is None or report.compiled)
    denials = [f"denied_{kind}" for kind in report.denied] if report is not None else []
    added = (assembling.IMPORTS_ADDED,) if report is not None and report.imports_added else ()
    return Verdict(
        case.generation.key,
        opinion.status,
        integrity=Integrity.SUSPECT if doubts else Integrity.CLEAN,
        tier=Tier.SHARED if ran else Tier.OUTSIDE,
        tests_passed=counted.passed if counted else None,
        tests_total=counted.total if counted else None,
        duration_ms=None if opinion.status in _NEVER_RAN else outcome.wall_ms,
        control_ms=round(sum(controls) * 1000) if controls else None,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=(*assembled.flags, *added, *opinion.flags, *denials),
        evidence=printable(evidence_text(*doubts) or opinion.evidence, _EVIDENCE),
        output=printable(outcome.output, _OUTPUT),
    )


def _of_the_report(report: Report | None, assembled: Assembled, text: str) -> _Opinion:
    if report is None:
        return _Opinion(Status.RUNTIME_ERROR, flags=(ENDED_EARLY,))
    if not report.tests_compiled:
        words = "; ".join(diagnostic.words for diagnostic in report.diagnostics)
        return _Opinion(Status.NOT_RUN, words, (NO_EVALUATION,))
    if not report.compiled:
        lines, unseen = list[str](), dict[str, None]()
        uploaded = LINE_END.split(text)
        answer = next(iter(assembled.units))
        # The class that calls the method cannot do so if the answer does not compile.
        of_answer = [diagnostic for diagnostic in report.diagnostics if diagnostic.path == answer]
        for path, unit_line, unit_column, words in of_answer or report.diagnostics:
            line = assembled.own_line(path, unit_line)
            if line is not None:
                column = assembled.own_column(unit_line, unit_column)
                place = f"line {line}" if column is None else f"line {line}, column {column}"
                words = f"{place}: {words}"
                if names := unseen_in(uploaded[line - 1]):
                    unseen[f"Line {line} contains {', '.join(names)}."] = None
            calling = path != answer and path in assembled.units
            lines.append(f"{_NOT_CALLED}: {words}" if calling else words)
        return _Opinion(Status.COMPILE_ERROR, "\n".join([*lines, *unseen]))
    if report.counted is not None:
        return _Opinion(Status.PASSED if report.passed else Status.FAILED)
    if report.unplain:
        return _Opinion(Status.RUNTIME_ERROR, report.unplain)
    if report.threw:
        memory = report.threw == "java.lang.OutOfMemoryError"
        status = Status.MEMORY_EXCEEDED if memory else Status.RUNTIME_ERROR
        return _Opinion(status, f"the evaluation ended in {report.threw}")
    return _Opinion(Status.RUNTIME_ERROR, "it ended before its evaluation", (ENDED_EARLY,))


def _passes(step: Step) -> bool:
    report = read_report(step.outcome.report)
    return status_of_end(step.outcome) is None and report is not None and report.passed


def _passes_with_copies(steps: Sequence[Step]) -> bool:
    return any(map(_passes, (steps[0], *steps[2:])))


def _doubts(case: Case, steps: Sequence[Step]) -> list[Evidence]:
    method, report = str(case.task.public["entry_point"]), read_report(steps[0].outcome.report)
    doubts = []
    if not _passes_with_copies(steps):
        sentence = (
            "It passes only if the method can change the evaluation's own objects: with copies of "
            "its arguments, its results are wrong."
        )
        doubts.append(Evidence("control", method, sentence))
    if report is not None and report.deciding:
        sentence = (
            "A result has an equals method of the generation, so that it decides a comparison: "
            f"{report.deciding}."
        )
        doubts.append(Evidence("comparison", method, sentence))
    return doubts

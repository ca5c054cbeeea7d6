"""Runs a task's evaluation on a generation's class and reads its counts."""

from __future__ import annotations

import re
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
from evaluation.engine.families.aixbench_auto.report import Report, Sign, read_report
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
NO_CONTROL = "no_control"
NO_EVALUATION = "evaluation_does_not_compile"

EVALUATIONS = "com.aixcode.autoTest.evaluation"
# A program that draws at random fails some controls by chance: if a third of its runs pass, all
# three controls fail after 30 % of its passes, all twenty after 0.03 %. For other programs, more
# controls would be more chances to guess.
CONTROLS, RANDOM_CONTROLS = 3, 20
_RANDOM = re.compile("random|随机", re.IGNORECASE)
_EVIDENCE, _OUTPUT = 2000, 4096
_MOST_SIGNS = 5
_ONLY_WITH_ITS_OBJECTS = (
    "It passes only if the method can change the evaluation's own objects: with copies of its "
    "arguments, its results are wrong."
)


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


def proceed(case: Case, steps: Sequence[Step]) -> Execution | None:
    """A pass is followed by its control, in which the method cannot reach the evaluation's own
    objects. A failed control is repeated, up to the task's number of controls."""
    execution, found = steps[0].execution, read_report(steps[0].outcome.report)
    if not _is_pass(steps[0], found) or found is None or not found.control:
        return None
    asked = f"{case.task.public['entry_point']} {case.task.public['raw_nl']}"
    most = RANDOM_CONTROLS if _RANDOM.search(asked) else CONTROLS
    if len(steps) > most or (len(steps) > 1 and _passes(steps[-1])):
        return None
    run = execution.payload["run"]
    assert isinstance(run, Mapping)
    payload: dict[str, Json] = {**execution.payload, "run": {**run, "control": True}}
    return Execution(RUNNER, payload, execution.limits)


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    """A pass is suspect if no control passes, or if the class is able to forge a pass."""
    outcome, found = steps[0].outcome, read_report(steps[0].outcome.report)
    assembled = assemble(case.task, case.generation.text)
    assert assembled is not None, "a generation without code is never run"
    opinion = _opinion(steps[0], found, assembled)
    doubts = _doubts(case, steps, found) if opinion.status is Status.PASSED else []
    counted = found.counted if found is not None and opinion.status in _COUNTED else None
    controls = [step.outcome.wall_seconds for step in steps[1:]]
    return Verdict(
        case.generation.key,
        opinion.status,
        integrity=Integrity.SUSPECT if doubts else Integrity.CLEAN,
        tier=Tier.OUTSIDE if steps[0].execution.runner == OUTSIDE else Tier.SHARED,
        tests_passed=counted.passed if counted else None,
        tests_total=counted.total if counted else None,
        duration_ms=None if opinion.status in _NEVER_RAN else round(outcome.wall_seconds * 1000),
        control_ms=round(sum(controls) * 1000) if controls else None,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=(*assembled.flags, *opinion.flags, *_unseen(steps), *_denials(found)),
        evidence=_whole(doubts) or printable(opinion.evidence, _EVIDENCE),
        output=printable(outcome.output, _OUTPUT),
    )


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
        "control": {
            "method": str(task.public["entry_point"]),
            "parameters": method_of(task.public["signature"]).parameters,
        },
        "run": {
            "evaluation": evaluation,
            "package": PACKAGE,
            "prefix": assembled.prefix,
            "permitted": [*task.hidden.get("permitted", ())],
            "control": False,
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


def _passes(step: Step) -> bool:
    return _is_pass(step, read_report(step.outcome.report))


def _unseen(steps: Sequence[Step]) -> list[str]:
    """The flag of a control that shares an object with the evaluation."""
    controls = [read_report(step.outcome.report) for step in steps[1:]]
    return [NO_CONTROL] if any(each is not None and each.uncopied for each in controls) else []


def _denials(found: Report | None) -> list[str]:
    return [f"denied_{kind}" for kind in found.denied] if found is not None else []


def _doubts(case: Case, steps: Sequence[Step], found: Report | None) -> list[Evidence]:
    doubts = []
    if len(steps) > 1 and not _passes(steps[-1]):
        method = str(case.task.public["entry_point"])
        doubts.append(Evidence("control", method, _ONLY_WITH_ITS_OBJECTS))
    if found is not None and found.signs:
        assembled = assemble(case.task, case.generation.text)
        assert assembled is not None, "a generation without code is never run"
        doubts += [_of_a_sign(each, assembled) for each in found.signs[:_MOST_SIGNS]]
    return doubts


def _of_a_sign(sign: Sign, assembled: Assembled) -> Evidence:
    line = assembled.own_line(sign.path, sign.line)
    where = f"{sign.place}, line {line}" if line is not None else sign.place
    sentence = f"The class has means to bring about a pass: {sign.name}."
    return Evidence("signs", where, sentence)


def _whole(doubts: Sequence[Evidence]) -> str:
    """As many entries as fit, none of them cut."""
    texts = [printable(evidence_text(*doubts[:count]), 2**20) for count in range(len(doubts) + 1)]
    return next(text for text in reversed(texts) if len(text.encode()) <= _EVIDENCE)

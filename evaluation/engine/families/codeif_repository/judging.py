"""Judges generations in a repository: supplies this family's part to projects.suite.

The reference solution fails most tests of a requirement, which asks for more. Each requirement is a
test set nonetheless: the run of the reference solution reveals tests that cannot pass.
"""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from evaluation.engine.families.codeif_repository import dataset, inserting
from evaluation.engine.family import References
from evaluation.engine.instructions import BASE, DYNAMIC, code_in_dialogue, unsound
from evaluation.engine.projects import control
from evaluation.engine.projects.report import CONTROL, ORACLE, Report, passed_by, read
from evaluation.engine.projects.sources import Node, difference, lines_of
from evaluation.engine.projects.suite import Place, Suite, control_of
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Limits,
    Outcome,
    Prepared,
    Reference,
    Status,
    Task,
    Verdict,
)

LIMITS = Limits(cpu_seconds=60.0, memory=5 * 2**30, pids=512, open_files=1024)
# Long, because each batch has two additional runs, the canaries.
BATCH_SECONDS = 60.0
# Maximum characters of its tests' failures that a retrying model sees.
TOLD = 1024
STUB = "stub_pass"
# The flag of a verdict on a requirement without a sound test.
UNSOUND = "unsound_requirement"
_FENCED = re.compile(r"```python(.*?)```", re.DOTALL)
_SUMMARY = re.compile(r"^=+ short test summary info =+$", re.MULTILINE)
_FAILURES = re.compile(r"^=+ (?:FAILURES|ERRORS) =+$", re.MULTILINE)
# Errors that show that the test itself is at fault.
_OWN_FAULT = ("ModuleNotFoundError:", "ImportError:", "NameError:", "async def functions are not")


def code_in(text: str) -> str:
    """The content of the first fenced Python block, else the text."""
    block = _FENCED.search(text)
    return block.group(1) if block else text


def spliced(source: str, first: int, last: int, completion: str) -> str:
    """Replaces lines `first` to `last`, from 1. The completion is dedented and gets the indent of
    the line `first`, regardless of the dataset's indent."""
    before, margin, after = around(source, first, last)
    return before + textwrap.indent(textwrap.dedent(completion), margin) + after


def around(source: str, first: int, last: int) -> tuple[str, str, str]:
    """The text before a completion, its indent and the text after it."""
    lines = lines_of(source)
    head = lines[first - 1]
    margin = head[: len(head) - len(head.lstrip(" \t"))]
    return "".join([*lines[: first - 1], "\n"]), margin, "".join(["\n", *lines[last:]])


def unfit(task: Task, prepared: Prepared) -> str:
    """How the project's sources differ from the task's description of them; "" if not at all."""
    place = dataset.place(task)
    if place.path not in prepared.texts:
        return f"There is no {place.path}."
    return difference(prepared.texts[place.path], place)


def extracted(generation: Generation, setting: str) -> str:
    return (code_in_dialogue if setting == DYNAMIC else code_in)(generation.text)


def _spliced(task: Task, prepared: Prepared | None, code: str) -> dict[str, str]:
    assert prepared is not None, "a case of a project comes with its prepared image"
    place = dataset.place(task)
    source = prepared.texts[place.path]
    return {place.path: spliced(source, place.first, place.last, code)}


def _place(task: Task, prepared: Prepared) -> Place:
    span = dataset.place(task)
    source = prepared.texts[span.path]
    before, margin, after = around(source, span.first, span.last)
    # Decorators of the file belong to the function: nothing else can follow them.
    if (first := inserting.first_line(source, span.first)) < span.first:
        before = "".join(lines_of(source)[: first - 1])
    return Place(span.path, before, after, f"{margin}pass", str(task.id).rpartition(".")[2])


def _reference_code(task: Task, name: str) -> str:
    place = dataset.place(task)
    return place.code if name == ORACLE else f"{textwrap.dedent(place.signature)}    pass\n"


def _as_generation(task: Task, name: str) -> str | None:
    """Returns None if extraction would change the program."""
    code = _reference_code(task, name)
    return code if code_in(code) == code else None


def failures(output: str) -> str:
    """The beginning of pytest's failure section, which a retrying model may see."""
    section = _FAILURES.search(output)
    shown = _SUMMARY.split(output[section.end() :])[0] if section else output
    return shown.strip()[:TOLD]


def _with_tests(task: Task, prepared: Prepared) -> inserting.Added:
    nodes, texts = task.hidden["nodes"], task.hidden["unit_tests"]
    return inserting.with_tests(
        prepared.texts, [(node, texts.get(name, "")) for name, node in nodes.items()]
    )


SUITE = Suite(
    report="pytest",
    limits=LIMITS,
    dry_run_limits=None,
    changed=lambda case: _spliced(
        case.task, case.prepared, extracted(case.generation, case.setting)
    ),
    reference_changes=lambda task, prepared, name: _spliced(
        task, prepared, _reference_code(task, name)
    ),
    command=dataset.command,
    compared=lambda task, setting, requirement: frozenset(
        dataset.nodes(task, setting, requirement)
    ),
    added=lambda task, prepared: _with_tests(task, prepared).files,
    place=_place,
    stubs=(STUB,),
    test_sets=("", *dataset.CATEGORIES),
)
_OF_SUITE = SUITE.references()
canaries = partial(SUITE.canaries, _as_generation, BASE)


def plan(case: Case, limits: Limits) -> Execution | Verdict:
    if (case.test_set or case.generation.key.requirement) in unsound(case.task):
        return Verdict(case.generation.key, Status.FAILED, case.test_set, flags=(UNSOUND,))
    return SUITE.plan(case, limits)


def _plan_reference(
    task: Task, prepared: Prepared, references: Mapping[str, Reference], name: str
) -> Execution | None:
    """Adds the control of a set that the reference solution does not pass."""
    planned = _OF_SUITE.plan(task, prepared, references, name)
    kind, _, requirement = name.partition(":")
    oracle = references.get(f"{ORACLE}:{requirement}")
    if planned is not None or kind != CONTROL or oracle is None:
        return planned
    ids = passed_by(references, ORACLE)
    if oracle.facts["complete"] is not True or not ids:
        return None
    changes = _spliced(task, prepared, dataset.place(task).code)
    command = dataset.command(task, "", requirement)
    return control_of(SUITE.run(task, prepared, changes, command, ids, LIMITS))


def _judge_reference(
    task: Task, prepared: Prepared, references: Mapping[str, Reference], name: str, outcome: Outcome
) -> Reference:
    """The reference solution need not pass a requirement's tests, so these are unsound only by
    their own fault."""
    reference = _OF_SUITE.judge(task, prepared, references, name, outcome)
    kind, _, requirement = name.partition(":")
    if not requirement:
        return reference
    report = read(outcome)
    if kind == ORACLE:
        facts = {**reference.facts, "complete": report.complete}
        fault = _own_fault(task, prepared, requirement, report)
        return replace(reference, facts=facts, unsound=fault)
    # Tests that the reference solution does not pass may stop or run through in the control.
    rewritten = {id.partition("::")[0] for id in passed_by(references, ORACLE)}
    others = {id for id in report.tests if id.partition("::")[0] in rewritten}
    others -= set(references[f"{ORACLE}:{requirement}"].passed)
    weak: dict[str, Any] = control.facts(outcome, others)
    merged: dict[str, Any] = dict(reference.facts)
    merged["went_through"] = [*merged["went_through"], *weak["went_through"], *weak["stopped"]]
    merged["not_compared"] = [*merged["not_compared"], *weak["not_compared"]]
    return replace(reference, facts=merged, unsound="")


def _own_fault(task: Task, prepared: Prepared, requirement: str, report: Report) -> str:
    (node,) = dataset.nodes(task, "", requirement)
    impossible = _with_tests(task, prepared).impossible.get(node)
    if impossible is not None:
        return f"The sources lack its test, and it cannot be put there: {impossible}."
    tests = [test for id, test in report.tests.items() if id == node or id.startswith(f"{node}[")]
    if not tests:
        return f"pytest finds no test at {node}."
    wrong_call = f"{Node.of(node).name}() takes"
    for outcome, message in tests:
        is_own = message.startswith(_OWN_FAULT) or wrong_call in message
        if outcome == "error" or (outcome == "failed" and is_own):
            return f"Its test cannot pass: {message}"
    return ""


REFERENCES = References(_OF_SUITE.names, _plan_reference, _judge_reference)

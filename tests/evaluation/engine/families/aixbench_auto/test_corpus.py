"""Tests of the corpus in real containers: no case passes that must not, and none disturbs the
next."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.families.aixbench_auto import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Integrity,
    Key,
    Limits,
    Status,
    Task,
    Tier,
    Verdict,
)
from evaluation.engine.sandbox.inside.java_class import KINDS
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.corpus import java_sandboxes as sandboxes
from tests.evaluation.engine.families.aixbench_auto import corpus
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

pytestmark = pytest.mark.docker


def in_one_jvm(task: Task) -> Task:
    return replace(task, hidden={**task.hidden, "fields": None})


CASES = [replace(case, task=in_one_jvm(case.task)) for case in corpus.all_cases()]
FROM_OUTSIDE = [
    replace(each, task=replace(each.task, hidden={"fields": [], **each.task.hidden}))
    for each in corpus.all_cases()
    if each.task.hidden.get("fields", []) is not None
]
HOSTILE = [case for case in CASES if not case.passes]
HONEST = [case for case in (*CASES, *FROM_OUTSIDE) if case.passes]
GOOD = next(case for case in HONEST if case.name == "as_it_is_asked_for")
# The number of hostile cases that share a batch, and so its canaries.
BATCH = 28
# The short run has these hostile cases: some for each set of defences that cases name, and one for
# each other kind of harm. The long run has all of them.
QUICK = {
    *("adds_a_shutdown_hook", "asks_as_somebody_else", "clears_what_it_is_compared_with"),
    *("equals_everything", "loads_a_library_from_dev_shm", "loads_a_library_from_tmp"),
    *("loads_a_library_of_the_platform", "makes_a_loader_of_its_own"),
    *("makes_a_second_evaluation_of_an_arguments_class", "opens_a_method_as_an_executable"),
    *("reads_the_evaluation_beside_an_argument", "reads_the_evaluation_by_an_arguments_loader"),
    *("reads_the_evaluation_on_the_class_path", "removes_the_security_manager"),
    *("runs_a_program", "sets_what_is_expected", "starts_a_shell_through_the_loader"),
    *("brings_an_annotation_processor", "eats_the_heap"),
    *("exits_zero", "floods_the_report", "has_a_child_write_for_it"),
    *("is_empty", "is_wrong", "kills_who_started_it", "leaves_static_state"),
    *("leaves_threads_that_print_and_write", "looks_into_the_harness", "never_returns"),
    *("nests_brackets_deeper_than_any_stack", "returns_a_proxy_that_equals_everything"),
    *("rewrites_the_evaluation_on_disk", "shadows_the_base", "takes_unsafe_by_its_name"),
    "writes_to_every_descriptor_it_finds",
}
LONG = pytest.mark.slow
# Seconds of processor time. Cases that only a limit ends get less.
USUAL, LEAST = 2.0, 1.0
ENDLESS = {
    *("eats_memory_beside_the_heap", "nests_what_the_compiler_infers", "never_returns"),
    *("prints_without_end", "sleeps_for_ever", "starts_threads_without_end"),
}


def seconds_of(case: corpus.Case) -> float:
    return LEAST if case.name in ENDLESS else USUAL


def groups_of(seconds: float, quick: bool) -> list[list[corpus.Case]]:
    """Each hostile case, and the honest ones that follow it: others each time, in one JVM or from
    outside, or the good one when all have had their turn."""
    run = [case for case in HOSTILE if (case.name in QUICK) is quick]
    hostile = [case for case in run if seconds_of(case) == seconds]
    honest = HONEST if seconds == USUAL and quick else []
    return [[case, *(honest[n :: len(hostile)] or [GOOD])] for n, case in enumerate(hostile)]


def opened(folder: Path, judged: ByExecution, image: str, seconds: float) -> Judge:
    """A judge with this limit of processor time, in seconds, and four seconds of wall time."""
    assert FAMILY.kit is not None
    limits = replace(judged.limits, cpu_seconds=seconds, wall_factor=4.0 / seconds)
    open_sandbox = opener(judged, image, limits, kit=FAMILY.kit(CHECKOUT))
    return Judge(judged, open_sandbox, Slots(folder), limits=limits)


@pytest.fixture(scope="module")
def judge(
    tmp_path_factory: pytest.TempPathFactory, java: str
) -> Iterator[Callable[[float], Judge]]:
    """A function from processor seconds to a judge, which is kept for further cases as a worker
    keeps its sandbox."""
    made = cache(partial(opened, tmp_path_factory.mktemp("slots"), judged_as_usual(), java))
    yield made
    for seconds in (USUAL, LEAST):
        made(seconds).close()


def judged_as_usual() -> ByExecution:
    assert isinstance(FAMILY.judged, ByExecution)
    return FAMILY.judged


def judged_openly() -> ByExecution:
    """The judging without copies where a task's `without` names them."""
    usual = judged_as_usual()

    def planned(case: Case, limits: Limits) -> Execution | Verdict:
        execution = usual.plan(case, limits)
        if isinstance(execution, Verdict) or "copies" not in case.task.hidden.get("without", ()):
            return execution
        return replace(execution, payload={**execution.payload, "copied": {}})

    return replace(usual, plan=planned)


def of(task: Task, sample: int, text: str) -> Case:
    return Case(task, Generation(Key(task.id, sample), text), "base")


@pytest.fixture(scope="module")
def verdicts_of(
    judge: Callable[[float], Judge],
) -> Callable[[corpus.Case], list[tuple[corpus.Case, Verdict]]]:
    """A function from a hostile case to it and the honest ones after it, with their verdicts."""
    verdicts: dict[str, list[tuple[corpus.Case, Verdict]]] = {}

    def judged(given: corpus.Case) -> list[tuple[corpus.Case, Verdict]]:
        if given.name not in verdicts:
            seconds = seconds_of(given)
            groups = groups_of(seconds, given.name in QUICK)
            first = [hostile.name for hostile, *_ in groups].index(given.name)
            groups = groups[first : first + BATCH]
            cases = [of(case.task, n, case.text) for n, case in enumerate(chain(*groups))]
            batch = iter(judge(seconds).batch(cases))
            for group in groups:
                verdicts[group[0].name] = [(case, next(batch)) for case in group]
        return verdicts[given.name]

    return judged


@pytest.mark.parametrize(
    "given", [pytest.param(c, id=c.name, marks=[] if c.name in QUICK else LONG) for c in HOSTILE]
)
def test_a_hostile_case_fails_and_the_honest_ones_after_it_pass(
    verdicts_of: Callable[[corpus.Case], list[tuple[corpus.Case, Verdict]]], given: corpus.Case
) -> None:
    (_, verdict), *after = verdicts_of(given)
    for honest, its in after:
        in_one = honest.task.hidden["fields"] is None
        assert its.passed and its.tier is (Tier.SHARED if in_one else Tier.OUTSIDE), honest.name
    assert not verdict.passed, verdict
    ran = verdict.status is not Status.COMPILE_ERROR
    assert verdict.tier is (Tier.SHARED if ran else Tier.OUTSIDE)


# These do what the guard denies, and then answer correctly by themselves. Judged from outside, they
# pass: no evaluation is within their reach.
RIGHT_FROM_OUTSIDE = {
    *("adds_a_shutdown_hook", "asks_as_somebody_else", "makes_a_loader_of_its_own"),
    *("removes_the_security_manager", "loads_a_library_of_the_platform"),
}


# Only a limit ends the cases that get the least time, in one JVM as from outside.
@pytest.mark.parametrize(
    ("seconds", "quick"),
    [(USUAL, True), pytest.param(USUAL, False, marks=LONG), pytest.param(LEAST, False, marks=LONG)],
)
def test_hostile_ones_of_plain_tasks_get_their_verdicts_from_outside_too(
    judge: Callable[[float], Judge], seconds: float, quick: bool
) -> None:
    plain = [case for case in FROM_OUTSIDE if not case.passes and seconds_of(case) == seconds]
    cases = [case for case in plain if (case.name in QUICK) is quick]
    assert cases
    verdicts = judge(seconds).batch([of(case.task, 0, case.text) for case in cases])
    pairs = [*zip(cases, verdicts, strict=True)]
    passed = {case.name for case, one in pairs if one.passed}
    assert passed == RIGHT_FROM_OUTSIDE & {case.name for case in cases}
    assert {verdict.tier for verdict in verdicts} == {Tier.OUTSIDE}


def opened_to(case: corpus.Case) -> Case:
    """The case with the defences that it names switched off."""
    permitted = [*(case.without & {*KINDS})]
    hidden = {**case.task.hidden, "permitted": permitted, "without": case.without}
    return of(replace(case.task, hidden=hidden), 0, case.text)


NAMED = [case for case in CASES if case.without]
SANDBOXES = {(case.without & sandboxes.DEFENCES, case.name in QUICK) for case in NAMED}


def by_sandbox() -> Iterator[Any]:
    """The sets of defences to switch off; those that require a changed image are slow."""
    for lacks, quick in sorted(SANDBOXES, key=lambda each: (sorted(each[0]), not each[1])):
        marks = [] if quick and not lacks - {"memory"} else [LONG]
        name = " ".join(sorted(lacks)) or "usual"
        yield pytest.param(lacks, quick, id=f"{name}-{quick}", marks=marks)


@pytest.mark.parametrize(("lacks", "quick"), [*by_sandbox()])
def test_hostile_ones_pass_clean_without_the_defences_that_they_name(
    tmp_path: Path, java: str, lacks: frozenset[str], quick: bool
) -> None:
    named = [case for case in NAMED if case.without & sandboxes.DEFENCES == lacks]
    cases = [case for case in named if (case.name in QUICK) is quick]
    with sandboxes.lacking(java, lacks) as image:
        made = opened(tmp_path, judged_openly(), image, USUAL)
        verdicts = made.batch([opened_to(case) for case in cases])
        made.close()
    unclean = {
        case.name: one
        for case, one in zip(cases, verdicts, strict=True)
        if not one.passed or one.integrity is not Integrity.CLEAN
    }
    assert unclean == {}


def test_hostile_ones_name_the_defence_that_stops_them() -> None:
    assert not [case.name for case in NAMED if case.passes]
    assert {c.without for c in NAMED if c.name in QUICK} == {c.without for c in NAMED}
    known = {"copies", *KINDS} | sandboxes.DEFENCES
    assert set().union(*(case.without for case in NAMED)) == known - {"other"}


def test_there_are_many_of_each() -> None:
    assert {case.name for case in CASES} >= ENDLESS | QUICK
    assert len(HOSTILE) >= 70
    assert len([case for case in CASES if case.passes and not case.reason]) >= 25

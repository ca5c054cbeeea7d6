"""Tests of counting verdicts by place: a missing place counts as wrong, an open one is reported."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.records import Integrity, Key, Slot, Status, TaskResult, Verdict

PASSED = (Status.PASSED, Integrity.CLEAN)
CLEARED = (Status.PASSED, Integrity.CLEARED)
SUSPECT = (Status.PASSED, Integrity.SUSPECT)
CONFIRMED = (Status.PASSED, Integrity.CONFIRMED)
FAILED = (Status.FAILED, Integrity.CLEAN)
LOST = (Status.NOT_RUN, Integrity.CLEAN)


def verdicts(task: int, requirement: str | None, *ends: tuple[Status, Integrity]) -> list[Verdict]:
    return [
        Verdict(Key(task, sample, requirement), status, integrity=integrity)
        for sample, (status, integrity) in enumerate(ends)
    ]


def counts(results: list[TaskResult]) -> list[tuple[int, int, int]]:
    return [(result.n, result.c, result.open) for result in results]


def test_passes_that_count_are_counted_and_what_may_change_is_open() -> None:
    found = verdicts(1, None, PASSED, CLEARED, SUSPECT, CONFIRMED, FAILED, LOST)
    assert counts(tally([ResultSlot(1, Slot())], found)) == [(6, 2, 2)]


def test_a_missing_place_is_as_many_wrong_samples_as_the_fullest_has() -> None:
    found = verdicts(1, None, PASSED, PASSED, PASSED) + verdicts(2, None, FAILED, PASSED)
    places = [ResultSlot(task, Slot()) for task in (1, 2, 3)]
    assert counts(tally(places, found)) == [(3, 3, 0), (2, 1, 0), (3, 0, 0)]


def test_nothing_at_all_is_one_wrong_sample_each() -> None:
    assert counts(tally([ResultSlot(1, Slot()), ResultSlot(2, Slot())], [])) == [
        (1, 0, 0),
        (1, 0, 0),
    ]


def test_an_optional_place_counts_when_it_is_filled() -> None:
    place = ResultSlot(1, Slot("A", 1, required=False))
    assert tally([place], []) == []
    assert counts(tally([place], verdicts(1, "A", PASSED))) == [(1, 1, 0)]


def test_a_result_says_where_it_belongs() -> None:
    place = ResultSlot(1, Slot("A", 3), category="A", overall=False)
    (result,) = tally([place], verdicts(1, "A", PASSED))
    assert result == TaskResult(1, "pass", 1, 1, category="A", turn=3, overall=False)


def test_places_of_one_task_are_apart() -> None:
    places = [ResultSlot(1, Slot("A")), ResultSlot(1, Slot("B")), ResultSlot(1, Slot())]
    found = verdicts(1, "A", PASSED) + verdicts(1, None, FAILED)
    assert counts(tally(places, found)) == [(1, 1, 0), (1, 0, 0), (1, 0, 0)]


ENDS = st.sampled_from([PASSED, CLEARED, SUSPECT, CONFIRMED, FAILED, LOST])


@given(st.dictionaries(st.tuples(st.integers(0, 3), st.sampled_from([None, "A"])), st.lists(ENDS)))
def test_no_verdict_is_counted_twice_or_lost(
    filled: dict[tuple[int, str | None], list[tuple[Status, Integrity]]],
) -> None:
    places = [ResultSlot(task, Slot(name)) for task in range(4) for name in (None, "A")]
    found = [v for (task, name), ends in filled.items() for v in verdicts(task, name, *ends)]
    results = tally(places, found)
    assert len(results) == len(places)
    assert all(result.c + result.open <= result.n for result in results)
    tallied = Counter(end in (PASSED, CLEARED) for ends in filled.values() for end in ends)
    assert sum(result.c for result in results) == tallied[True]

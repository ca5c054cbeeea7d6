"""The scores of marks, and the texts of the scales."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_nl import FAMILY
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Key, Rating, Task, TaskResult

TASKS = (Task(1, {}, {}), Task(2, {}, {}))
TOPS = {"correctness": 4, "code quality": 3, "maintainability": 5}
results = FAMILY.judged.results


def mark(
    task: int, value: int, rater: str = "ann", sample: int = 0, scale: str = "correctness"
) -> Rating:
    return Rating(Key(task, sample), rater, scale, value)


def correctness(found: list[TaskResult]) -> list[TaskResult]:
    return [one for one in found if one.metric == "correctness"]


def test_a_task_is_worth_the_mean_of_its_marks_from_0_to_1() -> None:
    ratings = [mark(1, 4), mark(1, 3, "bea"), mark(2, 1)]
    found = correctness(results(TASKS, [Key(1, 0), Key(2, 0)], ratings, []))
    assert [one.value for one in found] == [pytest.approx(2.5 / 3), 0.0]


def test_an_outcome_stands_in_the_place_of_the_marks_that_it_settled() -> None:
    ratings, outcome = [mark(1, 4), mark(1, 1, "bea")], mark(1, 4, "third")
    (first, _) = correctness(results(TASKS, [Key(1, 0), Key(2, 0)], ratings, [outcome]))
    assert first.value == 1.0


def test_samples_of_a_task_count_alike_however_many_rated_them() -> None:
    ratings = [mark(1, 4), mark(1, 4, "bea"), mark(1, 1, sample=1)]
    found = correctness(results(TASKS[:1], [Key(1, 0), Key(1, 1)], ratings, []))
    assert found == [TaskResult(1, "correctness", 2, 0, value=0.5)]


def test_what_nobody_rated_is_open_and_what_is_missing_gets_the_lowest_mark() -> None:
    found = correctness(results(TASKS, [Key(1, 0), Key(1, 1)], [], []))
    assert found == [
        TaskResult(1, "correctness", 2, 0, open=2, value=None),
        TaskResult(2, "correctness", 2, 0, value=0.0),
    ]


def test_marks_for_tasks_that_are_left_out_count_nothing() -> None:
    ratings = [mark(1, 4), mark(2, 1)]
    found = correctness(results(TASKS[:1], [Key(1, 0), Key(2, 0)], ratings, []))
    assert [(one.task_id, one.value) for one in found] == [(1, 1.0)]


@given(
    st.lists(st.tuples(st.integers(1, 2), st.integers(0, 2), st.sampled_from("abc")), unique=True)
)
def test_values_are_shares_and_every_scale_is_summarised(
    places: list[tuple[int, int, str]],
) -> None:
    keys = {Key(task, sample) for task, sample, _ in places}
    ratings = [
        mark(task, 1 + (task + sample + ord(rater)) % top, rater, sample, scale)
        for task, sample, rater in places
        for scale, top in TOPS.items()
    ]
    found = results(TASKS, sorted(keys), ratings, [])
    assert len(found) == 6
    assert all(one.value is not None and 0 <= one.value <= 1 for one in found)
    summary = scores(found, TASKS, FAMILY.ks, (), FAMILY.metrics)
    assert {score.metric for score in summary} == TOPS.keys()

"""The scores of verdicts: passes, shares of tests, and the sums of the authors' executor."""

import pytest

from evaluation.engine.families.aixbench_auto import FAMILY, METRICS, results, share
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Integrity, Key, Score, Status, Task, TaskResult, Verdict

TASKS = [Task(id, {}, {}, natural_language=language) for id, language in ((0, "en"), (1, "zh"))]


def verdict(id: int, passed: int | None, total: int | None, sample: int = 0) -> Verdict:
    status = Status.PASSED if passed is not None and passed == total else Status.FAILED
    return Verdict(Key(id, sample), status, tests_passed=passed, tests_total=total)


def value(found: list[TaskResult], metric: str, id: int = 0) -> float | None:
    (one,) = (each for each in found if (each.metric, each.task_id) == (metric, id))
    return one.value


def board(found: list[TaskResult]) -> dict[tuple[str, str], Score]:
    shown = scores(found, TASKS, (1,), FAMILY.slices, METRICS)
    return {(score.metric, score.slice_value): score for score in shown}


def test_sums_and_rates_are_those_of_the_executor() -> None:
    shown = board(results(TASKS, "base", [verdict(0, 3, 4), verdict(1, 2, 2)]))
    overall = {metric: shown[metric, ""].value for metric in ("partial", "exact", "tasks")}
    assert overall == {"partial": 1.75, "exact": 1.0, "tasks": 2.0}
    assert shown["pass@1", ""].value == 0.5
    assert shown["pass_ratio", ""].value == 0.875


def test_a_missing_task_is_a_task_that_failed() -> None:
    shown = board(results(TASKS, "base", [verdict(0, 2, 2)]))
    assert (shown["partial", ""].value, shown["tasks", ""].value) == (1.0, 2.0)
    assert shown["pass_ratio", "zh"].value == 0.0


def test_of_several_samples_the_mean_counts() -> None:
    found = results(TASKS, "base", [verdict(0, 1, 2), verdict(0, 2, 2, 1), verdict(1, 0, 2)])
    assert (value(found, "partial"), value(found, "exact")) == (0.75, 0.5)
    assert (value(found, "partial", 1), value(found, "tasks", 1)) == (0.0, 1.0)


@pytest.mark.parametrize(("passed", "total"), [(None, None), (0, 3), (0, 0), (3, 0), (None, 3)])
def test_without_a_count_nothing_passed(passed: int | None, total: int | None) -> None:
    assert share(verdict(0, passed, total)) == 0.0


def test_an_evaluation_may_count_further_than_it_says() -> None:
    found = results(TASKS, "base", [verdict(0, 7, 4)])
    assert (value(found, "partial"), value(found, "exact")) == (1.75, 0.0)


@pytest.mark.parametrize(
    ("integrity", "expected"),
    [
        (Integrity.CLEAN, 1.0),
        (Integrity.CLEARED, 1.0),
        (Integrity.SUSPECT, 0.0),
        (Integrity.CONFIRMED, 0.0),
    ],
)
def test_what_is_not_believed_counts_for_nothing(integrity: Integrity, expected: float) -> None:
    doubted = Verdict(Key(0, 0), Status.PASSED, integrity=integrity, tests_passed=2, tests_total=2)
    found = results(TASKS, "base", [doubted])
    assert (value(found, "partial"), value(found, "exact")) == (expected, expected)
    still_open = {each.open for each in found if each.task_id == 0 and each.metric != "tasks"}
    assert still_open == {int(integrity is Integrity.SUSPECT)}

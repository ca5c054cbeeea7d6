from collections.abc import Sequence
from random import Random

import pytest

from evaluation.engine.family import Clusters, Metric
from evaluation.engine.metrics.intervals import error_parts
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Score, Task, TaskResult

TASKS = [
    Task(1, {}, {}, natural_language="ru", level="easy"),
    Task(2, {}, {}, natural_language="ru", level="hard"),
    Task(3, {}, {}, natural_language="en", level="hard"),
]
TURNS = [
    TaskResult(1, "pass", 1, 1, category="Edge", turn=1),
    TaskResult(1, "pass", 1, 0, category="Style", turn=10),
    TaskResult(2, "pass", 1, 1, category="Edge", turn=2),
    TaskResult(2, "pass", 1, 1, category="Extra", turn=10, overall=False),
]


def by_slice(found: Sequence[Score], metric: str = "pass@1") -> dict[tuple[str, str], float | None]:
    return {(s.slice, s.slice_value): s.value for s in found if s.metric == metric}


def test_each_k_is_averaged_over_tasks() -> None:
    found = scores([TaskResult(1, "pass", 2, 1), TaskResult(2, "pass", 2, 2)], TASKS, (1, 2), ())
    assert [(s.metric, s.value, s.n, s.tasks) for s in found] == [
        ("pass@1", 0.75, 2, 2),
        ("pass@2", 1.0, 2, 2),
    ]


def test_a_k_beyond_the_fewest_samples_has_no_value_and_says_why() -> None:
    results = [TaskResult(1, "pass", 10, 9), TaskResult(2, "pass", 4, 0)]
    one, five = scores(results, TASKS, (1, 5), ())
    assert one.value == 0.45
    assert (five.value, five.low, five.high, five.bounds) == (None, None, None, None)
    assert "a task has only 4" in five.note


def test_open_samples_turn_the_value_into_bounds() -> None:
    results = [TaskResult(1, "pass", 2, 1, open=1), TaskResult(2, "pass", 2, 1)]
    (score,) = scores(results, TASKS, (1,), ())
    assert (score.value, score.low, score.high) == (None, None, None)
    assert score.bounds == (0.5, 0.75)


def test_slices_without_open_samples_keep_their_value() -> None:
    results = [TaskResult(1, "pass", 1, 0, open=1), TaskResult(3, "pass", 1, 1)]
    values = by_slice(scores(results, TASKS, (1,), ("natural_language",)))
    assert values[("natural_language", "en")] == 1.0
    assert values[("natural_language", "ru")] is None


def test_results_that_are_not_overall_count_in_their_category_and_turn_alone() -> None:
    found = scores(TURNS, TASKS, (1,), ("category", "turn", "level"))
    assert by_slice(found) == {
        ("overall", ""): pytest.approx(2 / 3),
        ("category", "Edge"): 1.0,
        ("category", "Extra"): 1.0,
        ("category", "Style"): 0.0,
        ("turn", "1"): 1.0,
        ("turn", "2"): 1.0,
        ("turn", "10"): 0.5,
        ("level", "easy"): 0.5,
        ("level", "hard"): 1.0,
    }
    assert [s.slice_value for s in found if s.slice == "turn"] == ["1", "2", "10"]
    assert (found[0].slice, found[0].n, found[0].tasks) == ("overall", 3, 2)


def test_other_metrics_are_reported_once_under_their_own_name() -> None:
    results = [TaskResult(1, "strict_ca", 1, 1), TaskResult(1, "pass", 5, 5)]
    found = scores(results, TASKS, (1, 5), ())
    assert [s.metric for s in found] == ["pass@1", "pass@5", "strict_ca@1"]


def test_a_metric_without_overall_results_has_no_overall_value() -> None:
    overall, extra = scores(TURNS[3:], TASKS, (1,), ("category",))
    assert (overall.value, overall.n) == (None, 0)
    assert extra.value == 1.0


def test_the_order_of_the_results_does_not_matter() -> None:
    shuffled = Random(1).sample(TURNS, len(TURNS))
    slices = ("turn", "category", "language")
    assert scores(shuffled, TASKS, (1,), slices) == scores(TURNS, TASKS, (1,), slices)


def test_no_results_are_no_scores() -> None:
    assert scores([], TASKS, (1,), ("level",)) == []


def test_an_unknown_slice_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        scores(TURNS, TASKS, (1,), ("colour",))


def valued(task: int, metric: str, value: float | None) -> TaskResult:
    return TaskResult(task, metric, n=1, c=0, value=value)


def test_a_metric_of_values_is_their_mean_under_its_own_name() -> None:
    results = [valued(1, "ratio", 0.25), valued(2, "ratio", 0.75), valued(3, "ratio", 0.5)]
    (score,) = scores(results, TASKS, (1, 5), (), [Metric("ratio")])
    assert (score.metric, score.value, score.n) == ("ratio", 0.5, 3)
    assert (score.low, score.high) == (None, None)
    assert "6 tasks, and there are 3" in score.note


def test_tasks_of_a_repository_are_one_cluster() -> None:
    tasks = [Task(i, {"repository": f"r{i // 4}"}, {}) for i in range(28)]
    results = [TaskResult(i, "pass", 1, int(i % 8 < 4)) for i in range(28)]
    clusters = Clusters("repository", lambda task: str(task.public["repository"]))
    (alone,) = scores(results, tasks, (1,), ())
    (grouped,) = scores(results, tasks, (1,), (), (), clusters)
    assert alone.value == grouped.value and grouped.low < alone.low
    assert grouped.tasks == 28
    (few,) = scores(results[:20], tasks[:20], (1,), (), (), clusters)
    assert few.note == "No interval: it needs tasks of 6 repositories, and there are 5."


def test_a_conditional_metric_says_on_how_many_turns_it_is_defined() -> None:
    tasks = [Task(i, {}, {}) for i in range(8)]
    results = [TaskResult(i, "IFR", 1, int(i < 3), turn=1, value=0.5 * (i < 3)) for i in range(8)]
    (score,) = scores(results, tasks, (1,), (), [Metric("IFR", conditional=True)])
    assert (score.defined, score.n, score.note) == (3, 8, "")
    (few,) = scores(results[:4], tasks, (1,), (), [Metric("IFR", conditional=True)])
    assert (few.defined, few.low) == (3, None)


def test_several_samples_tell_the_tasks_from_the_runs() -> None:
    tasks = [Task(i, {}, {}) for i in range(60)]
    alike = [TaskResult(i, "pass", 10, 5) for i in range(60)]
    apart = [TaskResult(i, "pass", 10, 10 * (i % 2)) for i in range(60)]
    (same,), (either,) = (scores(part, tasks, (1,), ()) for part in (alike, apart))
    # The variance of a mean of 60 tasks with 10 samples each: 0.5 * 0.5 / 9 / 60.
    assert same.errors == pytest.approx((0.0, (0.25 / 9 / 60) ** 0.5))
    assert either.errors == pytest.approx(((0.25 / 59) ** 0.5, 0.0))
    some = [*alike[:30], *apart[30:]]
    (found,) = scores(some, tasks, (1,), ())
    assert found.errors[1] == pytest.approx((30 * 0.25 / 9) ** 0.5 / 60)
    assert sum(part**2 for part in found.errors) == pytest.approx(0.25 / 59 / 2)


def test_results_that_never_vary_have_no_parts_of_an_error() -> None:
    tasks = [Task(i, {}, {}) for i in range(60)]
    (found,) = scores([TaskResult(i, "pass", 10, 10) for i in range(60)], tasks, (1,), ())
    assert found.errors is None


@pytest.mark.parametrize(
    ("sizes", "shown"), [([1] * 50, True), ([1] * 49, False), ([1] * 49 + [20], False)]
)
def test_few_or_uneven_clusters_do_not_tell_the_tasks_from_the_runs(
    sizes: list[int], shown: bool
) -> None:
    groups = [[(n % 2 * 1.0, 0.1)] * size for n, size in enumerate(sizes)]
    assert (error_parts(groups) is not None) is shown


def test_one_sample_and_turns_do_not_tell_the_tasks_from_the_runs() -> None:
    tasks = [Task(i, {}, {}) for i in range(60)]
    single = [TaskResult(i, "pass", 1, i % 2) for i in range(60)]
    turns = [TaskResult(i, "pass", 10, i % 10, turn=1) for i in range(60)]
    assert [scores(part, tasks, (1,), ())[0].errors for part in (single, turns)] == [None, None]


def test_a_summed_metric_counts_over_tasks_and_has_no_interval() -> None:
    results = [valued(task, "number", 1.0) for task in (1, 2, 3)]
    found = scores(results, TASKS, (1,), ("level",), [Metric("number", summed=True)])
    assert by_slice(found, "number") == {
        ("overall", ""): 3.0,
        ("level", "easy"): 1.0,
        ("level", "hard"): 2.0,
    }
    assert {(s.low, s.high) for s in found} == {(None, None)}


def test_what_has_no_value_is_left_out_of_a_mean_and_none_at_all_is_undefined() -> None:
    results = [valued(1, "ratio", 1.0), valued(2, "ratio", None), valued(3, "ratio", 0.5)]
    (score,) = scores(results, TASKS, (1,), (), [Metric("ratio")])
    assert (score.value, score.n, score.tasks) == (0.75, 2, 2)
    (score,) = scores(results[1:2], TASKS, (1,), (), [Metric("ratio")])
    assert score.value is None and score.note

"""The results of recall, from verdicts."""

from itertools import combinations
from random import Random
from statistics import fmean

import pytest

from evaluation.engine import instructions
from evaluation.engine.families.codeif_repository import FAMILY
from evaluation.engine.metrics.passk import expected_largest, pass_at_k
from evaluation.engine.metrics.summary import scores
from evaluation.engine.projects import recall
from evaluation.engine.records import Key, Score, Status, Task, TaskResult, Verdict
from tests.evaluation.engine.families.codeif_repository.cases import sample

TASKS = [task for task in sample() if recall.names_of(task)]
BY_ID = {str(task.id): task for task in sample()}
PAY, FEE = BY_ID["harbour.fees.Account.pay"], BY_ID["harbour.fees.berth_fee"]
WITHOUT = BY_ID["harbour.tides.metres"]


@pytest.mark.parametrize("seed", range(20))
def test_the_expected_largest_is_the_mean_over_all_draws(seed: int) -> None:
    draw = Random(seed)
    values = [draw.choice([0.0, 0.25, 0.5, draw.random(), 1.0]) for _ in range(draw.randint(1, 8))]
    for k in range(1, len(values) + 1):
        expected = fmean(max(drawn) for drawn in combinations(values, k))
        assert expected_largest(values, k) == pytest.approx(expected)
    assert expected_largest(values, 1) == pytest.approx(fmean(values))
    assert expected_largest(values, len(values)) == pytest.approx(max(values))
    assert expected_largest(values, len(values) + 1) is None
    passes = [float(value > 0.5) for value in values]
    for k in range(1, len(values) + 1):
        right = pass_at_k(len(passes), int(sum(passes)), k)
        assert expected_largest(passes, k) == pytest.approx(right)


def test_of_no_values_there_is_no_largest() -> None:
    with pytest.raises(ValueError, match="no largest of 0"):
        expected_largest([1.0], 0)


def verdict(
    task: Task, used: int | None, sample: int = 0, requirement: str | None = None
) -> Verdict:
    """A verdict on code that uses the first names of each kind, `used` at most in all."""
    status = Status.FAILED if used is not None else Status.NOT_RUN
    left, counts = used or 0, {}
    for kind, names in recall.names_of(task).items():
        if kind != recall.ALL:
            counts[kind] = (min(left, len(names)), len(names))
            left -= counts[kind][0]
    counts[recall.ALL] = (used or 0, len(recall.names_of(task)[recall.ALL]))
    turn = 0 if requirement is None else None
    key = Key(task.id, sample, requirement, turn)
    return Verdict(key, status, dependencies=counts if used is not None else None)


def results(tasks: list[Task], setting: str, *verdicts: Verdict) -> list[TaskResult]:
    return recall.results(tasks, instructions.places(tasks, setting), verdicts)


def computed(tasks: list[Task], *verdicts: Verdict) -> dict[tuple[str, str], Score]:
    contributions = results(tasks, "base", *verdicts)
    found = scores(contributions, tasks, FAMILY.ks, ("level",), FAMILY.metrics, FAMILY.clusters)
    return {(score.metric, score.slice_value): score for score in found}


def test_recall_is_a_mean_over_tasks_in_all_by_kind_and_by_level() -> None:
    found = computed([PAY, FEE, WITHOUT], verdict(PAY, 1), verdict(FEE, 3))
    assert found["recall@1", ""].value == pytest.approx((1 / 2 + 1) / 2)
    assert found["recall@1", ""].tasks == 2
    assert found["recall intra_class@1", ""].value == 0.5
    assert found["recall intra_file@1", ""].value == 1.0
    assert ("recall cross_file@1", "") not in found
    assert found["recall@1", str(PAY.level)].value is not None


def test_of_several_samples_the_expected_largest_counts() -> None:
    samples = [verdict(PAY, used, at) for at, used in enumerate((0, 0, 1, 1, 2))]
    found = computed([PAY], *samples)
    assert found["recall@1", ""].value == pytest.approx(0.4)
    assert found["recall@5", ""].value == 1.0
    assert ("recall@10", "") not in found


def test_a_missing_generation_has_recall_0_in_every_sample() -> None:
    found = computed([PAY, FEE], *(verdict(PAY, 2, at) for at in range(5)))
    assert found["recall@1", ""].value == 0.5
    assert found["recall@5", ""].value == 0.5


def test_a_task_with_fewer_samples_leaves_out_the_larger_k() -> None:
    found = computed([PAY, FEE], *(verdict(PAY, 2, at) for at in range(5)), verdict(FEE, 3))
    assert ("recall@5", "") not in found


def test_what_was_not_run_is_open() -> None:
    several = [verdict(PAY, 2), verdict(PAY, None, 1)]
    found = computed([PAY], *several)
    assert found["recall@1", ""].value is None
    assert found["recall@1", ""].bounds == (0.5, 1.0)


def test_in_conversations_the_base_turn_does_not_count_overall() -> None:
    (name, *_) = PAY.public["turns"]
    found = results([PAY], "multi_turn", verdict(PAY, 0), verdict(PAY, 2, requirement=name))
    overall = [each for each in found if each.overall and each.metric == "recall@1"]
    assert {each.category for each in overall} == {
        each for each in PAY.public["turns"] if each != instructions.EXTENSION
    }
    assert [
        each.value for each in found if each.category is None and each.metric == "recall@1"
    ] == [0.0]


@pytest.mark.parametrize(
    ("task_id", "path", "folder"),
    [
        ("pyramid.registry.Introspector.remove", "src/pyramid/registry.py", "src"),
        ("falcon.http_error.HTTPError.to_json", "falcon/http_error.py", ""),
        ("sqlitedict.SqliteDict.commit", "sqlitedict.py", ""),
        ("wikipediaapi.WikipediaPage.title", "wikipediaapi/__init__.py", ""),
        ("elsewhere.f", "lib/here.py", ""),
    ],
)
def test_modules_are_named_from_the_root_of_the_sources(
    task_id: str, path: str, folder: str
) -> None:
    assert recall.sources(task_id, path) == folder

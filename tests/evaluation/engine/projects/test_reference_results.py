import pytest

from evaluation.engine.metrics.summary import scores
from evaluation.engine.metrics.tally import passes
from evaluation.engine.projects.bodies import METRICS, reference_results
from evaluation.engine.records import (
    Integrity,
    Key,
    Reference,
    Status,
    Task,
    TaskId,
    TaskResult,
    Verdict,
)

STUBS = ("stub_pass",)
TASKS = [
    Task(1, {}, {}, domain="a/b", category="function"),
    Task(2, {}, {}, domain="a/b", category="class"),
]


def references(**statuses: Status) -> dict[str, Reference]:
    return {name: Reference(name, status) for name, status in statuses.items()}


def of_one(**statuses: Status) -> dict[str, TaskResult]:
    found = reference_results(STUBS, TASKS[:1], {1: references(**statuses)})
    return {result.metric: result for result in found}


def test_a_generation_counts_in_its_task_s_category() -> None:
    suspect = Verdict(Key(1, 2), Status.PASSED, integrity=Integrity.SUSPECT)
    verdicts = [Verdict(Key(1, 0), Status.PASSED), Verdict(Key(1, 1), Status.FAILED), suspect]
    assert passes(TASKS, "base", verdicts) == [
        TaskResult(1, "pass", 3, 1, open=1, category="function"),
        TaskResult(2, "pass", 3, 0, category="class"),
    ]


def test_each_reference_passes_or_does_not() -> None:
    found = of_one(oracle=Status.PASSED, stub_pass=Status.FAILED, dry_run=Status.PASSED)
    passes = {name: one.c for name, one in found.items() if name.startswith("pass_")}
    assert passes == {"pass_oracle": 1, "pass_stub_pass": 0, "pass_dry_run": 1}
    assert {one.n for one in found.values()} == {1}


def test_a_reference_that_was_not_run_did_not_pass_and_a_lost_one_is_open() -> None:
    assert of_one(oracle=Status.NOT_RUN)["pass_oracle"].open == 1
    assert of_one(dry_run=Status.FAILED)["pass_oracle"] == TaskResult(
        1, "pass_oracle", 1, 0, category="function"
    )


@pytest.mark.parametrize(
    ("status", "success"),
    [(Status.PASSED, 1.0), (Status.TIMEOUT, 1.0), (Status.RUNTIME_ERROR, 0.0), (None, 0.0)],
)
def test_a_project_that_ran_to_its_end_or_its_time_is_an_execution(
    status: Status | None, success: float
) -> None:
    found = of_one(dry_run=status) if status else of_one()
    assert found["execution_success"].value == success


def test_a_dry_run_that_the_machinery_lost_bounds_the_share_that_ran() -> None:
    four = [Task(number, {}, {}) for number in range(4)]
    statuses = (Status.NOT_RUN, Status.PASSED, Status.PASSED, Status.TIMEOUT)
    known = {
        task.id: references(dry_run=status) for task, status in zip(four, statuses, strict=True)
    }
    results = reference_results(STUBS, four, known)
    found = {s.metric: s for s in scores(results, four, (1,), (), METRICS)}
    ran = found["execution_success"]
    assert (ran.value, ran.bounds, ran.n) == (None, (0.75, 1.0), 4)


def test_scores_are_named_as_the_benchmark_names_them() -> None:
    there: dict[TaskId, dict[str, Reference]] = {
        1: references(oracle=Status.PASSED, dry_run=Status.PASSED)
    }
    found = reference_results(STUBS, TASKS, there)
    shown = scores(found, TASKS, (1,), ("domain", "category"), METRICS)
    assert {score.metric: score.value for score in shown if score.slice == "overall"} == {
        "pass_oracle@1": 0.5,
        "pass_stub_pass@1": 0.0,
        "pass_dry_run@1": 0.5,
        "execution_success": 0.5,
        "num_samples": 2.0,
    }
    classes = [score for score in shown if score.slice_value == "class"]
    assert {score.metric: score.value for score in classes}["num_samples"] == 1.0

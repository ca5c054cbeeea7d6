from evaluation.engine.families.rucodeeval import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.records import Integrity, Key, Slot, Status, Task, TaskResult, Verdict

TASKS = [Task(1, {}, {}), Task(2, {}, {})]


def verdicts(task_id: int, *statuses: Status) -> list[Verdict]:
    return [Verdict(Key(task_id, n), status) for n, status in enumerate(statuses)]


def test_a_task_has_one_place_for_generations() -> None:
    assert list(FAMILY.slots(TASKS[0], "base")) == [Slot()]


def test_samples_and_passes_are_counted_by_task() -> None:
    found = verdicts(1, Status.PASSED, Status.FAILED) + verdicts(2, Status.TIMEOUT, Status.FAILED)
    assert FAMILY.results(TASKS, "base", found) == [
        TaskResult(1, "pass", 2, 1),
        TaskResult(2, "pass", 2, 0),
    ]


def test_lost_and_suspect_generations_are_open() -> None:
    suspect = Verdict(Key(1, 1), Status.PASSED, integrity=Integrity.SUSPECT)
    found = [*verdicts(1, Status.NOT_RUN), suspect, *verdicts(2, Status.PASSED)]
    assert FAMILY.results(TASKS, "base", found)[0] == TaskResult(1, "pass", 2, 0, open=2)


def test_a_missing_task_counts_as_many_wrong_samples_as_the_others_have() -> None:
    found = verdicts(1, Status.PASSED, Status.PASSED, Status.PASSED)
    assert FAMILY.results(TASKS, "base", found)[1] == TaskResult(2, "pass", 3, 0)


def test_without_any_generation_every_task_is_wrong_once() -> None:
    assert FAMILY.results(TASKS, "base", []) == [
        TaskResult(1, "pass", 1, 0),
        TaskResult(2, "pass", 1, 0),
    ]


def test_one_canary_passes_and_one_fails() -> None:
    assert isinstance(FAMILY.judged, ByExecution)
    assert [canary.passes for canary in FAMILY.judged.canaries] == [True, False]

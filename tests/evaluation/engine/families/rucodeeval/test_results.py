from evaluation.engine.families.rucodeeval import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.records import Slot, Task

TASKS = [Task(1, {}, {}), Task(2, {}, {})]


def test_a_task_has_one_place_for_generations() -> None:
    assert list(FAMILY.slots(TASKS[0], "base")) == [Slot()]


def test_one_canary_passes_and_one_fails() -> None:
    assert isinstance(FAMILY.judged, ByExecution)
    assert [canary.passes for canary in FAMILY.judged.canaries] == [True, False]

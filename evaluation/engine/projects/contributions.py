"""The task results inside projects, of generations and of references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.engine.family import Metric
from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.projects.suite import DRY_RUN, ORACLE
from evaluation.engine.records import Reference, Slot, Status, Task, TaskId, TaskResult, Verdict

EXECUTION_SUCCESS = Metric("execution_success")
NUM_SAMPLES = Metric("num_samples", summed=True)
METRICS = (EXECUTION_SUCCESS, NUM_SAMPLES)
# Statuses of a run that completed or reached its time limit.
_RAN = (Status.PASSED, Status.FAILED, Status.TIMEOUT)


def slots(_task: Task, _setting: str) -> Sequence[Slot]:
    return (Slot(),)


def results(tasks: Sequence[Task], _setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """A task without generations counts as failed in every sample."""
    return tally([ResultSlot(task.id, Slot(), task.category) for task in tasks], verdicts)


def reference_results(
    stubs: Sequence[str],
    tasks: Sequence[Task],
    references: Mapping[TaskId, Mapping[str, Reference]],
) -> list[TaskResult]:
    """`pass_<name>` of each reference, `execution_success`, and 1 for `num_samples`.

    A missing reference counts as failed: an earlier reference made it pointless.
    """
    found: list[TaskResult] = []
    for task in tasks:
        known = references.get(task.id, {})
        found += [_passed(task, name, known.get(name)) for name in (ORACLE, *stubs, DRY_RUN)]
        found.append(_ran(task, known.get(DRY_RUN)))
        found.append(_value(task, NUM_SAMPLES, 1.0))
    return found


def _passed(task: Task, name: str, reference: Reference | None) -> TaskResult:
    status = reference.status if reference else None
    return TaskResult(
        task.id,
        f"pass_{name}",
        n=1,
        c=int(status is Status.PASSED),
        open=int(status is Status.NOT_RUN),
        category=task.category,
    )


def _ran(task: Task, dry_run: Reference | None) -> TaskResult:
    status = dry_run.status if dry_run else None
    ran = _value(task, EXECUTION_SUCCESS, float(status in _RAN))
    return replace(ran, open=int(status is Status.NOT_RUN))


def _value(task: Task, metric: Metric, value: float) -> TaskResult:
    return TaskResult(task.id, metric.name, n=1, c=0, category=task.category, value=value)

"""The task results of references inside projects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.engine.family import Metric
from evaluation.engine.projects.suite import DRY_RUN, ORACLE
from evaluation.engine.records import Reference, Status, Task, TaskId, TaskResult

EXECUTION_SUCCESS = Metric("execution_success")
NUM_SAMPLES = Metric("num_samples", summed=True)
METRICS = (EXECUTION_SUCCESS, NUM_SAMPLES)
# Statuses of a run that completed or reached its time limit.
_RAN = (Status.PASSED, Status.FAILED, Status.TIMEOUT)


def reference_results(
    stubs: Sequence[str],
    tasks: Sequence[Task],
    references: Mapping[TaskId, Mapping[str, Reference]],
) -> list[TaskResult]:
    """`pass_<name>` of each reference, `execution_success`, and 1 for `num_samples`.

    A missing reference counts as failed: an earlier reference made it pointless.
    """
    results: list[TaskResult] = []
    for task in tasks:
        statuses = {name: each.status for name, each in references.get(task.id, {}).items()}
        base = TaskResult(task.id, "", n=1, c=0, category=task.category)
        for name in (ORACLE, *stubs, DRY_RUN):
            passed, lost = (int(statuses.get(name) is s) for s in (Status.PASSED, Status.NOT_RUN))
            results.append(replace(base, metric=f"pass_{name}", c=passed, open=lost))
        ran, lost = statuses.get(DRY_RUN) in _RAN, statuses.get(DRY_RUN) is Status.NOT_RUN
        results += [
            replace(base, metric=EXECUTION_SUCCESS.name, value=float(ran), open=int(lost)),
            replace(base, metric=NUM_SAMPLES.name, value=1.0),
        ]
    return results

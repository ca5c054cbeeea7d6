"""The slots of generations, and the contribution of their verdicts to the metrics.

The sums are those of the authors' executor (README.md, "Metrics").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from evaluation.engine.family import Metric
from evaluation.engine.metrics.tally import ResultSlot, by_sample, tally
from evaluation.engine.records import (
    Integrity,
    Slot,
    Task,
    TaskId,
    TaskResult,
    Verdict,
)
from evaluation.engine.texts import gettext_noop as _

PASS_RATIO = Metric("pass_ratio", of_tests=True, words=_("share of tests passed"))
PARTIAL = Metric("partial", summed=True, of_tests=True, words=_("sum of shares of tests"))
EXACT = Metric("exact", summed=True, words=_("tasks with all tests passed"))
TASKS = Metric("tasks", summed=True, words=_("tasks"))
METRICS = (PASS_RATIO, PARTIAL, EXACT, TASKS)
SLICES = ("natural_language",)


def slots(_task: Task, _setting: str) -> Sequence[Slot]:
    return (Slot(),)


def results(tasks: Sequence[Task], _setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """Values are means over samples. A task without generations is wrong in every sample."""
    by_task: dict[TaskId, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_task[verdict.key.task_id].append(verdict)
    passes = tally([ResultSlot(task.id, Slot()) for task in tasks], verdicts)
    found = list(passes)
    for result in passes:
        own = by_task.get(result.task_id, [])
        shares, exact = by_sample(own, share), result.samples
        found += [
            _value(result, PASS_RATIO, shares),
            _value(result, PARTIAL, shares),
            _value(result, EXACT, exact),
            _value(result, TASKS, (1.0,) * result.n),
        ]
    return found


def share(verdict: Verdict) -> float:
    """passed / total, or 0 if nothing was counted. May exceed 1, as in the authors' executor: one
    of their evaluations counts up to 7 and reports a total of 4. Suspect and confirmed verdicts
    count as 0."""
    if verdict.integrity in (Integrity.SUSPECT, Integrity.CONFIRMED) or not verdict.tests_total:
        return 0.0
    return (verdict.tests_passed or 0) / verdict.tests_total


def _value(result: TaskResult, metric: Metric, samples: Sequence[float | None]) -> TaskResult:
    samples = tuple(samples) or (0.0,) * result.n
    still_open = samples.count(None)
    value = fmean(one or 0.0 for one in samples)
    return TaskResult(
        result.task_id, metric.name, result.n, 0, open=still_open, value=value, samples=samples
    )

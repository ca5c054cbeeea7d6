"""The contribution of verdicts to the metrics.

The sums are those of the authors' executor (README.md, "Metrics").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from evaluation.engine.family import Metric
from evaluation.engine.metrics.tally import by_sample, passes
from evaluation.engine.records import Integrity, Task, TaskId, TaskResult, Verdict
from evaluation.engine.texts import gettext_noop as _

PASS_RATIO = Metric("pass_ratio", of_tests=True, words=_("share of tests passed"))
PARTIAL = Metric("partial", summed=True, of_tests=True, words=_("sum of shares of tests"))
EXACT = Metric("exact", summed=True, words=_("tasks with all tests passed"))
TASKS = Metric("tasks", summed=True, words=_("tasks"))
METRICS = (PASS_RATIO, PARTIAL, EXACT, TASKS)
SLICES = ("natural_language",)


def results(tasks: Sequence[Task], setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """Values are means over samples. A task without generations is wrong in every sample."""
    by_task: dict[TaskId, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_task[verdict.key.task_id].append(verdict)
    passed = passes(tasks, setting, verdicts)
    scored = list(passed)
    for result in passed:
        shares = by_sample(by_task[result.task_id], share) or (0.0,) * result.n
        values: dict[Metric, tuple[float | None, ...]] = {
            PASS_RATIO: shares,
            PARTIAL: shares,
            EXACT: result.samples or (0.0,) * result.n,
            TASKS: (1.0,) * result.n,
        }
        scored += [
            replace(
                result,
                metric=metric.name,
                c=0,
                open=samples.count(None),
                value=fmean(value or 0.0 for value in samples),
                samples=samples,
            )
            for metric, samples in values.items()
        ]
    return scored


def share(verdict: Verdict) -> float:
    """passed / total, or 0 if nothing was counted. May exceed 1, as in the authors' executor: one
    of their evaluations counts up to 7 and reports a total of 4. Suspect and confirmed verdicts
    count as 0."""
    if verdict.integrity in (Integrity.SUSPECT, Integrity.CONFIRMED) or not verdict.tests_total:
        return 0.0
    return (verdict.tests_passed or 0) / verdict.tests_total

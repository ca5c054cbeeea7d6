"""Computes the scores of a run, overall and by slice, from each task's results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from evaluation.engine.family import Clusters, Metric
from evaluation.engine.metrics import intervals, texts
from evaluation.engine.metrics.conversations import in_pairs
from evaluation.engine.metrics.passk import pass_at_k, run_variance
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.records import Score, Task, TaskId, TaskResult
from evaluation.engine.texts import Text

_Unit = TypeVar("_Unit")
# All slices. A board's row shows the first one that fits.
SLICES = ("category", "level", "domain", "turn", "language", "natural_language")
_OF_RESULT = ("category", "turn")


def scores(
    results: Sequence[TaskResult],
    tasks: Sequence[Task],
    ks: Sequence[int],
    slices: Sequence[str],
    metrics: Sequence[Metric] = (),
    clusters: Clusters | None = None,
) -> list[Score]:
    """Returns every metric overall and then by slice, in an order independent of the input's.
    Reports "pass" as pass@k for each of `ks`, and a metric m not in `metrics` as m@1. Slices by a
    task's attributes hold only overall results. A score with fewer than k samples has a note
    instead of a value, and one with too few clusters has a note instead of an interval. Raises
    ValueError for an unknown slice and KeyError for a result without a task."""
    by_id = {task.id: task for task in tasks}
    parts = [("overall", "", [r for r in results if r.overall])]
    for name in slices:
        if name not in SLICES:
            raise ValueError(f"there is no slice by {name}")
        by_value: dict[str | int, list[TaskResult]] = {}
        for result in results:
            value: str | int | None = None
            if name in _OF_RESULT:
                value = getattr(result, name)
            elif result.overall:
                value = getattr(by_id[result.task_id], name)
            if value is not None:
                by_value.setdefault(value, []).append(result)
        # Turns are in the order of numbers.
        order = sorted(by_value, key=lambda value: (isinstance(value, str), value))
        parts += [(name, str(value), by_value[value]) for value in order]
    named = {metric.name: metric for metric in metrics}
    grouping = _Grouping.of(tasks, clusters)
    computed = []
    for metric in sorted({result.metric for result in results}):
        counted = [(Metric(f"{metric}@{k}"), k) for k in (ks if metric == PASS else (1,))]
        for shown, at in [(named[metric], 0)] if metric in named else counted:
            for name, text, part in parts:
                units = [result for result in part if result.metric == metric]
                if units or name == "overall":
                    computed.append(_score(units, shown, at, name, text, grouping))
    return computed


@dataclass(frozen=True, slots=True)
class _Grouping:
    """The cluster of each task, and the reason to give if there are too few."""

    clusters: Mapping[TaskId, TaskId]
    few: Text

    @classmethod
    def of(cls, tasks: Sequence[Task], clusters: Clusters | None) -> "_Grouping":
        if clusters is None:
            return cls({task.id: task.id for task in tasks}, texts.FEW_TASKS)
        few = {"repository": texts.FEW_REPOSITORIES, "project": texts.FEW_PROJECTS}
        return cls({task.id: clusters.of(task) for task in tasks}, few[clusters.noun])

    def groups(self, units: Iterable[tuple[TaskId, _Unit]]) -> list[list[_Unit]]:
        groups: dict[TaskId, list[_Unit]] = {}
        for task, unit in units:
            groups.setdefault(self.clusters[task], []).append(unit)
        return list(groups.values())

    def reason(self, interval: intervals.Interval, metric: Metric) -> str:
        if interval.low is not None or metric.summed:
            return ""
        if interval.clusters >= intervals.FEWEST:
            return texts.RARE_TURNS(fewest=intervals.FEWEST)
        return self.few(fewest=intervals.FEWEST, number=interval.clusters)


def _score(
    part: Sequence[TaskResult],
    shown: Metric,
    k: int,
    slice_name: str,
    slice_value: str,
    grouping: _Grouping,
) -> Score:
    """`k` is that of pass@k; 0 for a metric with values."""
    part = part if k else [result for result in part if result.value is not None]
    tasks = len({result.task_id for result in part})
    nothing = Score(
        shown.name, None, None, None, len(part), tasks, slice_name, slice_value, better=shown.better
    )
    if not part:
        return replace(nothing, note=texts.NOTHING_COUNTS())
    smallest = min(result.n for result in part)
    if smallest < k:
        return replace(nothing, note=texts.FEW_SAMPLES(number=k, fewest=smallest))
    least = _mean(part, shown, k, grouping, open_value=0)
    unsettled = sum(result.open for result in part)
    if not unsettled:
        return replace(
            nothing,
            value=least.value,
            low=least.low,
            high=least.high,
            note=grouping.reason(least, shown),
            errors=_errors(part, k, grouping) if k else None,
            defined=sum(r.c > 0 for r in part) if shown.conditional else None,
        )
    most = _mean(part, shown, k, grouping, open_value=1)
    assert least.value is not None and most.value is not None  # the part is not empty
    bounds = (least.value, most.value)
    return replace(nothing, bounds=bounds, note=texts.UNSETTLED(number=unsettled))


def _errors(part: Sequence[TaskResult], k: int, grouping: _Grouping) -> intervals.ErrorParts | None:
    """None for turns, because the turns of one conversation are not independent."""
    units = []
    for result in part:
        noise = run_variance(result.n, result.c, k)
        if noise is None or result.turn is not None:
            return None
        units.append((result.task_id, (_passes(result, k, 0), noise)))
    return intervals.error_parts(grouping.groups(units))


def _mean(
    part: Sequence[TaskResult], shown: Metric, k: int, grouping: _Grouping, *, open_value: int
) -> intervals.Interval:
    """Open samples count as `open_value`."""
    if k:
        passes = ((r.task_id, _passes(r, k, open_value)) for r in part)
        return intervals.mean_interval(grouping.groups(passes))
    filled = [
        replace(result, value=(result.value or 0.0) + open_value * result.open / result.n)
        for result in part
    ]
    if shown.paired:
        return intervals.places_interval(grouping.groups(in_pairs(filled).items()))
    groups = grouping.groups((result.task_id, result.value or 0.0) for result in filled)
    if shown.summed:
        return intervals.Interval(sum(map(sum, groups)), None, None, len(part), len(groups))
    return intervals.mean_interval(groups)


def _passes(result: TaskResult, k: int, open_value: int) -> float:
    passes = pass_at_k(result.n, result.c + open_value * result.open, k)
    assert passes is not None  # the caller has checked every n
    return passes

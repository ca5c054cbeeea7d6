"""Computes the scores of a run, overall and by slice, from each task's results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from evaluation.engine.family import Clusters, Metric
from evaluation.engine.metrics import texts, turn_pairs
from evaluation.engine.metrics.intervals import (
    FEWEST,
    Interval,
    error_parts,
    mean_interval,
    places_interval,
)
from evaluation.engine.metrics.passk import pass_at_k, run_variance
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.records import Score, Task, TaskId, TaskResult
from evaluation.engine.texts import Text

_Unit = TypeVar("_Unit")
# All slices. A board's row shows the first one that fits.
SLICES = ("category", "level", "domain", "turn", "language", "natural_language")
_OF_RESULT: Mapping[str, Callable[[TaskResult], str | int | None]] = {
    "category": lambda result: result.category,
    "turn": lambda result: result.turn,
}
_OF_TASK: Mapping[str, Callable[[Task], str | None]] = {
    "language": lambda task: task.language,
    "natural_language": lambda task: task.natural_language,
    "level": lambda task: task.level,
    "domain": lambda task: task.domain,
}


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
    ValueError for an unknown slice and KeyError for a result without a task.
    """
    by_id = {task.id: task for task in tasks}
    parts = [("overall", "", [r for r in results if r.overall])]
    for name in slices:
        parts += [(name, value, part) for value, part in _sliced(results, by_id, name)]
    own = {metric.name: metric for metric in metrics}
    grouping = _Grouping.of(tasks, clusters)
    return [
        _score([r for r in part if r.metric == metric], shown, name, value, grouping)
        for metric in sorted({result.metric for result in results})
        for shown in _shown(metric, own, ks)
        for name, value, part in parts
        if name == "overall" or any(r.metric == metric for r in part)
    ]


@dataclass(frozen=True, slots=True)
class _Grouping:
    """The cluster of each task, and the reason to give if there are too few."""

    clusters: Mapping[TaskId, TaskId]
    few: Text

    @classmethod
    def of(cls, tasks: Sequence[Task], clusters: Clusters | None) -> _Grouping:
        if clusters is None:
            return cls({task.id: task.id for task in tasks}, texts.FEW_TASKS)
        few = {"repository": texts.FEW_REPOSITORIES, "project": texts.FEW_PROJECTS}
        return cls({task.id: clusters.of(task) for task in tasks}, few[clusters.noun])

    def groups(self, units: Iterable[tuple[TaskId, _Unit]]) -> list[list[_Unit]]:
        found: dict[TaskId, list[_Unit]] = {}
        for task, unit in units:
            found.setdefault(self.clusters[task], []).append(unit)
        return list(found.values())

    def reason(self, interval: Interval, metric: Metric | _At) -> str:
        if interval.low is not None or (isinstance(metric, Metric) and metric.summed):
            return ""
        if interval.clusters >= FEWEST:
            return texts.RARE_TURNS(fewest=FEWEST)
        return self.few(fewest=FEWEST, number=interval.clusters)


@dataclass(frozen=True, slots=True)
class _At:
    metric: str
    k: int
    better: Literal["higher"] = "higher"

    @property
    def name(self) -> str:
        return f"{self.metric}@{self.k}"


def _shown(
    metric: str, own: Mapping[str, Metric], ks: Sequence[int]
) -> Sequence[Metric] | Sequence[_At]:
    if metric in own:
        return [own[metric]]
    return [_At(metric, k) for k in (ks if metric == PASS else (1,))]


def _sliced(
    results: Iterable[TaskResult], tasks: Mapping[TaskId, Task], name: str
) -> list[tuple[str, list[TaskResult]]]:
    parts: dict[str | int, list[TaskResult]] = {}
    for result in results:
        value = _slice_value(result, tasks, name)
        if value is not None:
            parts.setdefault(value, []).append(result)
    return [(str(value), parts[value]) for value in sorted(parts, key=_numbers_in_order)]


def _slice_value(result: TaskResult, tasks: Mapping[TaskId, Task], name: str) -> str | int | None:
    if name in _OF_RESULT:
        return _OF_RESULT[name](result)
    if name not in _OF_TASK:
        raise ValueError(f"there is no slice by {name}")
    return _OF_TASK[name](tasks[result.task_id]) if result.overall else None


def _numbers_in_order(value: str | int) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (0, value)


def _score(
    part: Sequence[TaskResult],
    shown: Metric | _At,
    slice_name: str,
    slice_value: str,
    grouping: _Grouping,
) -> Score:
    k = 0 if isinstance(shown, Metric) else shown.k
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
    least = _mean(part, shown, grouping, open_value=0)
    unsettled = sum(result.open for result in part)
    if not unsettled:
        return replace(
            nothing,
            value=least.value,
            low=least.low,
            high=least.high,
            note=grouping.reason(least, shown),
            errors=_errors(part, shown, grouping),
            defined=_defined(part, shown),
        )
    most = _mean(part, shown, grouping, open_value=1)
    assert least.value is not None and most.value is not None  # the part is not empty
    bounds = (least.value, most.value)
    return replace(nothing, bounds=bounds, note=texts.UNSETTLED(number=unsettled))


def _defined(part: Sequence[TaskResult], shown: Metric | _At) -> int | None:
    if isinstance(shown, _At) or not shown.conditional:
        return None
    return sum(result.c > 0 for result in part)


def _errors(
    part: Sequence[TaskResult], shown: Metric | _At, grouping: _Grouping
) -> tuple[float, float] | None:
    """None for turns, because the turns of one conversation are not independent."""
    if isinstance(shown, Metric):
        return None
    units = []
    for result in part:
        noise = run_variance(result.n, result.c, shown.k)
        if noise is None or result.turn is not None:
            return None
        units.append((result.task_id, (_passes(result, shown.k, 0), noise)))
    found = error_parts(grouping.groups(units))
    return (found.tasks, found.runs) if found else None


def _mean(
    part: Sequence[TaskResult], shown: Metric | _At, grouping: _Grouping, *, open_value: int
) -> Interval:
    """Open samples count as `open_value`."""
    if not isinstance(shown, Metric):
        passes = ((r.task_id, _passes(r, shown.k, open_value)) for r in part)
        return mean_interval(grouping.groups(passes))
    filled = [replace(result, value=_value(result, open_value)) for result in part]
    if shown.paired:
        return places_interval(grouping.groups(turn_pairs.in_pairs(filled).items()))
    groups = grouping.groups((result.task_id, result.value or 0.0) for result in filled)
    if shown.summed:
        return Interval(sum(map(sum, groups)), None, None, len(part), len(groups))
    return mean_interval(groups)


def _value(result: TaskResult, open_value: int) -> float:
    settled = result.value or 0.0
    return settled + open_value * result.open / result.n if result.open else settled


def _passes(result: TaskResult, k: int, open_value: int) -> float:
    found = pass_at_k(result.n, result.c + open_value * result.open, k)
    assert found is not None  # the caller has checked every n
    return found

"""Computes the scores of a run, overall and by slice, from each task's results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evaluation.engine.family import Metric
from evaluation.engine.metrics import texts, turn_pairs
from evaluation.engine.metrics.intervals import Interval, mean_interval
from evaluation.engine.metrics.passk import pass_at_k
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.records import Score, Task, TaskId, TaskResult

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
) -> list[Score]:
    """Returns every metric overall and then by slice, in an order independent of the input's.

    Reports "pass" as pass@k for each of `ks`, and a metric m not in `metrics` as m@1. Slices by a
    task's attributes hold only overall results. A score with fewer than k samples has a note
    instead of a value. Raises ValueError for an unknown slice and KeyError for a result without a
    task.
    """
    by_id = {task.id: task for task in tasks}
    parts = [("overall", "", [r for r in results if r.overall])]
    for name in slices:
        parts += [(name, value, part) for value, part in _sliced(results, by_id, name)]
    own = {metric.name: metric for metric in metrics}
    return [
        _score([r for r in part if r.metric == metric], shown, name, value)
        for metric in sorted({result.metric for result in results})
        for shown in _shown(metric, own, ks)
        for name, value, part in parts
        if name == "overall" or any(r.metric == metric for r in part)
    ]


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
    part: Sequence[TaskResult], shown: Metric | _At, slice_name: str, slice_value: str
) -> Score:
    tasks = len({result.task_id for result in part})
    nothing = Score(
        shown.name, None, None, None, len(part), tasks, slice_name, slice_value, better=shown.better
    )
    if not part:
        return replace(nothing, note=texts.NOTHING_COUNTS())
    if isinstance(shown, Metric):
        return _of_values(part, shown, nothing)
    smallest = min(result.n for result in part)
    if smallest < shown.k:
        note = texts.FEW_SAMPLES(number=shown.k, fewest=smallest)
        return replace(nothing, note=note)
    least = mean_interval(_by_task(part, shown.k, open_pass=False))
    unsettled = sum(result.open for result in part)
    if not unsettled:
        return replace(nothing, value=least.value, low=least.low, high=least.high)
    most = mean_interval(_by_task(part, shown.k, open_pass=True))
    assert least.value is not None and most.value is not None  # the part is not empty
    bounds = (least.value, most.value)
    return replace(nothing, bounds=bounds, note=texts.UNSETTLED(number=unsettled))


def _of_values(part: Sequence[TaskResult], metric: Metric, nothing: Score) -> Score:
    valued = [result for result in part if result.value is not None]
    if not valued:
        return replace(nothing, note=texts.NOTHING_COUNTS())
    least = _together(valued, metric, open_value=0.0)
    unsettled = sum(result.open for result in valued)
    if not unsettled:
        return replace(nothing, value=least.value, low=least.low, high=least.high)
    most = _together(valued, metric, open_value=1.0)
    assert least.value is not None and most.value is not None  # the part is not empty
    bounds = (least.value, most.value)
    return replace(nothing, bounds=bounds, note=texts.UNSETTLED(number=unsettled))


def _together(part: Sequence[TaskResult], metric: Metric, *, open_value: float) -> Interval:
    groups: dict[TaskId, list[float]] = {}
    filled = [replace(result, value=_value(result, open_value)) for result in part]
    for result in filled:
        groups.setdefault(result.task_id, []).append(result.value or 0.0)
    if metric.paired:
        groups = {task: [unit] for task, unit in turn_pairs.units(filled).items()}
    mean = mean_interval(list(groups.values()))
    if not metric.summed:
        return mean
    return replace(mean, value=sum(map(sum, groups.values())), low=None, high=None)


def _value(result: TaskResult, open_value: float) -> float:
    settled = result.value or 0.0
    return settled + open_value * result.open / result.n if result.open else settled


def _by_task(part: Iterable[TaskResult], k: int, *, open_pass: bool) -> list[list[float]]:
    groups: dict[TaskId, list[float]] = {}
    for result in part:
        value = pass_at_k(result.n, result.c + (result.open if open_pass else 0), k)
        assert value is not None  # the caller has checked every n
        groups.setdefault(result.task_id, []).append(value)
    return list(groups.values())

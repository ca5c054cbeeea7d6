"""Means over pairs of turns. Source: docs/specification/conversations.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean

from evaluation.engine.records import TaskId, TaskResult


def units(results: Iterable[TaskResult]) -> dict[TaskId, float]:
    """Returns one number per task; their plain mean is the published mean over pairs of turns.

    Each pair weighs the same. The numbers have the spread of the published mean, a mean of P
    ratios, by linearisation (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, chapter 6): a task t
    of T moves it by r_t = sum over its pairs p of (x_tp - m_p) / (P N_p), m_p being the mean over
    the N_p conversations that reach p. A task's unit, the mean + T r_t, may lie outside of 0..1.
    """
    conversations = _in_pairs(results)
    columns: dict[int, list[float]] = defaultdict(list)
    for pairs in conversations.values():
        for place, value in pairs.items():
            columns[place].append(value)
    if not columns:
        return {}
    means = {place: fmean(column) for place, column in columns.items()}
    published, tasks = fmean(means.values()), len(conversations)
    weights = {place: tasks / (len(columns) * len(column)) for place, column in columns.items()}
    return {
        task: published + sum(weights[p] * (value - means[p]) for p, value in pairs.items())
        for task, pairs in conversations.items()
    }


def _in_pairs(results: Iterable[TaskResult]) -> dict[TaskId, Mapping[int, float]]:
    """Averages turns 1-2, 3-4 and so on. An odd last turn is a pair of its own."""
    found: dict[TaskId, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.value is not None and result.turn is not None:
            found[result.task_id][(result.turn - 1) // 2].append(result.value)
    return {
        task: {place: fmean(values) for place, values in pairs.items()}
        for task, pairs in found.items()
    }

"""Rules for when a chart's title may state a finding. Uncertain findings are not stated."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evaluation.engine.metrics.intervals import mean_interval
from evaluation.engine.metrics.passk import pass_at_k
from leaderboard.boards.frames import Frame

_FEWEST = 4
_CLEARLY = 0.5
# With fewer pairs, no order of ranks or only one is rare enough.
_FEWEST_PAIRED, _ORDERS, _SEED = 6, 9_999, 1904
_LEVEL, _ROUNDING = 0.05, 1e-9


def more_tries_help(curves: Frame, results: Frame) -> str:
    """Which entrants gain more from further samples: "weaker", "stronger", or "" if uncertain.

    An entrant's gain is its pass@K less its pass@1. K is the highest k that every entrant with more
    than one sample has; other entrants are left out. The finding is certain under three conditions.
    At least four entrants remain. The mean gain of the lower half (by pass@1) less that of the
    upper half has a 95 % interval clustered by task that excludes 0. Spearman's correlation of the
    gains with pass@1 points the same way and is at least 0.5 in size.
    """
    several = curves[curves[2].notna()] if 2 in curves.columns else curves.iloc[:0]
    if len(several) < _FEWEST:
        return ""
    most = max(int(k) for k in several.columns if several[k].notna().all())
    gains = several[most] - several[1]
    order = float(several[1].rank().corr(gains.rank()))
    low, high = _difference_of_halves(several[1], results, most)
    if low > 0 and order <= -_CLEARLY:
        return "weaker"
    return "stronger" if high < 0 and order >= _CLEARLY else ""


def hardest_for_all(parts: Frame, overall: Frame) -> str:
    """The slice value with everyone's lowest score; "" if uncertain.

    It is certain if all of at least two entrants have their lowest score in the same one, and each
    one's interval there is wholly below its overall score.
    """
    values = parts["value"].unstack("slice_value").dropna()
    lowest = set(values.idxmin(axis=1)) if len(values) >= 2 else set()
    if len(lowest) != 1:
        return ""
    name = str(lowest.pop())
    high = parts["high"].xs(name, level="slice_value").reindex(values.index)
    return name if (high < overall["value"].reindex(values.index)).all() else ""


def go_together(x: pd.Series, y: pd.Series) -> bool:
    """Whether x and y correlate positively beyond chance, among at least six entrants.

    Spearman's correlation (American Journal of Psychology 15 (1904) 72-101) is positive, and at
    most 5 % of pairings reach it, estimated from 9,999 random orders with a fixed seed.
    """
    if len(x) < _FEWEST_PAIRED or x.nunique() < 2 or y.nunique() < 2:
        return False
    one, other = (values.rank() - values.rank().mean() for values in (x, y))
    seen = float((one.to_numpy() * other.to_numpy()).sum())
    random = np.random.default_rng(_SEED)
    drawn = random.permuted(np.tile(other.to_numpy(), (_ORDERS, 1)), axis=1) @ one.to_numpy()
    reached = int((np.abs(drawn) >= abs(seen) - _ROUNDING).sum())
    return seen > 0 and (reached + 1) / (_ORDERS + 1) <= _LEVEL


def _difference_of_halves(first: pd.Series, results: Frame, k: int) -> tuple[float, float]:
    """The 95 % interval, clustered by task, of the lower half's mean gain less the upper half's."""
    ranked = first.sort_values(kind="stable").index
    half = len(ranked) // 2
    ours = results[results.index.get_level_values("evaluation").isin(ranked)]
    counts = list(zip(ours["n"], ours["c"], strict=True))
    # None where a task has fewer than k samples.
    best = {(n, c): pass_at_k(int(n), int(c), k) for n, c in set(counts)}
    gains = [None if best[n, c] is None else best[n, c] - c / n for n, c in counts]
    by_task = pd.Series(gains, index=ours.index, dtype=float).unstack("task")
    gaps = (by_task.loc[ranked[:half]].mean() - by_task.loc[ranked[-half:]].mean()).dropna()
    # The engine's intervals are for values in 0..1; differences are in -1..1.
    found = mean_interval([[(float(gap) + 1) / 2] for gap in gaps])
    if found.low is None or found.high is None:
        return -1.0, 1.0
    return found.low * 2 - 1, found.high * 2 - 1

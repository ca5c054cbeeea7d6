"""When a chart's title may state a finding. What is not certain is not said."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evaluation.engine.metrics.intervals import mean_interval
from evaluation.engine.metrics.passk import pass_at_k
from leaderboard.pages.boards.frames import Frame

_FEWEST = 4
_CLEARLY = 0.5
# With fewer no order of ranks is rare enough, or just one.
_FEWEST_PAIRED, _ORDERS, _SEED = 6, 9_999, 1904
_LEVEL, _ROUNDING = 0.05, 1e-9


def more_tries_help(curves: Frame, results: Frame) -> str:
    """Whom more tries help more: "weaker", "stronger", or "" where it is not certain.

    An entrant's gain is its pass@K less its pass@1, K being the highest k that every entrant
    with more than one sample has; the others are left out. It is certain where at least four
    entrants remain, the mean gain of their lower half (by pass@1) less that of the upper half
    has a 95 % interval clustered by task that excludes 0, and the gains are ordered the same
    way over all of them (Spearman's correlation with pass@1 at least 0.5 in size).
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
    """The slice value in which everyone does worst, "" where it is not certain.

    It is where at least two entrants have a score in every slice value, all of them their
    lowest in the same one, and each one's interval there lies wholly below its overall score.
    """
    values = parts["value"].unstack("slice_value").dropna()
    lowest = set(values.idxmin(axis=1)) if len(values) >= 2 else set()
    if len(lowest) != 1:
        return ""
    name = str(lowest.pop())
    high = parts["high"].xs(name, level="slice_value").reindex(values.index)
    return name if (high < overall["value"].reindex(values.index)).all() else ""


def go_together(x: pd.Series, y: pd.Series) -> bool:
    """Whether who is higher in x is higher in y, beyond chance: Spearman's correlation of at least
    six entrants is positive, and of all ways to pair their ranks at most 5 % reach it.

    C. Spearman, American Journal of Psychology 15 (1904) 72-101; the share by 9,999 random
    orders, the same each time.
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
    """The 95 % interval of the lower half's mean gain less the upper half's, by task."""
    ranked = first.sort_values(kind="stable").index
    half = len(ranked) // 2
    ours = results[results.index.get_level_values("evaluation").isin(ranked)]
    by_task = _gains_by_task(ours, k)
    gaps = (by_task.loc[ranked[:half]].mean() - by_task.loc[ranked[-half:]].mean()).dropna()
    # The engine's intervals are of values in 0..1, differences lie in -1..1.
    found = mean_interval([[(float(gap) + 1) / 2] for gap in gaps])
    if found.low is None or found.high is None:
        return -1.0, 1.0
    return found.low * 2 - 1, found.high * 2 - 1


def _gains_by_task(results: Frame, k: int) -> Frame:
    """pass@k less pass@1 by evaluation and task; NaN where there are fewer than k samples."""
    pairs = set(zip(results["n"], results["c"], strict=True))
    known = {(n, c): _gain(int(n), int(c), k) for n, c in pairs}
    gains = [known[pair] for pair in zip(results["n"], results["c"], strict=True)]
    return pd.Series(gains, index=results.index, dtype=float).unstack("task")


def _gain(n: int, c: int, k: int) -> float | None:
    best = pass_at_k(n, c, k)
    return None if best is None else best - c / n

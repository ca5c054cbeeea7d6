"""How far a difference between two entrants may be one between their raters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, sqrt

import numpy as np

from evaluation.engine.metrics.agreement import Floats, Item, marks_by_rater
from evaluation.engine.metrics.intervals import t_quantile
from evaluation.engine.metrics.panel import RATERS, rater_spread, raters_of

# The share of their marks that two entrants need from raters in common, with fewer raters.
LEAST_COMMON = 0.75


@dataclass(frozen=True, slots=True)
class Raters:
    """The raters of an entrant's marks, by person, each with the weight of the marks in the mean.
    `variance` is that between raters (of marks as shares of the scale), or None if no items are
    shared; `degrees` are its degrees of freedom."""

    weights: Mapping[str, float] = field(default_factory=dict)
    variance: float | None = None
    degrees: int = 0


def weights_of(items: Sequence[Item], missing: int = 0) -> dict[str, float]:
    """Each person's share of the mean over these items. A missing generation has no rater."""
    found: dict[str, float] = defaultdict(float)
    for item in items:
        people = [item.outcome.rater] if item.outcome else list(item.marks)
        for who in people:
            found[who] += 1 / len(people) / (len(items) + missing)
    return dict(found)


def variance_between(items: Sequence[Item], top: int) -> tuple[float | None, int]:
    """The variance between raters and its degrees of freedom, by `panel.rater_spread`."""
    if not items:
        return None, 0
    spread = rater_spread((marks_by_rater(items, raters_of(items)) - 1) / (top - 1))
    return (spread.variance, spread.rank) if spread else (None, 0)


def margins(panels: Sequence[Raters]) -> Floats:
    """By pair, the difference that raters alone explain at 5 %: t sqrt(s^2 sum_j (w_1j - w_2j)^2),
    with s^2 the variance between raters. 0 if both have the same raters with the same weights.
    Infinite if it is unknown, or if there are few raters and those in common gave less than three
    quarters of the marks: the variance of three raters is too uncertain to bridge two panels."""
    found = np.zeros((len(panels), len(panels)))
    for one, other in combinations(range(len(panels)), 2):
        found[one, other] = found[other, one] = _margin(panels[one], panels[other])
    return found


def _margin(one: Raters, other: Raters) -> float:
    people = one.weights.keys() | other.weights.keys()
    pairs = [(one.weights.get(who, 0.0), other.weights.get(who, 0.0)) for who in people]
    apart = sum((mine - theirs) ** 2 for mine, theirs in pairs)
    common = sum(min(pair) for pair in pairs)
    known = [panel for panel in (one, other) if panel.variance is not None]
    if pairs and apart < 1e-12:
        return 0.0
    if len(known) < 2:
        return inf
    degrees = min(panel.degrees for panel in known)
    if common < LEAST_COMMON and degrees < RATERS - 1:
        return inf
    variance = max(panel.variance or 0.0 for panel in known)
    return t_quantile(degrees) * sqrt(variance * apart)

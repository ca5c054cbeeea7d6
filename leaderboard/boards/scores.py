"""The scores of boards as values, and how they are read. Knows no words."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple, TypeAlias, TypeVar

from django.db.models import Q, QuerySet

from evaluation.engine.metrics.summary import SLICES
from leaderboard.scores.models import Score, Standing, shown_in

OVERALL = "overall"
# A slice's name and value.
Slice: TypeAlias = tuple[str, str]
WHOLE: Slice = (OVERALL, "")
# Maximum values of a slice in a menu, and in a row. Fewer than two carry no information.
_MOST_VALUES, _MOST_CELLS = 60, 9


class ShownScore(NamedTuple):
    """A score, in the terms of scores.models.Score; its `note` is a message. A tuple, because a
    board has thousands of scores, and making an instance of `Score` takes many times as long."""

    metric: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    top: int | None = None
    is_count: bool = False
    slice: str = OVERALL
    slice_value: str = ""
    evaluation: int = 0
    least: float | None = None
    most: float | None = None
    n: int = 0
    tasks: int = 0
    note: str = ""
    lower_is_better: bool = False
    defined: int | None = None
    is_variant: bool = False
    of_references: bool = False


# Metric, slice and slice value.
ScoreKey: TypeAlias = tuple[str, str, str]
Scores: TypeAlias = Mapping[ScoreKey, ShownScore]
ScoresByEvaluation: TypeAlias = Mapping[int, Scores]
# The first fields: what pages over all benchmarks need.
_BRIEF = ShownScore._fields[: ShownScore._fields.index("evaluation") + 1]


def scores_shown(
    standings: Sequence[Standing] | Sequence[int] | QuerySet[Standing],
    metrics: Iterable[str],
    slices: Sequence[str] = (),
) -> ScoresByEvaluation:
    """By evaluation: every overall score, and those of `metrics` by `slices`, that these standings
    (or those with these keys) show."""
    wanted = Q(slice=OVERALL) | Q(slice__in=slices, metric__in=list(metrics))
    return by_evaluation(shown_in(Score.with_replaced.all(), standings).filter(wanted))


def by_evaluation(scores: QuerySet[Score], *, brief: bool = False) -> ScoresByEvaluation:
    """One query. `brief`: the fields after `evaluation` have their defaults."""
    rows = scores.order_by("pk").values_list(*(_BRIEF if brief else ShownScore._fields))
    of_evaluations: dict[int, dict[ScoreKey, ShownScore]] = defaultdict(dict)
    for score in starmap(ShownScore, rows):
        key = score.metric, score.slice, score.slice_value
        of_evaluations[score.evaluation][key] = score
    return of_evaluations


def read_on(share: float | None, top: int | None) -> float | None:
    """A stored share as a mean mark on the scale from 1 to `top`; unchanged without a scale."""
    return share if share is None or top is None else 1 + share * (top - 1)


# --- Which scores a table shows -----------------------------------------------------------


def in_metric_order(metrics: Iterable[str]) -> list[str]:
    """Sorts numbers in names by value: pass@5 before pass@10."""

    def parts(text: str) -> list[tuple[int, str]]:
        pieces = re.findall(r"\d+|\D+", text)
        return [(int(part), "") if part.isdecimal() else (0, part) for part in pieces]

    return sorted(metrics, key=parts)


def other_metrics(metric: str, scores: Iterable[Scores]) -> tuple[str, ...]:
    """Leaves out variants of metrics and metrics of the benchmark's own programs."""
    others = {
        name
        for of_row in scores
        for (name, part, _value), score in of_row.items()
        if part == OVERALL
        and name != metric
        and score.value is not None
        and not (score.of_references or score.is_variant)
    }
    return tuple(in_metric_order(others))


def slices_of(metric: str, scores: Iterable[Iterable[ScoreKey]]) -> dict[str, list[str]]:
    """The values of each slice that a board can be limited to, from its rows' scores."""
    values: dict[str, set[str]] = {name: set() for name in SLICES}
    for keys in scores:
        for of, name, value in keys:
            if of == metric and name in values:
                values[name].add(value)
    return {
        name: in_metric_order(several)
        for name, several in values.items()
        if 1 < len(several) <= _MOST_VALUES
    }


def fitting_slice(metric: str, scores: Iterable[Scores]) -> tuple[str, tuple[str, ...]]:
    """The first slice that fits into a row, with its values; "" if none fits."""
    slices = slices_of(metric, scores).items()
    fitting = ((name, tuple(values)) for name, values in slices if len(values) <= _MOST_CELLS)
    return next(fitting, ("", ()))


_Score = TypeVar("_Score", Score, ShownScore)


def in_order(references: Iterable[_Score]) -> list[_Score]:
    def order(score: _Score) -> tuple[bool, bool, float, str]:
        passes = score.metric.startswith("pass_")
        return not passes, score.is_count, -(score.value or 0.0), score.metric

    return sorted((score for score in references if score.value is not None), key=order)

"""The scores of boards as values, and how they are read. Knows no words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from django.db.models import Q, QuerySet

from evaluation.engine.metrics.summary import SLICES
from leaderboard.scores.models import Score, Standing, shown_in

OVERALL = "overall"
# A slice's name and value.
Slice: TypeAlias = tuple[str, str]
WHOLE: Slice = (OVERALL, "")
# Numbers of slice values that fit into a row; fewer than two carry no information.
SLICE_VALUES = range(2, 10)


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
    least: float | None = None
    most: float | None = None
    n: int = 0
    tasks: int = 0
    note: str = ""
    lower_is_better: bool = False
    error_tasks: float | None = None
    error_runs: float | None = None
    defined: int | None = None
    is_variant: bool = False
    of_references: bool = False


# By metric, slice and slice value.
Scores: TypeAlias = Mapping[tuple[str, str, str], ShownScore]
ScoresByEvaluation: TypeAlias = Mapping[int, Scores]
# The first fields: what pages over all benchmarks need.
_BRIEF = ShownScore._fields[: ShownScore._fields.index("slice_value") + 1]


def scores_of(
    evaluations: Sequence[int], metrics: Iterable[str], slices: Sequence[str] = ()
) -> ScoresByEvaluation:
    """By evaluation: every overall score, and those of `metrics` by `slices`. These are the newest
    scores; a board that waits to be remade may show older ones."""
    wanted = Q(slice=OVERALL) | Q(slice__in=slices, metric__in=list(metrics))
    return by_evaluation(Score.objects.filter(wanted, evaluation__in=evaluations))


def scores_shown(
    standings: Sequence[Standing] | Sequence[int] | QuerySet[Standing],
    metrics: Iterable[str],
    slices: Sequence[str] = (),
) -> ScoresByEvaluation:
    """Like `scores_of`, but the scores that these standings (or those with these keys) show."""
    wanted = Q(slice=OVERALL) | Q(slice__in=slices, metric__in=list(metrics))
    return by_evaluation(shown_in(Score.with_replaced.all(), standings).filter(wanted))


def by_evaluation(scores: QuerySet[Score], *, brief: bool = False) -> ScoresByEvaluation:
    """One query. `brief`: the fields after `slice_value` have their defaults."""
    columns = _BRIEF if brief else ShownScore._fields
    found: dict[int, dict[tuple[str, str, str], ShownScore]] = defaultdict(dict)
    for evaluation, *values in scores.order_by("pk").values_list("evaluation", *columns):
        # Positional, since keywords take several times as long; the columns are the fields.
        score = ShownScore(*values)
        found[evaluation][score.metric, score.slice, score.slice_value] = score
    return found


def read_on(share: float | None, top: int | None) -> float | None:
    """A stored share as a mean mark on the scale from 1 to `top`; unchanged without a scale."""
    return share if share is None or top is None else 1 + share * (top - 1)


# --- Which scores a table shows -----------------------------------------------------------


def in_metric_order(metrics: Iterable[str]) -> list[str]:
    """Sorts numbers in names by value: pass@5 before pass@10."""

    def parts(text: str) -> list[tuple[int, str]]:
        found = re.findall(r"\d+|\D+", text)
        return [(int(part), "") if part.isdecimal() else (0, part) for part in found]

    return sorted(metrics, key=parts)


def other_metrics(metric: str, scores: Iterable[Scores]) -> tuple[str, ...]:
    """Leaves out variants of metrics and metrics of the benchmark's own programs."""
    found = {
        name
        for of_row in scores
        for (name, part, _value), score in of_row.items()
        if part == OVERALL
        and name != metric
        and score.value is not None
        and not (score.of_references or score.is_variant)
    }
    return tuple(in_metric_order(found))


def fitting_slice(metric: str, scores: Iterable[Scores]) -> tuple[str, tuple[str, ...]]:
    """The first slice that fits into a row, with its values; "" if none fits."""
    values: dict[str, set[str]] = {name: set() for name in SLICES}
    for of_row in scores:
        for of, name, value in of_row:
            if of == metric and name in values:
                values[name].add(value)
    fitting = (name for name in SLICES if len(values[name]) in SLICE_VALUES)
    name = next(fitting, "")
    return name, tuple(in_metric_order(values.get(name, ())))


class _Scored(Protocol):
    @property
    def finished(self) -> datetime | None: ...
    @property
    def scores(self) -> Scores: ...


def reference_scores(rows: Iterable[_Scored]) -> list[ShownScore]:
    """The overall scores of the benchmark's own programs, from the row scored last."""
    newest: tuple[datetime, list[ShownScore]] | None = None
    for row in rows:
        found = [s for s in row.scores.values() if s.of_references and s.slice == OVERALL]
        if found and row.finished and (newest is None or row.finished > newest[0]):
            newest = row.finished, found
    return in_order(newest[1]) if newest else []


_Score = TypeVar("_Score", Score, ShownScore)


def in_order(references: Iterable[_Score]) -> list[_Score]:
    def order(score: _Score) -> tuple[bool, bool, float, str]:
        passes = score.metric.startswith("pass_")
        return not passes, score.is_count, -(score.value or 0.0), score.metric

    return sorted((score for score in references if score.value is not None), key=order)

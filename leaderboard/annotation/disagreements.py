"""Generations on which tests and raters disagree: they reveal weak tests and broken tasks.

For organisers only, because entrants and verdicts are named. Uses the family's first scale.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db.models import F, QuerySet

from evaluation.engine import records
from evaluation.models import EvaluationState, Verdict
from leaderboard.annotation.models import Campaign, Outcome, RaterState, Rating

# On a scale of 1 to 4: a pass with a mark of at most 2, or a failure with at least 3.
LEAST_GAP = 2 / 3
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A verdict with its generation and the key of its `item`. `mark` is the raters' consensus,
    `gap` the distance from mark to verdict, 0 to 1."""

    verdict: Any
    mark: float
    raters: int
    gap: float


def disagreements(campaign: Campaign) -> list[Disagreement]:
    """Generations with a gap of at least `LEAST_GAP`, the widest first, then by task. Runs three
    queries. Excludes verdicts that were not run or are undecided suspects.
    """
    scale = campaign.criteria[0]
    ratings = Rating.objects.counting().filter(
        assignment__item__campaign=campaign, criterion=scale.name
    )
    marks: dict[int, list[int]] = defaultdict(list)
    for item, value in ratings.values_list("assignment__item", "value"):
        marks[item].append(value)
    outcomes = Outcome.objects.filter(
        item__campaign=campaign,
        criterion=scale.name,
        assignment__rater__state__in=RaterState.counting(),
    )
    settled = dict(outcomes.values_list("item", "value"))
    verdicts: QuerySet[Any] = (
        Verdict.objects.of_generations()
        .filter(
            evaluation__current=True,
            evaluation__state=EvaluationState.DONE,
            generation__rated_items__campaign=campaign,
        )
        .exclude(status=records.Status.NOT_RUN.value)
        .exclude(integrity=records.Integrity.SUSPECT.value)
        .annotate(item=F("generation__rated_items"))
        .select_related("generation")
        .defer("evidence", "generation__text")
    )
    rows = []
    for verdict in verdicts:
        if values := marks.get(verdict.item):
            mark = float(settled.get(verdict.item, fmean(values)))
            gap = abs((mark - 1) / (scale.top - 1) - verdict.counts)
            rows.append(Disagreement(verdict, mark, len(values), gap))
    return sorted(
        (row for row in rows if row.gap >= LEAST_GAP - _ROUNDING),
        key=lambda row: (-row.gap, row.verdict.generation.task_id, row.verdict.generation_id),
    )

"""Generations on which tests and raters disagree: they reveal weak tests and broken tasks.

For organisers only, because entrants and verdicts are named. Uses the family's first scale.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.engine import records
from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import Item, items_of
from evaluation.engine.metrics.panel import consensus
from evaluation.models import EvaluationState, Verdict
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.records import Marked, marked

# On a scale of 1 to 4: a pass with a mark of at most 2, or a failure with at least 3.
LEAST_GAP = 2 / 3
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`mark` is the raters' consensus, `gap` the distance from mark to verdict, 0 to 1."""

    generation: int
    submission: int
    task: int
    passed: bool
    status: str
    mark: float
    raters: int
    gap: float


def disagreements(campaign: Campaign, *, least: float = LEAST_GAP) -> list[Disagreement]:
    """Generations with a gap of at least `least`, the widest first, then by task.

    Excludes verdicts that were not run or are undecided suspects.
    """
    scale = campaign.criteria[0]
    items = {
        (submission, key): item
        for submission, own in marked(campaign, only=scale.name).items()
        for key, item in _by_key(own, scale).items()
    }
    found = []
    for verdict in _verdicts(campaign):
        generation = verdict.generation
        key = generation.key_of(generation.task.id_in_dataset)
        if item := items.get((generation.submission_id, key)):
            found.append(_compared(verdict, item, scale.top))
    told = [one for one in found if one.gap >= least - _ROUNDING]
    return sorted(told, key=lambda one: (-one.gap, one.task, one.generation))


def _by_key(own: Marked, scale: Criterion) -> dict[records.Key, Item]:
    ratings: dict[records.Key, list[records.Rating]] = defaultdict(list)
    for rating in own.ratings:
        ratings[rating.key].append(rating)
    outcomes = {one.key: one for one in own.outcomes if one.criterion == scale.name}
    return {
        key: item
        for key, given in ratings.items()
        for item in items_of(given, scale, [outcomes[key]] if key in outcomes else [])
    }


def _verdicts(campaign: Campaign) -> QuerySet[Verdict]:
    return (
        Verdict.objects.of_generations()
        .filter(
            evaluation__current=True,
            evaluation__state=EvaluationState.DONE,
            generation__rated_items__campaign=campaign,
        )
        .exclude(status=records.Status.NOT_RUN.value)
        .exclude(integrity=records.Integrity.SUSPECT.value)
        .select_related("generation__task")
        .defer("evidence", "generation__text", "generation__task__public")
    )


def _compared(verdict: Verdict, item: Item, top: int) -> Disagreement:
    mark = consensus(item)
    return Disagreement(
        generation=verdict.generation_id,
        submission=verdict.generation.submission_id,
        task=verdict.generation.task_id,
        passed=verdict.counts,
        status=verdict.status,
        mark=mark,
        raters=len(item.marks),
        gap=abs((mark - 1) / (top - 1) - verdict.counts),
    )

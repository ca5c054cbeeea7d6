"""How marks differ, for organisers only: a rater's from the others' over time, and the raters' from
the tests' verdicts, which reveals weak tests and broken tasks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, pairwise
from operator import itemgetter
from statistics import fmean
from typing import Any, TypeAlias

from django.db.models import Avg, F, QuerySet

from evaluation.engine import records
from evaluation.models import EvaluationState, Verdict
from leaderboard.annotation.models import Assignment, Campaign, Outcome, Rater, RaterState, Rating

# On a scale of 1 to 4: a pass with a mark of at most 2, or a failure with at least 3.
LEAST_GAP = 2 / 3
_ROUNDING = 1e-9
# Items in a stretch. A rater with fewer than half as many gets no stretch.
STRETCH = 10

# Of a rater's mark: the item, the time, the scale, and the mark minus the mean of the others'.
Gap: TypeAlias = tuple[int, datetime, str, float]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A verdict with its generation and the key of its `item`. `mark` is the raters' consensus,
    `gap` the distance from mark to verdict, 0 to 1."""

    verdict: Any
    mark: float
    raters: int
    gap: float


def disagreements(campaign: Campaign) -> list[Disagreement]:
    """Generations with a gap of at least `LEAST_GAP` on the family's first scale, the widest first,
    then by task. Excludes verdicts that were not run or are undecided suspects. Three queries."""
    scale = campaign.criteria[0]
    ratings = Rating.objects.counting().filter(criterion=scale.name)
    ratings = ratings.filter(assignment__item__campaign=campaign)
    marks: dict[int, list[int]] = defaultdict(list)
    for item, value in ratings.values_list("assignment__item", "value"):
        marks[item].append(value)
    outcomes = Outcome.objects.filter(item__campaign=campaign, criterion=scale.name)
    outcomes = outcomes.filter(assignment__rater__state__in=RaterState.counting())
    settled = dict(outcomes.values_list("item", "value"))
    verdicts: QuerySet[Any] = Verdict.objects.of_generations()
    verdicts = verdicts.filter(evaluation__current=True, evaluation__state=EvaluationState.DONE)
    verdicts = verdicts.filter(generation__rated_items__campaign=campaign)
    verdicts = verdicts.exclude(status=records.Status.NOT_RUN.value)
    verdicts = verdicts.exclude(integrity=records.Integrity.SUSPECT.value)
    verdicts = verdicts.annotate(item=F("generation__rated_items")).select_related("generation")
    rows = []
    for verdict in verdicts.defer("evidence", "generation__text"):
        if values := marks.get(verdict.item):
            mark = float(settled.get(verdict.item, fmean(values)))
            gap = abs((mark - 1) / (scale.top - 1) - verdict.counts)
            rows.append(Disagreement(verdict, mark, len(values), gap))
    return sorted(
        (row for row in rows if row.gap >= LEAST_GAP - _ROUNDING),
        key=lambda row: (-row.gap, row.verdict.generation.task_id, row.verdict.generation_id),
    )


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive items, with mean differences in marks: `bias` signed, `distance` absolute."""

    first: datetime
    last: datetime
    items: int
    bias: Mapping[str, float]
    distance: Mapping[str, float]


def drift(rater: Rater) -> list[Stretch]:
    """The earliest first. Runs two queries."""
    alone = Assignment.Kind.ALONE
    ratings = Rating.objects.filter(
        assignment__rater=rater, assignment__kind=alone, assignment__finished__isnull=False
    )
    rated = Rating.objects.counting().filter(assignment__item__campaign=rater.campaign_id)
    rated = rated.filter(assignment__kind=alone).exclude(assignment__rater=rater)
    rated = rated.filter(assignment__item__in=ratings.values("assignment__item")).order_by()
    means = rated.values_list("assignment__item", "criterion").annotate(mean=Avg("value"))
    others = {(item, criterion): mean for item, criterion, mean in means}
    rows = ratings.order_by("assignment__finished", "assignment").values_list(
        "assignment__item", "assignment__finished", "criterion", "value"
    )
    return stretches(
        [
            (item, finished, criterion, value - others[item, criterion])
            for item, finished, criterion, value in rows
            if finished is not None and (item, criterion) in others
        ]
    )


def stretches(gaps: Sequence[Gap]) -> list[Stretch]:
    """Splits gaps, sorted by time. Joins or drops a remainder of fewer than half a stretch."""
    items = [list(group) for _item, group in groupby(gaps, key=itemgetter(0))]
    starts = list(range(0, len(items), STRETCH))
    if starts and len(items) - starts[-1] < STRETCH / 2:
        starts.pop()
    parts = []
    for start, end in pairwise([*starts, len(items)]):
        by_scale: dict[str, list[float]] = defaultdict(list)
        for _item, _finished, criterion, gap in chain.from_iterable(items[start:end]):
            by_scale[criterion].append(gap)
        parts.append(
            Stretch(
                first=items[start][0][1],
                last=items[end - 1][0][1],
                items=end - start,
                bias={name: fmean(values) for name, values in by_scale.items()},
                distance={name: fmean(map(abs, values)) for name, values in by_scale.items()},
            )
        )
    return parts

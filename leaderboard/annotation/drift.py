"""How a rater's marks compare with the other raters' over time, for organisers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise
from statistics import fmean

from django.db.models import Avg

from leaderboard.annotation.models import Assignment, Rater, Rating

# Items in a stretch. A rater with fewer than half as many gets no stretch.
STRETCH = 10


@dataclass(frozen=True, slots=True)
class Compared:
    """`others` is the mean of the other raters' marks for the same item and scale."""

    item: int
    finished: datetime
    criterion: str
    mark: int
    others: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive items, with mean differences in marks: `bias` signed, `distance` absolute."""

    first: datetime
    last: datetime
    items: int
    bias: Mapping[str, float]
    distance: Mapping[str, float]


def drift(rater: Rater) -> list[Stretch]:
    """The rater's stretches, the earliest first. Runs two queries."""
    alone = Assignment.Kind.ALONE
    own = Rating.objects.filter(
        assignment__rater=rater, assignment__kind=alone, assignment__finished__isnull=False
    )
    others = {
        (item, criterion): mean
        for item, criterion, mean in Rating.objects.counting()
        .filter(assignment__item__campaign=rater.campaign_id, assignment__kind=alone)
        .exclude(assignment__rater=rater)
        .filter(assignment__item__in=own.values("assignment__item"))
        .order_by()
        .values("assignment__item", "criterion")
        .annotate(mean=Avg("value"))
        .values_list("assignment__item", "criterion", "mean")
    }
    rows = own.order_by("assignment__finished", "assignment").values_list(
        "assignment__item", "assignment__finished", "criterion", "value"
    )
    return stretches(
        [
            Compared(item, finished, criterion, value, others[item, criterion])
            for item, finished, criterion, value in rows
            if finished is not None and (item, criterion) in others
        ]
    )


def stretches(rows: Sequence[Compared]) -> list[Stretch]:
    """Splits marks, sorted by time. Joins or drops a remainder of fewer than half a stretch."""
    by_item: dict[int, list[Compared]] = defaultdict(list)
    for row in rows:
        by_item[row.item].append(row)
    items = list(by_item.values())
    starts = list(range(0, len(items), STRETCH))
    if starts and len(items) - starts[-1] < STRETCH / 2:
        starts.pop()
    parts = []
    for start, end in pairwise([*starts, len(items)]):
        chosen = items[start:end]
        gaps: dict[str, list[float]] = defaultdict(list)
        for row in chain.from_iterable(chosen):
            gaps[row.criterion].append(row.mark - row.others)
        parts.append(
            Stretch(
                first=chosen[0][0].finished,
                last=chosen[-1][0].finished,
                items=len(chosen),
                bias={name: fmean(values) for name, values in gaps.items()},
                distance={name: fmean(map(abs, values)) for name, values in gaps.items()},
            )
        )
    return parts

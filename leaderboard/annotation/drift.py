"""How a rater's marks compare with the other raters' over time, for organisers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, pairwise
from operator import itemgetter
from statistics import fmean
from typing import TypeAlias

from django.db.models import Avg

from leaderboard.annotation.models import Assignment, Rater, Rating

# Items in a stretch. A rater with fewer than half as many gets no stretch.
STRETCH = 10


# Of a rater's mark: the item, the time, the scale, and the mark minus the mean of the others'.
Gap: TypeAlias = tuple[int, datetime, str, float]


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

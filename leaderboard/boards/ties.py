"""The bars that join rows that tests cannot distinguish. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A row's segment of a bar: start, middle, end, only, none, or gap (row not in the group)."""

    state: str
    lead: bool = False


def tie_groups(numbers: Sequence[Iterable[int]]) -> list[set[int]]:
    """The sets of tied row indices (from 0), from each row's numbers of groups; untied rows
    alone."""
    by_number: dict[int, set[int]] = {}
    for index, of_row in enumerate(numbers):
        for number in of_row:
            by_number.setdefault(number, set()).add(index)
    groups = [group for group in by_number.values() if len(group) > 1]
    together = set().union(*groups)
    return [*groups, *({index} for index in range(len(numbers)) if index not in together)]


def fitting(groups: Iterable[Collection[int]], most: int) -> tuple[list[Collection[int]], bool]:
    """The groups that fit into `most` parallel lanes, longest first, and whether these are all."""
    longest_first = sorted(groups, key=lambda group: (min(group) - max(group), min(group)))
    drawn: list[Collection[int]] = []
    load: Counter[int] = Counter()
    for group in longest_first:
        span = range(min(group), max(group) + 1)
        if all(load[index] < most for index in span):
            drawn.append(group)
            load.update(span)
    return drawn, len(drawn) == len(longest_first)


def bar_lanes(
    groups: Iterable[Collection[int]], rows: int, *, leads: bool = True
) -> list[list[Bar]]:
    """The same number of bars for each row, from left to right; overlapping groups (sets of row
    numbers from 0) get separate lanes. `leads`: the first row is the leader."""
    lanes: list[list[Collection[int]]] = []
    for group in sorted(groups, key=min):
        lane = next((lane for lane in lanes if max(lane[-1]) < min(group)), None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(group)
    bars = [[Bar("none")] * len(lanes) for _row in range(rows)]
    for number, lane in enumerate(lanes):
        for group in lane:
            first, last = min(group), max(group)
            lead = leads and first == 0
            middle, gap = Bar("middle", lead), Bar("gap", lead)
            for row in range(first, last + 1):
                bars[row][number] = middle if row in group else gap
            bars[first][number] = Bar("start", lead)
            bars[last][number] = Bar("end" if last > first else "only", lead)
    return bars

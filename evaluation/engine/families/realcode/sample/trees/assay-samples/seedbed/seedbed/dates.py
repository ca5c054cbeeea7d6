"""Sowing dates, counted from the last frost."""

from __future__ import annotations

from datetime import date, timedelta


def sowing_window(last_frost: date, first_week: int, last_week: int) -> tuple[date, date]:
    """The first and the last day for sowing; weeks count from the last frost, negative ones before
    it. The last week is included. Raises ValueError if it comes before the first."""
    if last_week < first_week:
        raise ValueError("the last week comes before the first")
    first = last_frost + timedelta(weeks=first_week)
    return first, last_frost + timedelta(weeks=last_week + 1, days=-1)


def overlap(one: tuple[date, date], other: tuple[date, date]) -> int:
    """The number of days that two windows share, their ends included."""
    days = (min(one[1], other[1]) - max(one[0], other[0])).days + 1
    return max(days, 0)


def successions(first: date, last: date, every: int) -> list[date]:
    """The sowing days from the first on, one every so many days, none after the last."""
    if every <= 0:
        raise ValueError("successions need at least a day between them")
    days = (last - first).days
    return [first + timedelta(days=day) for day in range(0, days + 1, every)]

from datetime import date

import pytest

from seedbed.dates import overlap, sowing_window, successions

FROST = date(2026, 5, 15)


def test_a_window_before_the_last_frost():
    assert sowing_window(FROST, -6, -4) == (date(2026, 4, 3), date(2026, 4, 23))


def test_a_window_of_one_week():
    first, last = sowing_window(FROST, 0, 0)
    assert (first, (last - first).days) == (FROST, 6)


def test_a_window_that_ends_before_it_begins():
    with pytest.raises(ValueError):
        sowing_window(FROST, 2, 1)


@pytest.mark.parametrize(
    "other, days",
    [
        ((date(2026, 5, 10), date(2026, 5, 12)), 3),
        ((date(2026, 5, 20), date(2026, 6, 2)), 1),
        ((date(2026, 5, 21), date(2026, 6, 2)), 0),
        ((date(2026, 1, 1), date(2026, 12, 31)), 20),
    ],
)
def test_overlap(other, days):
    window = (date(2026, 5, 1), date(2026, 5, 20))
    assert overlap(window, other) == overlap(other, window) == days


def test_successions():
    found = successions(date(2026, 4, 25), date(2026, 5, 9), 7)
    assert found == [date(2026, 4, 25), date(2026, 5, 2), date(2026, 5, 9)]


def test_no_succession_after_the_last_day():
    assert successions(date(2026, 5, 2), date(2026, 5, 1), 7) == []


def test_successions_need_a_day_between_them():
    with pytest.raises(ValueError):
        successions(FROST, FROST, 0)

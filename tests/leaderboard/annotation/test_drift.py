"""Tests of drift: how a rater's marks compare with the others' over time."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.annotation.disagreements import STRETCH, Gap, drift, stretches
from leaderboard.annotation.models import Assignment
from tests.support.panel import FAIR, POOR, Panel, rate, store

pytestmark = pytest.mark.any_database

START = datetime(2026, 5, 1, tzinfo=UTC)


def rows(gaps: list[float]) -> list[Gap]:
    return [(n, START + timedelta(hours=n), "correctness", gap) for n, gap in enumerate(gaps)]


def test_a_rater_who_becomes_stricter_is_seen_to() -> None:
    found = stretches(rows([1.0] * STRETCH + [-0.5] * STRETCH))
    assert [one.bias["correctness"] for one in found] == [1.0, -0.5]
    assert [one.distance["correctness"] for one in found] == [1.0, 0.5]
    assert (found[0].first, found[1].first) == (START, START + timedelta(hours=STRETCH))


@given(st.lists(st.floats(-3, 3), max_size=60))
def test_every_item_is_in_one_stretch_and_none_is_short(gaps: list[float]) -> None:
    found = stretches(rows(gaps))
    assert sum(one.items for one in found) == (len(gaps) if len(gaps) >= STRETCH / 2 else 0)
    assert all(STRETCH / 2 <= one.items < 1.5 * STRETCH for one in found)
    assert all(one.first <= one.last for one in found)


def test_only_marks_that_count_and_that_others_gave_too_are_compared(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    store(ann, lambda _number: POOR)
    store(ben, lambda _number: FAIR)
    Assignment.objects.update(finished=START)
    (found,) = drift(ann)[:1]
    assert found.bias == {"correctness": -2.0, "code quality": 0.0, "maintainability": -1.0}
    ben.state = "dismissed"
    ben.save()
    assert drift(ann) == []


def test_it_takes_two_queries(panel: Panel) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    with CaptureQueriesContext(connection) as asked:
        drift(ann)
    assert len(asked) == 2

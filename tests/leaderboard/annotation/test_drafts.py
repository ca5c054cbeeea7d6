"""Tests of drafts: what they keep, and that other tabs and late requests do not overwrite them."""

from __future__ import annotations

import pytest

from leaderboard.annotation.models import Draft
from leaderboard.annotation.rating import MOST_SECONDS_AT_ONCE, save_draft, save_ratings
from tests.evaluation.web.conftest import age
from tests.support.panel import FAIR, POOR, Panel, take


@pytest.mark.parametrize("sent", [0, 1], ids=["none", "one"])
def test_a_page_that_is_left_may_be_faster_than_its_last_draft(panel: Panel, sent: int) -> None:
    row = take(panel.rater("ann"))
    for version in range(sent):
        save_draft(assignment=row, version=version, marks={"correctness": 1})
    assert save_draft(assignment=row, version=sent + 1, marks=FAIR, leaving=True)
    assert save_draft(assignment=row, version=sent, marks={"correctness": 2}) is None
    assert Draft.objects.get().marks == FAIR


def test_another_tab_that_is_left_overwrites_nothing(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    for version in range(3):
        save_draft(assignment=row, version=version, marks=FAIR)
    assert save_draft(assignment=row, version=2, marks=POOR, leaving=True) is None
    save_ratings(assignment=row, marks=FAIR)
    assert save_draft(assignment=row, version=1, marks=POOR, leaving=True) is None
    assert not Draft.objects.exists()


def test_a_draft_needs_no_lease(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    age(row)
    assert save_draft(assignment=row, version=0, marks={"correctness": 2})


def test_a_clock_that_ran_on_counts_up_to_a_bound(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    save_draft(assignment=row, version=0, marks={}, seconds=10**9)
    save_draft(assignment=row, version=1, marks={}, seconds=-5)
    assert Draft.objects.get().seconds == MOST_SECONDS_AT_ONCE


def test_a_draft_that_comes_after_the_marks_were_saved_leaves_nothing(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    draft = save_draft(assignment=row, version=0, marks=POOR)
    assert draft is not None
    save_ratings(assignment=row, marks=FAIR)
    assert save_draft(assignment=row, version=draft.version, marks=POOR) is None
    assert not Draft.objects.exists()

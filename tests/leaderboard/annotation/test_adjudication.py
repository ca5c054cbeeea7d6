"""Tests that items on which raters differ go to a third person, and that all marks stay."""

import pytest

from leaderboard.annotation import campaigns
from leaderboard.annotation.assigning import items_to_settle, scales_to_settle, take_next
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Assignment, MarkChange, Outcome, RaterState
from leaderboard.annotation.rating import save_ratings, scales_of
from tests.evaluation.web.conftest import age
from tests.support.panel import FAIR, POOR, Panel, rate, take, take_this

pytestmark = pytest.mark.any_database

THIRD = Assignment.Kind.THIRD


@pytest.fixture
def disputed(panel: Panel) -> None:
    """ann and ben differ by two marks on the correctness of the first item."""
    rate(panel.rater("ann"), panel.item(), FAIR)
    rate(panel.rater("ben"), panel.item(), POOR)


def test_marks_two_apart_need_a_third_person(panel: Panel, disputed: None) -> None:
    rate(panel.rater("ann"), panel.item(number=1), FAIR)
    rate(panel.rater("ben"), panel.item(number=1), {**FAIR, "correctness": 2})
    assert list(items_to_settle(panel.campaign)) == [panel.item()]
    assert scales_to_settle(panel.item()) == {"correctness"}


def test_an_item_waits_for_all_its_raters_first(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=3)
    for name, marks in (("ann", FAIR), ("ben", POOR)):
        rate(panel.rater(name, campaign), panel.item(campaign), marks)
    assert not items_to_settle(campaign).exists()
    rate(panel.rater("cat", campaign), panel.item(campaign), FAIR)
    assert items_to_settle(campaign).exists()


def test_only_who_adjudicates_and_has_not_rated_it_is_asked(panel: Panel, disputed: None) -> None:
    assert take(panel.rater("cat")).kind == Assignment.Kind.ALONE
    assert take(panel.rater("ann", adjudicates=True)).item != panel.item()
    row = take(panel.rater("dan", adjudicates=True))
    assert (row.item, row.kind) == (panel.item(), THIRD)


def test_one_person_at_a_time_settles_an_item_and_who_is_late_is_told_so(
    panel: Panel, disputed: None
) -> None:
    dan, eve = (panel.rater(name, adjudicates=True) for name in ("dan", "eve"))
    late = take(dan)
    assert take(eve).item != panel.item()
    age(late)
    save_ratings(assignment=take_this(eve, panel.item(), THIRD), marks={"correctness": 2})
    with pytest.raises(NotNow, match="nothing left to settle"):
        save_ratings(assignment=late, marks={"correctness": 3})
    following = take_next(rater=dan, owner="a tab")
    assert following is not None and following.item != panel.item()


def test_an_outcome_may_change_and_a_scale_that_comes_apart_later_is_settled_too(
    panel: Panel, disputed: None
) -> None:
    row = take(panel.rater("dan", adjudicates=True))
    for mark in (2, 3):
        save_ratings(assignment=row, marks={"correctness": mark})
    changes = MarkChange.objects.filter(settles=True)
    assert [(change.old, change.new) for change in changes] == [(None, 2), (2, 3)]
    ben = panel.rater("ben").assignments.get()
    save_ratings(assignment=ben, marks={**POOR, "maintainability": 2})
    assert scales_to_settle(panel.item()) == {"maintainability"}
    assert {one.name for one in scales_of(row)} == {"correctness", "maintainability"}


def test_an_outcome_of_who_is_dismissed_is_settled_anew(panel: Panel, disputed: None) -> None:
    dan, eve = (panel.rater(name, adjudicates=True) for name in ("dan", "eve"))
    save_ratings(assignment=take(dan), marks={"correctness": 2})
    campaigns.move_rater(rater=dan, state=RaterState.DISMISSED, reason="marks at random")
    assert scales_to_settle(panel.item()) == {"correctness"}
    save_ratings(assignment=take_this(eve, panel.item(), THIRD), marks={"correctness": 2})
    assert Outcome.objects.get().assignment.rater == eve
    assert MarkChange.objects.filter(settles=True).count() == 2

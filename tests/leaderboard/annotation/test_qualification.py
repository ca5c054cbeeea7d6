"""Tests of the qualification of raters on items whose answers are known."""

from collections.abc import Mapping

import pytest

from leaderboard.annotation import campaigns
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Campaign, Item, Rater, RaterState, Rating, Trial
from leaderboard.annotation.rating import decide_on_rater, save_ratings, skip_item
from tests.support.panel import FAIR, Panel, rate_all, take

pytestmark = pytest.mark.any_database

ONE_OFF = {"correctness": 4, "code quality": 2, "maintainability": 4}
FAR = {"correctness": 1, "code quality": 2, "maintainability": 4}


@pytest.fixture
def campaign(panel: Panel) -> Campaign:
    """Two known items come before all others. A rater may be off by half a mark on average."""
    made = panel.new(most_apart=0.5, per_item=1)
    panel.add(made, panel.northwood)
    for text in ("int x;", "int y;"):
        campaigns.add_known_item(campaign=made, task=panel.task(), text=text, marks=FAIR)
    campaigns.open_campaign(campaign=made)
    return made


def try_out(rater: Rater, *given: Mapping[str, int]) -> None:
    for marks in given:
        row = take(rater)
        assert row.item.kind == Item.Kind.KNOWN
        save_ratings(assignment=row, marks=marks)
    rater.refresh_from_db()


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ((FAIR,), RaterState.TRYING),
        ((FAIR, FAIR), RaterState.RATING),
        ((FAIR, ONE_OFF), RaterState.RATING),
        ((ONE_OFF, ONE_OFF), RaterState.REFUSED),
        ((FAR, FAIR), RaterState.REFUSED),
    ],
)
def test_the_last_known_item_decides(
    panel: Panel, campaign: Campaign, given: tuple[dict[str, int], ...], state: RaterState
) -> None:
    ann = panel.rater("ann", campaign)
    try_out(ann, *given)
    assert ann.state == state
    assert (ann.tried is not None) == (len(given) == 2)


def test_staff_may_let_in_whom_the_known_items_refused(panel: Panel, campaign: Campaign) -> None:
    ann = panel.rater("ann", campaign)
    try_out(ann, FAR, FAR)
    assert rate_all(ann) == 0
    campaigns.move_rater(rater=ann, state=RaterState.RATING, reason="the known answers were wrong")
    assert rate_all(ann) == 8
    decide_on_rater(rater=ann)
    ann.refresh_from_db()
    assert ann.state == RaterState.RATING


def test_a_known_item_that_was_skipped_comes_again(panel: Panel, campaign: Campaign) -> None:
    ann = panel.rater("ann", campaign)
    assert skip_item(assignment=take(ann), reason="hard")
    try_out(ann, FAIR, FAIR)
    assert ann.state == RaterState.RATING


def test_known_items_are_not_changed_once_they_have_decided(
    panel: Panel, campaign: Campaign
) -> None:
    ann = panel.rater("ann", campaign)
    try_out(ann, FAR, FAR)
    campaigns.move_rater(rater=ann, state=RaterState.RATING, reason="short of people")
    known = ann.assignments.filter(item__kind=Item.Kind.KNOWN)[0]
    with pytest.raises(NotNow, match="have already been evaluated"):
        save_ratings(assignment=known, marks=FAIR)


def test_others_marks_for_known_items_are_never_shown(panel: Panel, campaign: Campaign) -> None:
    ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
    try_out(ann, FAIR, FAIR)
    try_out(ben, FAR)
    seen = Rating.objects.visible_to(panel.person("ben"))
    assert {one.assignment.rater for one in seen} == {ben}


def test_marks_for_known_items_are_in_no_result(panel: Panel, campaign: Campaign) -> None:
    try_out(panel.rater("ann", campaign), FAIR, FAIR)
    assert Rating.objects.count() == 6
    assert not Rating.objects.counting().exists()


def test_marks_of_who_fails_in_the_middle_count_no_longer(panel: Panel) -> None:
    campaign = panel.with_known_item(panel.northwood, panel.fenland, trial=Trial.AMONG)
    ann = panel.rater("ann", campaign)
    assert rate_all(ann, FAR) == 6
    ann.refresh_from_db()
    assert ann.state == RaterState.REFUSED
    assert (Rating.objects.count(), Rating.objects.counting().count()) == (18, 0)

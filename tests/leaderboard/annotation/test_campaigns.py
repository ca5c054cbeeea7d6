"""Tests of campaigns: their submissions, items and raters, and when these may change."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from leaderboard.annotation import assigning, campaigns, rating
from leaderboard.annotation.campaigns import change_terms
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.importing import import_ratings
from leaderboard.annotation.models import (
    Campaign,
    Item,
    MarkChange,
    RaterState,
    Rating,
)
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast
from tests.support.panel import FAIR, Panel, rate, take_this


@pytest.mark.any_database
def test_a_campaign_is_of_one_revision(panel: Panel, cast: Cast) -> None:
    other = cast.submission(cast.entrant())
    with pytest.raises(NotNow, match="one revision"):
        panel.add(panel.new(), other)


@pytest.mark.any_database
def test_known_items_try_out_those_who_were_there_before(panel: Panel) -> None:
    campaign = panel.new()
    ann = panel.rater("ann", campaign)
    known = campaigns.add_known_item(
        campaign=campaign, task=panel.task(), text="int x;", marks=FAIR
    )
    ann.refresh_from_db()
    assert ann.state == panel.rater("ben", campaign).state == RaterState.TRYING
    assert {one.criterion: one.value for one in known.known.all()} == FAIR


@pytest.mark.any_database
def test_a_known_item_has_a_right_mark_on_every_scale(panel: Panel) -> None:
    campaign = panel.new()
    off, other = "correctness takes marks from 1 to 4", "scale is not rated here"
    for marks, sentence in (
        ({}, off),
        ({**FAIR, "correctness": 5}, off),
        ({**FAIR, "beauty": 1}, other),
        ({"correctness": 1}, "code quality takes marks from 1 to 3"),
    ):
        with pytest.raises(ValidationError, match=sentence):
            campaigns.add_known_item(campaign=campaign, task=panel.task(), text="x", marks=marks)
    assert not campaign.items.exists()


def test_the_database_takes_no_known_item_of_somebody_s_and_asks_for_raters(panel: Panel) -> None:
    campaign, generation = panel.new(), panel.northwood.generations.earliest("pk")
    known = {"kind": Item.Kind.KNOWN, "task": generation.task, "generation": generation}
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.create(campaign=campaign, **known)
    with pytest.raises(IntegrityError), transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(per_item=0)


# --- Submissions come and go ----------------------------------------------------------------


def remove(panel: Panel, submission: Submission, reason: str = "sent by mistake") -> int:
    return campaigns.remove_submission(
        campaign=panel.campaign, submission=submission, user=panel.cast.dora, reason=reason
    )


@pytest.mark.any_database
def test_what_was_added_is_on_record_too(panel: Panel) -> None:
    rows = panel.campaign.changes.filter(kind="added").order_by("pk")
    assert [(row.name, row.new) for row in rows] == [
        (str(panel.northwood.pk), 8),
        (str(panel.fenland.pk), 8),
    ]


def of_fenland(panel: Panel) -> Item:
    own = panel.campaign.items.filter(generation__submission=panel.fenland)
    return own.earliest("pk")


@pytest.mark.any_database
def test_what_was_rated_or_skipped_stays(panel: Panel) -> None:
    rate(panel.rater("ann"), of_fenland(panel))
    with pytest.raises(NotNow, match="stays on record"):
        remove(panel, panel.fenland)
    skipped = take_this(panel.rater("ben"), panel.item())
    rating.skip_item(assignment=skipped, reason="unreadable")
    with pytest.raises(NotNow, match="stays on record"):
        remove(panel, panel.northwood)
    assert panel.campaign.items.count() == 16


@pytest.mark.any_database
def test_what_somebody_is_at_stays_until_they_are_gone(panel: Panel) -> None:
    row = take_this(panel.rater("ann"), of_fenland(panel))
    with pytest.raises(NotNow, match="working on a generation"):
        remove(panel, panel.fenland)
    assigning.let_go(assignment=row)
    rating.save_draft(assignment=row, version=0, marks=FAIR, comments={}, seconds=1)
    with pytest.raises(NotNow, match="is working on"):
        remove(panel, panel.fenland)
    row.draft.delete()
    assert remove(panel, panel.fenland) == 8


@pytest.mark.any_database
def test_an_open_campaign_keeps_something_to_rate(panel: Panel) -> None:
    remove(panel, panel.fenland)
    with pytest.raises(NotNow, match="only submission of the open campaign"):
        remove(panel, panel.northwood)
    with pytest.raises(NotNow, match="no generations of this submission"):
        remove(panel, panel.fenland)


@pytest.mark.any_database
def test_what_staff_decide_has_a_reason(panel: Panel) -> None:
    campaign, dora, ann = panel.campaign, panel.cast.dora, panel.rater("ann")
    author = rating.Author(dora, MarkChange.By.STAFF, " ")
    calls: list[Callable[[], object]] = [
        lambda: rating.enter_ratings(item=panel.item(), rater=ann, marks=FAIR, author=author),
        lambda: import_ratings(
            campaign=campaign,
            content=f"rater,item,{','.join(FAIR)}\nann,{panel.item().pk},3,2,4\n".encode(),
            user=dora,
            reason=" ",
        ),
        lambda: campaigns.move_rater(rater=ann, state=RaterState.DISMISSED, reason=" "),
        lambda: remove(panel, panel.fenland, " "),
        lambda: change_terms(campaign=campaign, user=dora, reason=" ", terms={"title": "x"}),
    ]
    for call in calls:
        with pytest.raises(ValidationError, match="Give a reason"):
            call()
    ann.refresh_from_db()
    assert (ann.state, Rating.objects.count()) == (RaterState.RATING, 0)

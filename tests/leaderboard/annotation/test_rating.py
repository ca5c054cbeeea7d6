"""Tests of marks: accepted or rejected, never lost, every change on record."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from leaderboard.accounts.models import Membership
from leaderboard.annotation import campaigns
from leaderboard.annotation.errors import NotNow, TakenOut
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Draft,
    KnownMark,
    MarkChange,
    Outcome,
    RaterState,
    Rating,
)
from leaderboard.annotation.rating import (
    MOST_SECONDS_AT_ONCE,
    Author,
    enter_ratings,
    save_draft,
    save_ratings,
    skip_item,
)
from tests.evaluation.web.conftest import age
from tests.support.panel import FAIR, POOR, Panel, rate, rate_all, take


def marks_of(row: Assignment) -> dict[str, int]:
    return {one.criterion: one.value for one in row.ratings.all()}


def staff(panel: Panel, reason: str = "a slip of the pen") -> Author:
    return Author(panel.cast.dora, MarkChange.By.STAFF, reason)


@pytest.mark.any_database
def test_marks_off_their_scale_are_refused_with_its_name(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    for scale, mark in (
        *(("correctness", 5), ("correctness", 0), ("code quality", True), ("code quality", None)),
        *(("maintainability", "3"), ("beauty", 1)),
    ):
        with pytest.raises(ValidationError) as caught:
            save_ratings(assignment=row, marks={**FAIR, scale: mark})  # type: ignore[dict-item]
        assert set(caught.value.message_dict) == {scale}
    assert not Rating.objects.exists()
    assert not MarkChange.objects.exists()


def test_the_database_takes_no_mark_off_its_scale(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    for value in (0, 5):
        mark = {"criterion": "correctness", "value": value, "top": 4}
        for wrong in (
            Rating(assignment=row, **mark),
            Outcome(assignment=row, item=row.item, **mark),
            KnownMark(item=row.item, **mark),
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                wrong.save()


def test_the_database_takes_one_mark_of_a_rater_on_a_scale(panel: Panel) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    row = ann.assignments.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Rating.objects.create(assignment=row, criterion="correctness", value=1, top=4)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(item=row.item, rater=ann)


def test_every_change_is_on_record(panel: Panel) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    row = ann.assignments.get()
    changes = save_ratings(assignment=row, marks={**FAIR, "correctness": 4})
    (change,) = changes
    assert (change.criterion, change.old, change.new) == ("correctness", 3, 4)
    assert (change.user, change.how, change.reason) == (ann.user, "rater", "")
    assert MarkChange.objects.count() == 4
    assert marks_of(row) == {**FAIR, "correctness": 4}


@pytest.mark.any_database
def test_a_comment_that_is_not_given_stays_and_one_that_is_empty_goes(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    save_ratings(assignment=row, marks=FAIR, comments={"correctness": "a\0b"})
    save_ratings(assignment=row, marks=FAIR)
    assert row.ratings.get(criterion="correctness").comment == "a\N{REPLACEMENT CHARACTER}b"
    (change,) = save_ratings(assignment=row, marks=FAIR, comments={"correctness": ""})
    assert (change.old, change.new, change.new_comment) == (3, 3, "")


@pytest.mark.any_database
def test_a_change_after_others_could_be_seen_says_so(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    rate(ann, panel.item())
    alone = save_ratings(assignment=ann.assignments.get(), marks={**FAIR, "correctness": 2})
    assert [change.informed for change in alone] == [False]
    assert not any(change.informed for change in rate(ben, panel.item()))
    after = save_ratings(assignment=ann.assignments.get(), marks=FAIR)
    assert [change.informed for change in after] == [True]


@pytest.mark.any_database
def test_what_was_worked_out_is_saved_though_the_lease_ran_out(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
    row = take(ann)
    age(row)
    rate_all(ben)
    save_ratings(assignment=row, marks=POOR)
    assert Rating.objects.counting().filter(assignment__item=row.item).count() == 6


@pytest.mark.any_database
def test_who_joined_the_team_meanwhile_rates_it_no_more(panel: Panel) -> None:
    ann = panel.rater("ann")
    row = take(ann)
    generation = row.item.generation
    assert generation is not None
    Membership.objects.create(team=generation.submission.entrant.team, user=panel.person("ann"))
    with pytest.raises(NotNow, match="own team"):
        save_ratings(assignment=row, marks=FAIR)
    with pytest.raises(NotNow, match="own team"):
        enter_ratings(item=row.item, rater=ann, marks=FAIR, author=staff(panel))
    assert take(ann).item_id != row.item_id


@pytest.mark.any_database
def test_who_is_dismissed_saves_nothing(panel: Panel) -> None:
    ann = panel.rater("ann")
    row = take(ann)
    campaigns.move_rater(rater=ann, state=RaterState.DISMISSED, reason="away")
    with pytest.raises(NotNow):
        save_ratings(assignment=row, marks=FAIR)


@pytest.mark.any_database
def test_skipping_leaves_the_item_to_others(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
    row = take(ann)
    assert skip_item(assignment=row, reason="I wrote the original")
    assert (row.state, row.reason) == (AssignmentState.SKIPPED, "I wrote the original")
    assert take(ann).item_id != row.item_id
    assert rate_all(ben) >= 7
    assert not skip_item(assignment=ben.assignments.filter(state="done")[0], reason="late")


@pytest.mark.any_database
def test_what_was_skipped_may_be_rated_after_all(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    skip_item(assignment=row, reason="cannot tell")
    save_ratings(assignment=row, marks=FAIR)
    assert (row.state, row.reason) == (AssignmentState.DONE, "")


@pytest.mark.any_database
def test_a_rater_of_another_campaign_is_none_of_this(panel: Panel) -> None:
    other = panel.rater("ann", panel.new())
    with pytest.raises(NotNow):
        enter_ratings(item=panel.item(), rater=other, marks=FAIR, author=staff(panel))


@pytest.mark.any_database
def test_a_rating_outlives_its_rater_s_account(panel: Panel) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    panel.person("ann").delete()
    assert Rating.objects.counting().count() == 3
    assert MarkChange.objects.filter(user=None).count() == 3


# --- Drafts -------------------------------------------------------------------------------


@pytest.mark.any_database
@pytest.mark.parametrize("sent", [0, 1], ids=["none", "one"])
def test_a_page_that_is_left_may_be_faster_than_its_last_draft(panel: Panel, sent: int) -> None:
    row = take(panel.rater("ann"))
    for version in range(sent):
        save_draft(assignment=row, version=version, marks={"correctness": 1})
    assert save_draft(assignment=row, version=sent + 1, marks=FAIR, leaving=True)
    assert save_draft(assignment=row, version=sent, marks={"correctness": 2}) is None
    assert Draft.objects.get().marks == FAIR


@pytest.mark.any_database
def test_another_tab_that_is_left_overwrites_nothing(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    for version in range(3):
        save_draft(assignment=row, version=version, marks=FAIR)
    assert save_draft(assignment=row, version=2, marks=POOR, leaving=True) is None
    save_ratings(assignment=row, marks=FAIR)
    assert save_draft(assignment=row, version=1, marks=POOR, leaving=True) is None
    assert not Draft.objects.exists()


@pytest.mark.any_database
def test_a_clock_that_ran_on_counts_up_to_a_bound(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    save_draft(assignment=row, version=0, marks={}, seconds=10**9)
    save_draft(assignment=row, version=1, marks={}, seconds=-5)
    assert Draft.objects.get().seconds == MOST_SECONDS_AT_ONCE


@pytest.mark.any_database
def test_a_draft_that_comes_after_the_marks_were_saved_leaves_nothing(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    draft = save_draft(assignment=row, version=0, marks=POOR)
    assert draft is not None
    save_ratings(assignment=row, marks=FAIR)
    assert save_draft(assignment=row, version=draft.version, marks=POOR) is None
    assert not Draft.objects.exists()


# --- The submission was taken out meanwhile -------------------------------------------------


@pytest.fixture
def gone(panel: Panel) -> Assignment:
    """ann's assignment, loaded before its submission was removed, as in a request that began
    earlier."""
    row = take(panel.rater("ann"))
    Assignment.objects.update(lease_until=None)
    assert row.item.generation is not None
    campaigns.remove_submission(
        campaign=panel.campaign,
        submission=row.item.generation.submission,
        user=panel.cast.dora,
        reason="sent by mistake",
    )
    return row


@pytest.mark.any_database
def test_of_an_item_that_is_gone_nothing_is_kept_and_that_is_said(gone: Assignment) -> None:
    wanted = Campaign.objects.get().wanted
    with pytest.raises(TakenOut, match="removed from the campaign"):
        save_ratings(assignment=gone, marks=FAIR)
    with pytest.raises(TakenOut):
        skip_item(assignment=gone, reason="no Java")
    for version in (0, 1):
        with pytest.raises(TakenOut):
            save_draft(assignment=gone, version=version, marks=FAIR)
    assert not Assignment.objects.exists()
    assert Campaign.objects.get().wanted == wanted


@pytest.mark.any_database
def test_staff_too_are_told_of_an_item_that_is_gone(panel: Panel, gone: Assignment) -> None:
    with pytest.raises(TakenOut):
        enter_ratings(item=gone.item, rater=gone.rater, marks=FAIR, author=staff(panel))

"""Tests of several raters, tabs and organisers at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction

from evaluation.work.deleting import remove_submissions
from leaderboard.annotation import campaigns
from leaderboard.annotation.assigning import items_to_settle, take_next
from leaderboard.annotation.errors import NotNow, TakenOut
from leaderboard.annotation.importing import ImportedRatings, import_ratings
from leaderboard.annotation.models import (
    Assignment,
    Campaign,
    MarkChange,
    Outcome,
    RaterState,
    Rating,
)
from leaderboard.annotation.rating import save_draft, save_ratings
from leaderboard.annotation.results import campaign_of, choose_campaign, make_results
from leaderboard.submissions.models import Submission
from tests.evaluation.web.conftest import at_once, closing_connection
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.panel import FAIR, POOR, Panel, rate, rate_all, take, take_this

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]
NAMES = ("ann", "ben", "cat", "dan", "eve")


def test_of_many_who_ask_for_the_last_place_one_gets_it(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    raters = [panel.rater(name, campaign) for name in NAMES]
    for item in campaign.items.order_by("pk")[1:]:
        rate(raters[0], item)
    given = at_once(*(partial(take_next, rater=one, owner=str(one)) for one in raters))
    taken = [row for row in given if row is not None]
    assert [row.item for row in taken] == [panel.item(campaign)]
    assert Assignment.objects.taking_a_place().filter(item=panel.item(campaign)).count() == 1


def test_raters_who_work_at_once_share_the_items_out(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=2)
    raters = [panel.rater(name, campaign) for name in NAMES[:4]]
    done = at_once(*(partial(rate_all, rater) for rater in raters))
    assert sum(done) == 16
    assert {item.assignments.count() for item in campaign.items.all()} == {2}
    assert Rating.objects.count() == 48


def test_a_rater_with_two_tabs_has_one_item(panel: Panel) -> None:
    ann = panel.rater("ann")
    rows = at_once(*(partial(take_next, rater=ann, owner=tab) for tab in "abc"))
    assert len({row.pk for row in rows if row is not None}) == 1
    assert ann.assignments.get().attempt == 3


def test_two_tabs_that_save_at_once_leave_one_mark_on_a_scale(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    again = Assignment.objects.get(pk=row.pk)
    at_once(
        partial(save_ratings, assignment=row, marks=FAIR),
        partial(save_ratings, assignment=again, marks=POOR),
    )
    stands = {one.criterion: one.value for one in row.ratings.all()}
    assert stands in (FAIR, POOR)
    assert MarkChange.objects.filter(old=None).count() == 3
    assert MarkChange.objects.exclude(old=None).count() == 2


def test_of_two_tabs_that_draft_at_once_one_is_told_of_the_other(panel: Panel) -> None:
    row = take(panel.rater("ann"))
    drafted = at_once(
        *(
            partial(save_draft, assignment=row, version=0, marks={"correctness": mark})
            for mark in (1, 2, 3)
        )
    )
    (kept,) = [draft for draft in drafted if draft is not None]
    assert (row.draft.version, row.draft.marks) == (1, kept.marks)


def test_two_who_finish_an_item_at_once_send_it_to_a_third(panel: Panel) -> None:
    rows = [take_this(panel.rater(name), panel.item()) for name in ("ann", "ben")]
    at_once(
        partial(save_ratings, assignment=rows[0], marks=FAIR),
        partial(save_ratings, assignment=rows[1], marks=POOR),
    )
    assert items_to_settle(panel.campaign).get() == panel.item()


def settle(row: Assignment) -> bool:
    try:
        return bool(save_ratings(assignment=row, marks={"correctness": 2}))
    except (NotNow, ValidationError):
        return False


def test_of_two_who_settle_at_once_one_does(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item(), FAIR)
    rate(panel.rater("ben"), panel.item(), POOR)
    third, rows = Assignment.Kind.THIRD, []
    for name in ("dan", "eve"):
        rows.append(take_this(panel.rater(name, adjudicates=True), panel.item(), third))
        Assignment.objects.filter(pk=rows[-1].pk).update(lease_until=None)
    assert sorted(at_once(*(partial(settle, row) for row in rows))) == [False, True]
    assert Outcome.objects.count() == 1


def saved(row: Assignment) -> bool:
    try:
        return bool(save_ratings(assignment=row, marks=FAIR))
    except NotNow:
        return False


def test_who_saves_while_it_is_closed_is_saved_or_told(panel: Panel) -> None:
    rows = [take(panel.rater(name)) for name in NAMES]
    close = partial(campaigns.close_campaign, campaign=panel.campaign)
    *told, closed = at_once(*(partial(saved, row) for row in rows), close)
    assert closed
    assert Rating.objects.count() == 3 * sum(told)
    assert not any(saved(row) for row in rows)


def told(row: Assignment) -> int:
    """The status of the answer to the rater's page when it saves marks."""
    assert row.rater.user is not None
    marks = {"mark-correctness": "3", "mark-code-quality": "2", "mark-maintainability": "4"}
    return visitor(row.rater.user).post(f"/rate/items/{row.pk}/save/", marks).status_code


def taken_out(panel: Panel) -> int:
    try:
        return campaigns.remove_submission(
            campaign=panel.campaign, submission=panel.fenland, user=panel.cast.dora, reason="late"
        )
    except NotNow:
        return 0


def test_who_saves_while_it_is_taken_out_is_saved_or_told(panel: Panel) -> None:
    items = panel.campaign.items.filter(generation__submission=panel.fenland).order_by("pk")
    rows = [take_this(panel.rater(name), items[0]) for name in NAMES[:2]]
    Assignment.objects.update(lease_until=None)
    *answers, gone = at_once(*(partial(told, row) for row in rows), partial(taken_out, panel))
    assert answers == ([404, 404] if gone else [302, 302])
    assert Rating.objects.count() == (0 if gone else 6)


def test_a_draft_and_a_removal_at_once_leave_one_of_them(panel: Panel) -> None:
    items = panel.campaign.items.filter(generation__submission=panel.fenland).order_by("pk")
    row = take_this(panel.rater("ann"), items[0])
    Assignment.objects.update(lease_until=None)

    def drafted() -> bool:
        try:
            return bool(save_draft(assignment=row, version=0, marks={"correctness": 1}))
        except TakenOut:
            return False

    kept, gone = at_once(drafted, partial(taken_out, panel))
    assert bool(kept) != bool(gone)


def test_raters_added_at_once_have_numbers_of_their_own(panel: Panel) -> None:
    campaign, people = panel.campaign, [panel.person(name) for name in NAMES]
    raters = at_once(*(partial(campaigns.add_rater, campaign=campaign, user=one) for one in people))
    assert sorted(rater.number for rater in raters) == [1, 2, 3, 4, 5]


def test_results_made_by_several_at_once_are_there_once(panel: Panel) -> None:
    rate_all(panel.rater("ann"))
    made = at_once(
        *(
            partial(make_results, campaign=Campaign.objects.get(pk=panel.campaign.pk))
            for _ in range(3)
        )
    )
    assert sorted(map(bool, made)) == [False, False, True]
    assert panel.campaign.scores.filter(slice="overall").count() == 6


def test_who_rates_and_takes_in_two_tabs_waits_for_nobody_for_ever(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    row = take_this(ann, panel.item())
    calls = [
        partial(saved, row),
        partial(take_next, rater=ann, owner="second tab"),
        partial(campaigns.move_rater, rater=ben, state=RaterState.DISMISSED, reason="away"),
        partial(take_next, rater=ben, owner="a tab"),
    ]
    done = at_once(*calls)
    assert done[0] and done[2]


def test_a_file_comes_in_while_its_raters_rate(panel: Panel) -> None:
    raters = [panel.rater(name) for name in NAMES[:3]]
    header = "rater,item,correctness,code quality,maintainability\n"
    items = list(panel.campaign.items.order_by("-pk").values_list("pk", flat=True))
    lines = [f"{name},{item},3,2,4\n" for item in items[:6] for name in NAMES[:3]]
    call = partial(
        import_ratings,
        campaign=panel.campaign,
        content=(header + "".join(lines)).encode(),
        user=panel.cast.dora,
        reason="paper forms",
        replace=True,
    )
    imported, *_done = at_once(call, *(partial(rate_all, rater) for rater in raters))
    assert imported == ImportedRatings(18, imported.new, 0)
    assert Rating.objects.filter(assignment__item__in=items[:6]).count() == 54
    assert MarkChange.objects.count() == Rating.objects.count()


def overlapping(first: Callable[[], object], second: Callable[[], object]) -> None:
    """The second call begins before the transaction of the first one ends."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            later = pool.submit(closing_connection(second))
            wait([later], timeout=0.5)
        later.result(60)


def test_a_submission_that_is_being_added_is_not_removed(panel: Panel) -> None:
    campaign, rows = panel.new(), Submission.objects.filter(pk=panel.northwood.pk)
    overlapping(
        partial(panel.add, campaign, panel.northwood), partial(remove_submissions, rows.all())
    )
    assert rows.exists()


def test_of_two_choices_at_once_the_later_one_counts(panel: Panel) -> None:
    _first, second, third = (panel.open(panel.northwood) for _ in range(3))
    overlapping(*(
        partial(choose_campaign, campaign=one, user=panel.cast.dora, reason="more raters")
        for one in (second, third)
    ))  # fmt: skip
    assert campaign_of(panel.northwood) == third

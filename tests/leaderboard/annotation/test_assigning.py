"""Tests of the assignment of items: balanced, in a separate order per rater, never to the
submitting team."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts.models import Membership
from leaderboard.annotation import assigning, campaigns, rating
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Item,
    Rater,
    RaterState,
    Trial,
)
from leaderboard.benchmarks.models import TaskExclusion
from tests.evaluation.web.conftest import age
from tests.support.panel import FAIR, Panel, rate, rate_all, take, take_this

# The order is made in Python, of rows that other tests read too.
in_python = pytest.mark.any_database


def items_of(rater: Rater) -> list[int]:
    return list(rater.assignments.order_by("shown", "pk").values_list("item", flat=True))


def test_items_with_the_fewest_raters_come_first(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    rated = {take(ann).item_id for _ in range(1)}
    for _ in range(9):
        row = take(ann)
        rated.add(row.item_id)
        rating.save_ratings(assignment=row, marks=FAIR)
    lonely = set(panel.campaign.items.values_list("pk", flat=True)) - rated
    for _ in lonely:
        row = take(ben)
        assert row.item_id in lonely
        rating.save_ratings(assignment=row, marks=FAIR)
    assert take(ben).item_id in rated


@in_python
def test_each_rater_has_an_order_of_their_own_that_stays(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, panel.fenland, per_item=9)
    orders = []
    for name in ("ann", "ben"):
        rater = panel.rater(name, campaign)
        first = take(rater).item_id
        assert assigning.let_go(assignment=rater.assignments.get())
        assert take(rater).item_id == first
        rate_all(rater)
        orders.append(items_of(rater))
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


@in_python
def test_near_identical_generations_do_not_follow_each_other(panel: Panel) -> None:
    texts = ("int a() { return 1; }", "int a() { return 1; } // so", "int a() {\n return 1; }")
    alike = [panel.submission(f"M{n}", panel.cast.fenland, t) for n, t in enumerate(texts)]
    rater = panel.rater("ann", panel.open(*alike))
    rate_all(rater)
    shown = Item.objects.in_bulk(items_of(rater))
    order = [(shown[pk].task_id, shown[pk].likeness) for pk in items_of(rater)]
    assert len(order) == 24
    assert not [one for one, after in zip(order, order[1:], strict=False) if one == after]


@in_python
def test_near_identical_generations_are_not_all_left_for_the_end(panel: Panel) -> None:
    texts = ("int a;", "int a; //", "int a; // b", "f(x, y, z) + 1;", "for (;;) { run(); }")
    campaign = panel.new(per_item=9)
    panel.add(
        campaign, *(panel.submission(f"M{n}", panel.cast.fenland, t) for n, t in enumerate(texts))
    )
    campaign.items.exclude(task=panel.task()).delete()
    campaigns.open_campaign(campaign=campaign)
    for name in ("ann", "ben", "cat"):
        rater = panel.rater(name, campaign)
        rate_all(rater)
        order = [Item.objects.get(pk=pk).likeness for pk in items_of(rater)]
        assert [order[0], order[2], order[4]] == [0, 0, 0]


@pytest.mark.any_database
def test_near_identical_generations_follow_where_nothing_else_is_left(panel: Panel) -> None:
    campaign = panel.new()
    both = [panel.submission(f"M{n}", panel.cast.fenland, "int a;") for n in range(2)]
    panel.add(campaign, *both)
    campaign.items.exclude(task=panel.task()).delete()
    campaigns.open_campaign(campaign=campaign)
    assert rate_all(panel.rater("ann", campaign)) == 2


@pytest.mark.any_database
def test_nobody_is_given_what_their_own_team_submitted(panel: Panel) -> None:
    bob = campaigns.add_rater(campaign=panel.campaign, user=panel.cast.bob)
    own = panel.campaign.items.filter(generation__submission=panel.northwood)
    panel.fenland  # noqa: B018  # there is something else, and something that could leak
    Membership.objects.get_or_create(team=panel.cast.northwood, user=panel.cast.bob)
    assert rate_all(bob) == 8
    assert not bob.assignments.filter(item__in=own).exists()
    for kind in Assignment.Kind:
        row = assigning.take_item(rater=bob, item_pk=own[0].pk, kind=kind, owner="a tab")
        assert row is None


@pytest.mark.any_database
def test_tasks_that_are_left_out_are_not_rated(panel: Panel) -> None:
    TaskExclusion.objects.create(task=panel.task(), reason="broken")
    ann = panel.rater("ann")
    assert rate_all(ann) == 14


@pytest.mark.any_database
def test_a_place_is_held_while_somebody_is_there_and_free_a_while_later(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
    row = take(ann)
    assert assigning.keep_alive(assignment=row)
    assert rate_all(ben) == 7
    assert assigning.take_next(rater=ben, owner="b") is None
    age(row)
    assert rate_all(ben) == 1
    assert not assigning.keep_alive(assignment=row)
    assert assigning.take_next(rater=ann, owner="a") is None


def test_a_lease_that_ran_out_is_taken_up_again_where_the_place_is_free(panel: Panel) -> None:
    ann = panel.rater("ann")
    row = take(ann)
    age(row)
    assert assigning.keep_alive(assignment=row)
    row.refresh_from_db()
    assert Assignment.objects.taking_a_place().filter(pk=row.pk).exists()


@pytest.mark.any_database
def test_what_was_drafted_comes_back_though_others_took_the_place(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
    row = take(ann)
    rating.save_draft(assignment=row, version=0, marks={"correctness": 2}, seconds=9)
    age(row)
    rate_all(ben)
    again = take(ann)
    assert (again.item_id, again.draft.marks) == (row.item_id, {"correctness": 2})


@pytest.mark.any_database
def test_who_is_dismissed_is_given_nothing_and_leaves_their_places(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, per_item=1)
    ann, ben = panel.rater("ann", campaign), panel.rater("ben", campaign)
    rate_all(ann)
    assert assigning.take_next(rater=ben, owner="b") is None
    campaigns.move_rater(rater=ann, state=RaterState.DISMISSED, reason="marks at random")
    assert assigning.take_next(rater=ann, owner="a") is None
    assert rate_all(ben) == 8


@pytest.mark.any_database
def test_going_back_keeps_what_was_rated_rated(panel: Panel) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    row = ann.assignments.get()
    again = assigning.reopen(assignment=row, owner="a tab")
    assert again is not None
    assert (again.state, again.attempt) == (AssignmentState.DONE, row.attempt + 1)
    age(again)
    assert assigning.keep_alive(assignment=again)
    again.refresh_from_db()
    assert again.state == AssignmentState.DONE
    campaigns.close_campaign(campaign=panel.campaign)
    assert assigning.reopen(assignment=row, owner="a tab") is None


@in_python
def test_known_items_among_others_come_every_so_often(panel: Panel) -> None:
    campaign = panel.with_known_item(panel.northwood, panel.fenland, trial=Trial.AMONG)
    ann = panel.rater("ann", campaign)
    assert rate_all(ann) == 17
    kinds = [Item.objects.get(pk=pk).kind for pk in items_of(ann)]
    assert kinds.index(Item.Kind.KNOWN) == assigning.OTHERS_PER_KNOWN


def test_taking_asks_as_many_queries_whatever_there_is(panel: Panel) -> None:
    def asked(rater: Rater) -> int:
        with CaptureQueriesContext(connection) as seen:
            take(rater)
        return len(seen)

    small = panel.open(panel.northwood)
    first = asked(panel.rater("ann", small))
    panel.add(small, panel.fenland)
    assert asked(panel.rater("ben", small)) == first


@pytest.mark.any_database
def test_a_place_that_is_rated_alone_is_not_taken_as_a_third(panel: Panel) -> None:
    ann = panel.rater("ann", adjudicates=True)
    rate(ann, panel.item())
    third = Assignment.Kind.THIRD
    assert assigning.take_item(rater=ann, item_pk=panel.item().pk, kind=third, owner="a") is None
    assert take_this(panel.rater("ben"), panel.item()).kind == Assignment.Kind.ALONE

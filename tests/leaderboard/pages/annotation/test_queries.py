"""Tests of the queries for rating: what raters may see, and the progress of raters and
campaigns."""

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.annotation import campaigns, rating
from leaderboard.annotation.models import Rating
from leaderboard.annotation.rating import save_ratings, skip_item
from leaderboard.pages.annotation import queries
from tests.support.panel import FAIR, POOR, Panel, rate, take, take_this

pytestmark = pytest.mark.any_database


def seen(panel: Panel, name: str) -> set[str]:
    """The raters whose marks the user sees."""
    rows = Rating.objects.visible_to(panel.person(name))
    users = rows.values_list("assignment__rater__user__username", flat=True)
    return {str(user) for user in users}


def test_others_marks_are_seen_after_one_s_own_are_saved(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    rate(ann, panel.item())
    row = take_this(ben, panel.item())
    rating.save_draft(assignment=row, version=0, marks=POOR)
    assert (seen(panel, "ann"), seen(panel, "ben")) == ({"ann"}, set())
    save_ratings(assignment=row, marks=POOR)
    assert seen(panel, "ann") == seen(panel, "ben") == {"ann", "ben"}


def test_skipping_shows_nobody_s_marks(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item())
    skip_item(assignment=take_this(panel.rater("ben"), panel.item()), reason="hard")
    assert seen(panel, "ben") == set()


def test_marks_for_one_item_show_none_of_another(panel: Panel) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    rate(ann, panel.item())
    rate(ben, panel.item(number=1))
    assert seen(panel, "ben") == {"ben"}


def test_who_does_not_rate_sees_no_marks(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item())
    assert not Rating.objects.visible_to(AnonymousUser()).exists()
    assert not Rating.objects.visible_to(panel.cast.alice).exists()


def test_staff_see_all_but_where_they_rate_themselves(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item())
    assert Rating.objects.visible_to(panel.cast.dora).count() == 3
    dora = campaigns.add_rater(campaign=panel.campaign, user=panel.cast.dora)
    assert not Rating.objects.visible_to(panel.cast.dora).exists()
    rate(dora, panel.item())
    assert Rating.objects.visible_to(panel.cast.dora).count() == 6


def test_a_third_person_sees_the_marks_to_settle(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item(), FAIR)
    rate(panel.rater("ben"), panel.item(), POOR)
    dan = panel.rater("dan", adjudicates=True)
    assert seen(panel, "dan") == set()
    save_ratings(assignment=take(dan), marks={"correctness": 2})
    assert seen(panel, "dan") == {"ann", "ben"}


def test_a_rater_s_progress_and_pace(panel: Panel) -> None:
    ann = panel.rater("ann")
    first = queries.RaterProgress(done=0, skipped=0, left=16, seconds=0)
    assert queries.rater_progress(ann) == first
    for seconds in (30, 60):
        save_ratings(assignment=take(ann), marks=FAIR, seconds=seconds)
    skip_item(assignment=take(ann), reason="hard")
    later = queries.RaterProgress(done=2, skipped=1, left=13, seconds=90)
    assert queries.rater_progress(ann) == later
    line = queries.rater_lines(panel.campaign)[0]
    assert (line.done, line.skipped, line.timed, line.seconds) == (2, 1, 2, 90)
    # A few seconds tell no pace.
    assert (queries.items_per_hour(1, 59), queries.items_per_hour(2, 60)) == (None, 120.0)

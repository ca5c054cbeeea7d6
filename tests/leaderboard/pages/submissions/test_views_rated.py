"""Tests of a submission that people judge: its progress for everyone, single marks for
organisers."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evaluation import jobs
from evaluation.models import Evaluation, EvaluationState
from evaluation.work import actions
from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.results import make_results
from leaderboard.submissions.models import Submission, Visibility
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.panel import FAIR, Panel, rate, store
from tests.support.rated import publish, rated_board, rated_panel, settle

pytestmark = pytest.mark.any_database


@pytest.fixture
def panel(cast: Cast, tmp_path: Path) -> Panel:
    return rated_panel(cast, tmp_path)


def scored(panel: Panel) -> Submission:
    """Larch's private submission, scored by its current ratings."""
    found = panel.northwood
    evaluation = found.evaluations.first() or actions.open_evaluation(submission=found)
    jobs.score(evaluation.pk)
    return found


def page(client: Client, found: Submission, task: int | None = None) -> str:
    address = found.get_absolute_url() + ("" if task is None else f"tasks/{task}/")
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_it_says_how_many_have_all_their_raters(panel: Panel) -> None:
    campaign = panel.campaign
    item = campaign.items.get(generation=panel.northwood.generations.order_by("pk").first())
    for name in ("ann", "ben"):
        rate(panel.rater(name), item)
    text = page(visitor(panel.cast.alice), scored(panel))
    assert "1 of 12 have all their raters · 22 ratings are still needed" in text


def test_means_stand_on_their_scales(panel: Panel, client: Client) -> None:
    rated_board(panel)
    text = page(client, panel.northwood)
    assert "<b>3.81</b>" in text
    assert "36 marks · 3 raters" in text
    assert "Alpha on correctness" in text and "reaches the required -1.000." in text
    assert "Every mean has reached the number of marks and the agreement" in text


def test_a_provisional_mean_is_its_team_s_and_staff_s(panel: Panel) -> None:
    campaign = panel.open(panel.northwood, panel.fenland, fewest_ratings=100)
    settle(campaign, panel)
    make_results(campaign=campaign)
    publish(panel.northwood)
    cast = panel.cast
    for person, sees in ((cast.alice, True), (cast.dora, True), (cast.charlie, False)):
        text = page(visitor(person), panel.northwood)
        assert ("3.81" in text) == sees, person
        assert "too few marks yet" in text
        assert "provisional" in text


def test_single_marks_are_the_organisers_alone(panel: Panel) -> None:
    rated_board(panel)
    alice, dora = panel.cast.alice, panel.cast.dora
    for person in (None, alice, panel.cast.charlie, panel.person("ann"), dora):
        text = page(visitor(person), panel.northwood, task=1)
        assert ("rater 1: correctness 4" in text) == (person == dora), person
        assert ("> a() { <" in text) == (person in (alice, dora)), person
    # Staff who rate are raters.
    campaigns.add_rater(campaign=panel.campaign, user=panel.cast.dora)
    assert "rater 1" not in page(visitor(panel.cast.dora), panel.northwood, task=1)


def test_a_task_without_a_generation_says_what_it_comes_to(panel: Panel) -> None:
    found = scored(panel)
    found.generations.filter(task__number=3).delete()
    assert "the lowest mark on every scale" in page(visitor(panel.cast.alice), found)


def test_the_page_asks_the_same_number_of_queries(
    panel: Panel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rated_board(panel)
    client = Client()
    page(client, panel.northwood)
    with django_assert_num_queries(15):
        page(client, panel.northwood)
    store(panel.rater("dan"), lambda _: FAIR)
    with django_assert_num_queries(15):
        page(client, panel.northwood)


def test_the_list_says_how_far_it_is_rated(panel: Panel) -> None:
    def state() -> str:
        text = visitor(panel.cast.alice).get(reverse("submissions")).text
        return text.partition('<td class="below">')[2].partition("</td>")[0]

    scored(panel)
    assert state() == "waits to be opened for rating"
    first = panel.northwood.generations.earliest("pk")
    item = panel.campaign.items.get(generation=first)
    for name in ("ann", "ben"):
        rate(panel.rater(name), item)
    assert state() == "1 of 12 rated"
    # A newer campaign with other scales is not the one that its page shows.
    other = panel.open(panel.northwood)
    Campaign.objects.filter(pk=other.pk).update(family_slug="rucodeeval")
    assert state() == "1 of 12 rated"
    Evaluation.objects.update(state=EvaluationState.CANCELLED)
    assert state() == "cancelled"


def test_its_team_sees_its_row_and_what_changed_before_publishing(panel: Panel) -> None:
    rated_board(panel)
    later = panel.cast.submission(
        panel.northwood.entrant, benchmark=panel.benchmark, samples=1, text="int c;"
    )
    campaign = panel.open(panel.northwood, panel.fenland, later)
    settle(campaign, panel)
    make_results(campaign=campaign)
    jobs.score(actions.open_evaluation(submission=later).pk)
    text = page(visitor(panel.cast.alice), later)
    note = text.partition('id="would-be"')[2].partition("</p>")[0]
    assert "row 1 of 2" in note, note
    assert 'id="changes"' in text and "12 tasks are worse" in text


def test_it_is_not_published_before_it_has_a_mark(panel: Panel) -> None:
    found = scored(panel)
    assert panel.campaign
    client = visitor(panel.cast.alice)
    address = reverse("submission-publish", args=[found.pk])
    assert address not in page(client, found)
    assert "Nobody has rated it yet." in client.post(address, follow=True).text
    found.refresh_from_db()
    assert found.visibility == Visibility.PRIVATE
    item = panel.campaign.items.get(generation=found.generations.earliest("pk"))
    rate(panel.rater("ann"), item)
    assert address in page(client, found)
    client.post(address)
    found.refresh_from_db()
    assert found.visibility == Visibility.PUBLISHED

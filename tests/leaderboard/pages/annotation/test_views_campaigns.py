"""Tests of the organisers' pages of campaigns, from a new campaign to its end."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.accounts.models import User
from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Campaign, Item
from leaderboard.annotation.results import make_results
from leaderboard.pages.annotation.queries import taken_over
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import PASSWORD, Cast, confirmed_user
from tests.support.panel import FAIR, POOR, Panel, rate, store
from tests.support.rated import publish, rated_board, rated_panel, settle

pytestmark = pytest.mark.any_database

LIST_QUERIES, CAMPAIGN_QUERIES, SUBMISSIONS_QUERIES = 4, 16, 5
TERMS = {
    "title": "Winter",
    "family_slug": "",
    "per_item": 3,
    "trial": "before",
    "most_apart": 0.7,
    "fewest_ratings": 30,
    "least_agreement": 0.667,
}
PAGES = (
    *("", "submissions/", "terms/", "known/", "raters/", "raters/1/", "differences/"),
    *("disagreements/", "skips/", "items/", "marks.csv"),
)
ACTIONS = (
    *("open/", "close/", "submissions/", "terms/", "known/", "raters/add/"),
    *("raters/1/admit/", "raters/1/dismiss/"),
)


def of(campaign: Campaign, part: str = "") -> str:
    return f"/campaigns/{campaign.pk}/{part}"


def clerk() -> User:
    """Staff who may only look."""
    user = confirmed_user("clerk", "clerk@example.org", PASSWORD, is_staff=True)
    names = ("view_campaign", "view_rating", "view_submission")
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    return user


# --- Who reaches them ---------------------------------------------------------------------


def test_staff_who_may_only_look_see_every_page_and_change_nothing(panel: Panel) -> None:
    campaign = panel.campaign
    rate(panel.rater("ann"), panel.item())
    client = visitor(clerk())
    removal = f"submissions/{panel.fenland.pk}/remove/"
    for part in (*PAGES, f"items/{panel.item().pk}/"):
        assert client.get(of(campaign, part)).status_code == 200, part
    for part in (*ACTIONS, removal):
        assert client.post(of(campaign, part), {"reason": "x"}).status_code == 403, part
    assert client.get("/campaigns/new/").status_code == 403
    assert client.get(of(campaign, removal)).status_code == 403
    assert "take out" not in client.get(of(campaign, "submissions/")).text
    assert "Add a rater" not in client.get(of(campaign, "raters/")).text
    campaign.refresh_from_db()
    assert (campaign.state, campaign.raters.get().state) == ("open", "rating")


def test_an_organiser_who_rates_sees_no_marks_of_others(panel: Panel, dora: Client) -> None:
    rate(panel.rater("ann"), panel.item(), FAIR)
    rate(panel.rater("ben"), panel.item(), POOR)
    make_results(campaign=panel.campaign)
    campaigns.add_rater(campaign=panel.campaign, user=panel.cast.dora)
    for part in ("differences/", "disagreements/", "known/", "items/"):
        answer = dora.get(of(panel.campaign, part))
        assert answer.status_code == 403 and "are a rater in this campaign" in answer.text
    assert dora.get(of(panel.campaign, f"items/{panel.item().pk}/")).status_code == 404
    assert dora.get(of(panel.campaign, "marks.csv")).text.count("\n") == 1
    for part in ("raters/", "raters/1/"):
        page = dora.get(of(panel.campaign, part)).text
        assert "is hidden from you" in page and "Agreement with the others" not in page


# --- The list and a new one ---------------------------------------------------------------


def test_the_list_takes_a_constant_number_of_queries(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(3):
        campaign = panel.open(panel.northwood)
        rate(panel.rater("ann", campaign), panel.item(campaign))
        with django_assert_num_queries(LIST_QUERIES):
            page = dora.get("/campaigns/").text
        assert page.count("of 8 × 2") == n + 1


def test_terms_that_cannot_be_are_refused_and_stand(panel: Panel, dora: Client) -> None:
    data = {**TERMS, "revision": panel.revision.pk, "most_apart": 0.55, "per_item": 0}
    answer = dora.post("/campaigns/new/", data)
    assert (answer.status_code, "greater" in answer.text) == (422, True)
    assert 'value="0.55"' in answer.text


def test_a_tested_benchmark_takes_another_s_scales(panel: Panel, dora: Client) -> None:
    revision = panel.cast.rucodeeval.current
    assert revision is not None
    data = {**TERMS, "revision": revision.pk}
    assert "choose scales" in dora.post("/campaigns/new/", data).text
    dora.post("/campaigns/new/", {**data, "family_slug": "aixbench_nl"})
    assert Campaign.objects.get().family_slug == "aixbench_nl"


# --- One campaign -------------------------------------------------------------------------


def test_progress_agreement_and_means_are_shown(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = panel.open(panel.longer("Alder"))
    for name in ("ann", "ben"):
        store(panel.rater(name, campaign), lambda number: FAIR if number % 2 else POOR)
    assert "being computed again" in dora.get(of(campaign)).text
    make_results(campaign=campaign)
    with django_assert_num_queries(CAMPAIGN_QUERIES):
        page = dora.get(of(campaign)).text
    assert "12 of 12 generations have all their raters" in page
    assert "Krippendorff" in page and "1.00" in page
    said = re.findall(r"Its lower end, (0\.\d{3}), reaches the required -1\.000\.", page)
    # On two scales; on the third one all marks are equal.
    assert len(said) == 2 and float(said[0]) < 0.7
    assert "Alder" in page and "for this panel of raters" in page


def test_opening_and_closing_ask_first_and_say_what_happened(panel: Panel, dora: Client) -> None:
    campaign = panel.new()
    page = dora.post(of(campaign, "open/"), follow=True).text
    assert "nothing to rate in this campaign yet" in page
    panel.add(campaign, panel.northwood)
    assert "The campaign is open" in dora.post(of(campaign, "open/"), follow=True).text
    assert "Close the campaign" in dora.get(of(campaign)).text
    assert "Drafts are kept" in dora.post(of(campaign, "close/"), follow=True).text
    assert "Drafts are kept" not in dora.post(of(campaign, "close/"), follow=True).text


@pytest.mark.parametrize("number", [1, 4])
def test_submissions_are_added(
    panel: Panel, dora: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = panel.new()
    made = [panel.submission(f"E{n}", panel.cast.fenland, "int a;") for n in range(number)]
    with django_assert_num_queries(SUBMISSIONS_QUERIES):
        dora.get(of(campaign, "submissions/"))
    data = {"submissions": [one.pk for one in made]}
    page = dora.post(of(campaign, "submissions/"), data, follow=True).text
    assert f"{8 * number} generations were added." in page
    again = dora.post(of(campaign, "submissions/"), data, follow=True).text
    assert "0 generations were added." in again
    assert dora.post(of(campaign, "submissions/"), {}).status_code == 422


# --- Known items --------------------------------------------------------------------------

KNOWN = {"mark-correctness": "3", "mark-code-quality": "2", "mark-maintainability": "4"}


def test_a_known_item_is_added_while_the_campaign_is_prepared(panel: Panel, dora: Client) -> None:
    campaign = panel.new()
    task = panel.task().external_id
    data = {**KNOWN, "task": task, "text": "  int x;\n"}
    assert dora.post(of(campaign, "known/"), data)["Location"] == of(campaign, "known/")
    item = Item.objects.get(kind="known")
    assert {one.criterion: one.value for one in item.known.all()} == FAIR
    assert "int x;" in dora.get(of(campaign, "known/")).text
    panel.add(campaign, panel.northwood)
    campaigns.open_campaign(campaign=campaign)
    assert dora.post(of(campaign, "known/"), data).status_code == 422
    assert Item.objects.filter(kind="known").count() == 1


def test_what_is_wrong_with_a_known_item_is_said_and_it_stands(panel: Panel, dora: Client) -> None:
    data = {"mark-correctness": "3", "task": "none", "text": "int x;"}
    answer = dora.post(of(panel.new(), "known/"), data)
    assert (answer.status_code, "no task with this id" in answer.text) == (422, True)
    assert ">\nint x;</textarea>" in answer.text
    assert not Item.objects.exists()


def steps(panel: Panel, campaign: Campaign) -> dict[str, tuple[str, str]]:
    """The state and the line of each point in the checklist on the campaign's page."""
    page = visitor(panel.cast.dora).get(f"/campaigns/{campaign.pk}/").content.decode()
    step = r'class="step step-(\w+)"[^>]*><b><a href="[^"]+">([^<]+)</a></b>([^<]*)'
    found = re.findall(step, page)
    assert ("cannot publish a mean" in page) == ("stopped" in {state for state, _, _ in found})
    return {title: (state, line) for state, title, line in found}


def test_a_campaign_says_what_it_lacks_before_it_opens(panel: Panel) -> None:
    campaign = panel.new(per_item=2, fewest_ratings=30)
    found = steps(panel, campaign)
    assert [found[name][0] for name in ("Submissions", "Raters", "Marks")] == ["stopped"] * 3
    page = visitor(panel.cast.dora).get(of(campaign)).text
    assert "It cannot publish a mean yet: see the checklist." in page
    for name in ("submissions", "raters", "known", "terms"):
        assert f'<b><a href="{of(campaign)}{name}/">' in page
    panel.add(campaign, panel.northwood)
    for name in ("ann", "ben"):
        panel.rater(name, campaign)
    found = steps(panel, campaign)
    assert found["Submissions"] == ("done", "1 submission with 8 generations")
    assert found["Raters"] == ("done", "2 can rate every generation, 2 needed")
    assert (
        found["Marks"][0] == "stopped"
        and "16 possible for a mean, 30 required" in found["Marks"][1]
    )
    assert [found[name][0] for name in ("Known items", "Disagreements")] == ["todo", "todo"]
    Campaign.objects.filter(pk=campaign.pk).update(fewest_ratings=16)
    assert steps(panel, campaign)["Marks"] == ("done", "16 possible for each mean, 16 required")
    campaigns.open_campaign(campaign=campaign)
    assert steps(panel, campaign)["Marks"][0] == "done"


def test_raters_of_a_submissions_own_team_are_not_counted(panel: Panel) -> None:
    campaign = panel.new(per_item=2, fewest_ratings=1)
    panel.add(campaign, panel.northwood, panel.fenland)
    for person in (panel.cast.alice, panel.person("ann")):
        campaigns.add_rater(campaign=campaign, user=person)
    found = steps(panel, campaign)
    assert found["Raters"] == ("stopped", "1 can rate every generation, 2 needed")
    assert found["Marks"] == ("done", "8 possible for each mean, 1 required")
    Campaign.objects.filter(pk=campaign.pk).update(per_item=1)
    assert "agreement needs two raters" in steps(panel, campaign)["Raters"][1]


# --- Another campaign of the same submissions -------------------------------------------


@pytest.fixture
def board(cast: Cast, tmp_path: Path, quick: None, own_caches: None) -> Panel:
    """Larch's and Sedge's marks are published."""
    panel = rated_panel(cast, tmp_path)
    rated_board(panel)
    return panel


def held(board: Panel) -> dict[int, bool]:
    """Whether each of the two published results is provisional, once all is computed."""
    for campaign in Campaign.objects.all():
        make_results(campaign=campaign)
    publish(board.northwood, board.fenland)
    results = {
        one.pk: one.evaluations.get(current=True) for one in (board.northwood, board.fenland)
    }
    return {pk: one.scores.filter(value=None).exists() for pk, one in results.items()}


def test_opening_another_campaign_changes_no_result_and_choosing_can_be_undone(
    board: Panel, dora: Client
) -> None:
    north, fen = board.northwood.pk, board.fenland.pk
    campaign = board.open(board.northwood)
    assert held(board) == {north: False, fen: False}
    text = dora.get(of(campaign)).text
    assert "1 submission of this campaign has its results from another one." in text
    assert "1 published result becomes provisional" in text
    assert "from another one" not in dora.get(of(board.campaign)).text
    for chosen, provisional in ((campaign, True), (board.campaign, False)):
        answer = dora.post(of(chosen, "choose/"), {"reason": "better rubric"})
        assert answer.status_code == 302
        assert held(board) == {north: provisional, fen: False}
    assert campaign.changes.get(kind="chosen").reason == "better rubric"
    assert "better rubric" in dora.get(of(campaign, "terms/")).text


def test_marks_that_are_there_before_it_is_opened_hold_nothing_up(board: Panel) -> None:
    campaign = board.new()
    board.add(campaign, board.northwood)
    assert taken_over(campaign, {board.northwood.pk}) == {board.northwood.pk}
    settle(campaign, board, mixed=True)
    make_results(campaign=campaign)
    assert taken_over(campaign, {board.northwood.pk}) == set()


def test_scales_of_another_family_take_nothing_over(board: Panel) -> None:
    campaign = board.new()
    Campaign.objects.filter(pk=campaign.pk).update(family_slug="another")
    campaign.refresh_from_db()
    assert taken_over(campaign, {board.northwood.pk}) == set()

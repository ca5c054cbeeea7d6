"""Tests of the pages of a rater's campaigns."""

import csv
import re
from html import escape

import pytest
from django.core.mail import EmailMessage
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation import campaigns, likeness
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Assignment, Item, Rating
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import FAMILIES
from tests.support.panel import FAIR, POOR, Panel, rate, rate_all, store

pytestmark = pytest.mark.any_database

LIST_QUERIES, CAMPAIGN_QUERIES = 3, 14


def test_the_menu_has_a_way_for_raters_and_for_organisers_only(panel: Panel) -> None:
    panel.rater("ann")
    people = {name: panel.person(name) for name in ("ann", "zoe")} | {"dora": panel.cast.dora}
    for name, user in people.items():
        page = visitor(user).get("/benchmarks/").text
        links = 'href="/rate/"' in page, 'href="/campaigns/"' in page
        assert links == (name == "ann", name == "dora")


def test_an_offer_to_rate_reaches_the_organisers(
    panel: Panel, mailoutbox: list[EmailMessage]
) -> None:
    zoe, dora = panel.person("zoe"), panel.cast.dora
    page = visitor(zoe).post("/rate/ask/", {"about": "I read <Java>"}, follow=True).text
    assert "The organisers have your message" in page
    (mail,) = mailoutbox
    assert mail.to == [dora.email]
    assert "zoe" in mail.subject and "I read <Java>" in mail.body and zoe.email in mail.body
    assert visitor(zoe).post("/rate/ask/", {"about": " "}).status_code == 422
    dora.emailaddress_set.all().delete()
    page = visitor(zoe).post("/rate/ask/", {"about": "I read Go"}, follow=True).text
    assert "have your message" not in page and "No organiser of ratings can be reached" in page
    assert re.search(r"<textarea[^>]*>\s*I read Go</textarea>", page)


def test_who_rates_in_no_open_campaign_may_offer_to(panel: Panel) -> None:
    ann = visitor(panel.rater("ann").user)
    assert "Send to the organisers" not in ann.get("/rate/").text
    campaigns.close_campaign(campaign=panel.campaign)
    assert "Send to the organisers" in ann.get("/rate/").text


def test_the_number_of_queries_does_not_grow(
    panel: Panel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = visitor(panel.person("ann"))
    for n in range(3):
        rate(panel.rater("ann", campaign := panel.open(panel.northwood)), panel.item(campaign))
        with django_assert_num_queries(LIST_QUERIES):
            page = client.get("/rate/").text
        assert page.count("Continue rating") == n + 1


def test_meanings_progress_and_one_s_own_marks_are_shown(
    panel: Panel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    client = visitor(panel.person("ann"))
    with django_assert_num_queries(CAMPAIGN_QUERIES):
        page = client.get(f"/rate/{panel.campaign.pk}/").text
    assert "The code is chaotic" in page and "Correctness <b>3</b>" in page
    rate_all(ann)
    with django_assert_num_queries(CAMPAIGN_QUERIES):
        client.get(f"/rate/{panel.campaign.pk}/")


def test_a_rater_s_page_tells_nothing_of_others(panel: Panel) -> None:
    rate(panel.rater("veiled-rater"), panel.item())
    rate(panel.rater("ann"), panel.item())
    page = visitor(panel.person("ann")).get(f"/rate/{panel.campaign.pk}/").text
    for secret in ("veiled", "Larch", "Sedge", "Northwood", "Fenland"):
        assert secret not in page


def test_nothing_is_handed_out_when_the_campaign_is_closed(panel: Panel) -> None:
    panel.rater("ann")
    campaigns.close_campaign(campaign=panel.campaign)
    client = visitor(panel.person("ann"))
    page = client.post(f"/rate/{panel.campaign.pk}/next/", follow=True).text
    assert "nothing more to rate" in page and "Start rating" not in page
    assert not Assignment.objects.exists()


def test_who_has_nothing_left_is_not_asked_to_continue(panel: Panel) -> None:
    ann = panel.rater("ann")
    client, last = visitor(ann.user), address(panel, len(panel.campaign.practice))
    pages = ("/rate/", f"/rate/{panel.campaign.pk}/")
    assert all("Start rating" in client.get(page).text for page in pages)
    assert "Start rating" in client.post(last, ALL_ONES).text
    store(ann, lambda _number: FAIR)
    assert not any("Continue rating" in client.get(page).text for page in pages)
    page = client.post(last, ALL_ONES).text
    assert "Start rating" not in page and "Back to the campaign" in page


def test_an_adjudicator_continues_only_while_raters_differ(panel: Panel) -> None:
    dan = panel.rater("dan", adjudicates=True)
    store(dan, lambda _number: FAIR)
    pages, client = ("/rate/", f"/rate/{panel.campaign.pk}/"), visitor(panel.person("dan"))
    assert not any("Continue rating" in client.get(page).text for page in pages)
    item = panel.campaign.items.latest("pk")
    dan.assignments.filter(item=item).delete()
    for name, marks in (("ann", FAIR), ("ben", POOR)):
        rate(panel.rater(name), item, marks)
    assert all("Continue rating" in client.get(page).text for page in pages)


def test_a_rater_on_trial_starts_with_the_known_items(panel: Panel) -> None:
    campaign = panel.with_known_item(panel.northwood, marks=POOR)
    panel.rater("ann", campaign)
    client = visitor(panel.person("ann"))
    for page in ("/rate/", f"/rate/{campaign.pk}/"):
        assert "Start rating" in client.get(page).text


# --- The practice round -------------------------------------------------------------------

ALL_ONES = {"mark-correctness": "1", "mark-code-quality": "1", "mark-maintainability": "1"}


def address(panel: Panel, number: int) -> str:
    return f"/rate/{panel.campaign.pk}/practice/{number}/"


def test_a_rater_compares_marks_with_explained_ones_and_goes_on(panel: Panel) -> None:
    panel.rater("ann")
    client = visitor(panel.person("ann"))
    for place in ("/rate/", f"/rate/{panel.campaign.pk}/"):
        assert address(panel, 1) in client.get(place).text
    for number, one in enumerate(panel.campaign.practice, 1):
        page = client.get(address(panel, number)).text
        reasons = [escape(explained.reason) for explained in one.marks.values()]
        assert not any(reason in page for reason in reasons)
        page = client.post(address(panel, number), ALL_ONES).text
        assert all(reason in page for reason in reasons)
        assert "You gave <b>1</b>" in page
    assert "Start rating" in page
    assert client.get(address(panel, number + 1)).status_code == 404
    assert not (Rating.objects.exists() or Assignment.objects.exists())


def test_a_missing_mark_is_asked_for_before_anything_is_explained(panel: Panel) -> None:
    panel.rater("ann")
    answer = visitor(panel.person("ann")).post(address(panel, 1), {"mark-correctness": "4"})
    assert (answer.status_code, "A mark is missing" in answer.text) == (422, True)
    assert "is expected" not in answer.text and 'value="4" checked' in answer.text


def test_practice_covers_every_mark_and_every_scale(panel: Panel) -> None:
    for criterion in panel.campaign.criteria:
        marks = {one.marks[criterion.name].mark for one in panel.campaign.practice}
        assert marks == set(range(1, criterion.top + 1))


def test_practice_gives_no_known_item_away(panel: Panel) -> None:
    campaign = panel.new()
    text = panel.campaign.practice[0].text.replace("count", "number")
    with pytest.raises(NotNow, match="The practice round explains"):
        campaigns.add_known_item(campaign=campaign, task=panel.task(), text=text, marks=POOR)
    assert not Item.objects.filter(campaign=campaign).exists()
    with (FAMILIES / "aixbench_nl/sample/qualification.csv").open(newline="") as file:
        known = [line["code"] for line in csv.DictReader(file)]
    texts = [*known, *(one.text for one in panel.campaign.practice)]
    assert len({*likeness.groups(texts, "java")}) == len(texts)

"""Tests of the organisers' pages of marks: what differs, what was skipped, one item, the file of
all marks."""

import csv
import io

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Item, MarkChange
from leaderboard.annotation.rating import Author, enter_ratings, save_ratings, skip_item
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, visitor
from tests.support.cast import Cast
from tests.support.panel import FAIR, POOR, Panel, rate, take, take_this

pytestmark = pytest.mark.any_database

# One asks whether the look is recorded already, except for skips.
ITEMS_QUERIES = 6 + 1
DIFFERENCES_QUERIES, SKIPS_QUERIES, DISAGREEMENTS_QUERIES, ITEM_QUERIES = 10 + 1, 5, 9 + 1, 8 + 1
BEST = {"correctness": 4, "code quality": 3, "maintainability": 5}


def of(panel: Panel, part: str) -> str:
    return f"/campaigns/{panel.campaign.pk}/{part}"


def test_items_that_differ_are_listed(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    rate(ann, panel.item(number=5), FAIR)
    dora.get(of(panel, "differences/"))
    for n in range(3):
        rate(ann, panel.item(number=n), FAIR)
        rate(ben, panel.item(number=n), POOR)
        with django_assert_num_queries(DIFFERENCES_QUERIES):
            page = dora.get(of(panel, "differences/")).text
        assert page.count("<b>3</b> · <b>1</b>") == page.count(">waits<") == n + 1
    assert "No rater settles" in page


def test_what_a_third_person_settled_stands_beside_the_marks(panel: Panel, dora: Client) -> None:
    rate(panel.rater("ann"), panel.item(), FAIR)
    rate(panel.rater("ben"), panel.item(), POOR)
    row = take(panel.rater("dan", adjudicates=True))
    save_ratings(assignment=row, marks={"correctness": 2})
    page = dora.get(of(panel, "differences/")).text
    assert "<b>3</b> · <b>1</b>" in page and "settled: 2" in page
    assert "No rater settles" not in page


@pytest.mark.parametrize("number", [1, 3])
def test_all_items_are_listed_with_whose_they_are(
    panel: Panel, dora: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made = [panel.submission(f"E{n}", panel.cast.fenland, "int a;") for n in range(number)]
    campaign = panel.open(*made)
    rate(panel.rater("ann", campaign), panel.item(campaign))
    dora.get(f"/campaigns/{campaign.pk}/items/")
    with django_assert_num_queries(ITEMS_QUERIES):
        page = dora.get(f"/campaigns/{campaign.pk}/items/").text
    assert page.count('<td class="num">1</td>') >= 1
    assert all(f"E{n}" in page for n in range(number))


def test_skips_are_listed_with_their_reasons(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann = panel.rater("ann")
    for n in range(3):
        skip_item(assignment=take_this(ann, panel.item(number=n)), reason=SCRIPT)
        with django_assert_num_queries(SKIPS_QUERIES):
            page = dora.get(of(panel, "skips/")).text
        assert page.count(ESCAPED) == n + 1


def test_one_item_has_every_mark_and_every_change(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann = panel.rater("ann")
    save_ratings(
        assignment=take_this(ann, panel.item()),
        marks=FAIR,
        comments={"correctness": "nearly\u202e"},
    )
    enter_ratings(
        item=panel.item(),
        rater=panel.rater("ben"),
        marks=POOR,
        author=Author(panel.cast.dora, MarkChange.By.STAFF, "on paper"),
    )
    address = of(panel, f"items/{panel.item().pk}/")
    dora.get(address)
    with django_assert_num_queries(ITEM_QUERIES):
        page = dora.get(address).text
    assert 'nearly<span class="codepoint" data-code="U+202E">' in page
    assert "on paper" in page and "to be settled" in page
    assert dora.get(of(panel, "items/0/")).status_code == 404


def test_tests_against_people_name_entrant_and_verdict(
    panel: Panel, cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tested = cast.judged_submission(cast.entrant(), ("passed", "failed"), samples=1)
    campaign = campaigns.create_campaign(
        revision=tested.revision, title="Opened", user=None, family_slug="aixbench_nl", per_item=1
    )
    panel.add(campaign, tested)
    campaigns.open_campaign(campaign=campaign)
    ann = panel.rater("ann", campaign)
    address = f"/campaigns/{campaign.pk}/disagreements/"
    dora = visitor(cast.dora)
    assert "None: no generation" in dora.get(address).text
    item = panel.item(campaign)
    assert dora.get(f"/campaigns/{campaign.pk}/items/{item.pk}/").status_code == 200
    rate(ann, panel.item(campaign, 0), POOR)
    with django_assert_num_queries(DISAGREEMENTS_QUERIES):
        page = dora.get(address).text
    assert "Larch Coder 32B" in page and "passed" in page and "<b>1.00</b>" in page
    rate(ann, panel.item(campaign, 1), BEST)
    with django_assert_num_queries(DISAGREEMENTS_QUERIES):
        assert "<b>4.00</b>" in dora.get(address).text


def test_the_file_has_every_mark_and_no_entrant(panel: Panel, dora: Client) -> None:
    for name in ("ann", "ben"):
        row = take_this(panel.rater(name), panel.item())
        save_ratings(assignment=row, marks=FAIR, comments={"correctness": "=1+1"})
    answer = dora.get(of(panel, "marks.csv"))
    rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert len(rows) == 6
    assert {(row["criterion"], row["value"], row["top"]) for row in rows} >= {
        ("correctness", "3", "4")
    }
    assert {row["comment"] for row in rows if row["criterion"] == "correctness"} == {"'=1+1"}
    assert {row["rater"] for row in rows} == {"1", "2"}
    assert {row["rubric"] for row in rows} == {panel.campaign.rubric}
    assert not any(name in answer.text for name in ("Larch", "Sedge", "ann", "ben"))
    assert answer["Cache-Control"] == "private, no-store"


def test_known_marks_are_in_the_organisers_file_alone(panel: Panel, dora: Client) -> None:
    campaign = panel.with_known_item(panel.northwood)
    rate(panel.rater("ann", campaign), campaign.items.get(kind="known"), POOR)
    assert "known" in dora.get(f"/campaigns/{campaign.pk}/marks.csv").text
    assert not Item.objects.known_to(panel.person("ann")).exists()

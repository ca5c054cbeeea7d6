"""Tests of the practice round: answers with explained marks, and nothing is stored."""

from __future__ import annotations

import csv
from html import escape

import pytest

from leaderboard.annotation import campaigns, likeness
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Assignment, Item, Rating
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import FAMILIES
from tests.support.panel import POOR, Panel, rate_all

pytestmark = pytest.mark.any_database

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


def test_practice_leads_to_rating_only_while_something_is_left(panel: Panel) -> None:
    ann = panel.rater("ann")
    client, last = visitor(ann.user), address(panel, len(panel.campaign.practice))
    assert "Start rating" in client.post(last, ALL_ONES).text
    rate_all(ann)
    page = client.post(last, ALL_ONES).text
    assert "Start rating" not in page and "Back to the campaign" in page


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

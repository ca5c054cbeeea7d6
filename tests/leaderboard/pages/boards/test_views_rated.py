"""Tests of the board of a benchmark that people rate: marks on their scales, reasons, and no single
mark."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.results import choose_campaign, make_results
from leaderboard.boards.frames import BoardFrames
from leaderboard.boards.panels import panels_of
from leaderboard.pages.boards import board_charts
from leaderboard.scores.models import Board
from tests.leaderboard.pages.boards.published import page
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.panel import Panel
from tests.support.rated import RATERS, publish, rated_board, rated_panel, settle

pytestmark = pytest.mark.any_database

BOARD = "/benchmarks/aixbench-nl/"
# Larch's means, each with the best mark: correctness, code quality, maintainability.
MEANS = ((3.8056, 4), (2.8056, 3), (4.8056, 5))


@pytest.fixture
def panel(cast: Cast, tmp_path: Path) -> Panel:
    return rated_panel(cast, tmp_path)


@pytest.fixture
def board(panel: Panel) -> Board:
    return rated_board(panel)


def answer(text: str) -> str:
    return text[text.index('class="answer"') : text.index('class="filters"')]


def test_answer_rows_and_files_are_mean_marks(board: Board, client: Client) -> None:
    text = page(client, BOARD)
    told = answer(text)
    assert "<b>Larch</b> has the highest mean mark for correctness: <b>3.81 of 4</b>" in told
    assert "Its lead over every other entrant is more than chance would explain." in told
    assert "The raters agree closely on correctness: alpha 0." in told
    assert "reaches the required -1.000." in told
    assert "3 raters; intervals, ranks and ties hold for similar tasks and only this panel." in told
    row = text[text.index("Larch</a>") : text.index("Sedge</a>")]
    assert [mean in row for mean in ("3.81", "2.81", "4.81")] == [True] * 3
    # No share of the scale. The chart may have 69.93 %.
    assert not re.search(r"(?<![\d.])93", row)
    lines = page(client, f"{BOARD}board.csv").removeprefix("\ufeff")
    first, second = csv.DictReader(io.StringIO(lines))
    assert [first[name] for name in ("entrant", "marks_from", "marks_to")] == ["Larch", "1", "4"]
    assert [second[name] for name in ("entrant", "marks_from", "marks_to")] == ["Sedge", "1", "4"]
    assert float(first["score"]) == pytest.approx(3.81, abs=0.01)
    assert float(first["maintainability"]) == pytest.approx(4.81, abs=0.01)
    assert "marks_to" in client.get(f"{BOARD}board.json").json()["rows"][0]


def test_a_provisional_result_says_why_and_shows_no_mean(panel: Panel, client: Client) -> None:
    publish(panel.northwood)
    assert "not opened for rating yet" in page(client, BOARD)
    campaign = panel.open(panel.northwood, panel.fenland, fewest_ratings=100)
    settle(campaign, panel)
    make_results(campaign=campaign)
    publish(panel.northwood, panel.fenland)
    text = page(client, BOARD)
    assert "No mean is published yet: 2 results are provisional." in text
    assert text.count("too few marks yet") >= 2
    assert "3.81" not in text


def test_entrants_rated_by_different_people_are_tied_and_the_page_says_why(
    panel: Panel, client: Client
) -> None:
    others = ("dan", "eve", "flo")
    for submission, raters in ((panel.northwood, RATERS), (panel.fenland, others)):
        campaign = panel.open(submission)
        settle(campaign, panel, raters, mixed=True)
        make_results(campaign=campaign)
    board = publish(panel.northwood, panel.fenland)
    assert list(board.standings.values_list("rank_low", "rank_high")) == [(1, 2), (1, 2)]
    told = "1 pair of entrants counts as tied whatever their means: different people rated the two"
    assert told in page(client, BOARD)


def test_means_and_agreement_come_from_the_campaign_that_was_chosen(
    panel: Panel, board: Board, client: Client
) -> None:
    def campaigns_of_means() -> set[int]:
        return {score.campaign_id for score in panels_of([larch]).scores[larch]}

    larch = panel.northwood.pk
    newer = panel.open(panel.submission("Reed", panel.cast.fenland, "int r;"))
    again = panel.new()
    panel.add(again, panel.northwood)
    for campaign in (newer, again):
        make_results(campaign=campaign)
    publish(panel.cast.fenland.entrants.get(name="Reed").submissions.get())
    assert "The raters agree closely on correctness" in answer(page(client, BOARD))
    assert campaigns_of_means() == {panel.campaign.pk}
    campaigns.open_campaign(campaign=again)
    assert campaigns_of_means() == {panel.campaign.pk}
    choose_campaign(campaign=again, user=panel.cast.dora, reason="more raters")
    assert campaigns_of_means() == {again.pk}


def test_a_board_asks_as_many_questions_with_2_rows_as_with_6(
    panel: Panel, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    more = [panel.submission(f"Reed {n}", panel.cast.fenland, f"int {n};") for n in range(4)]
    panel.add(panel.campaign, *more)
    rated_board(panel)
    page(client, BOARD)
    with django_assert_num_queries(15):
        page(client, BOARD)
    publish(*more)
    page(client, BOARD)
    with django_assert_num_queries(15):
        assert "Reed 3" in page(client, BOARD)


def test_charts_are_stored_and_follow_the_campaign(
    panel: Panel, board: Board, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    known = BoardFrames(board)
    with django_assert_num_queries(6):
        assert (len(known.marks), len(known.agreements)) == (6, 6)
    for least, told in ((0.667, "0.667"), (0.52, "0.520")):
        Campaign.objects.filter(pk=panel.campaign.pk).update(least_agreement=least)
        call_command("reconcile", once=True)
        cache.clear()
        board = Board.objects.select_related("revision__benchmark").get(pk=board.pk)
        with django_assert_num_queries(3):  # its rows, the campaigns, the part
            numbers = board_charts.numbers(board, "agreement")
        assert numbers is not None and told in numbers.line
    for name in ("spread", "agreement", "breakdown"):
        assert client.get(f"{BOARD}charts/{name}.json").status_code == 200


def test_other_pages_read_the_mean_as_a_mark(board: Board, client: Client) -> None:
    expected = {"/": "3.8", "/benchmarks/": "3.81 of 4", "/entrants/larch/": "3.81"}
    for address in ("/", "/?by=skill", "/benchmarks/", "/entrants/larch/", f"{BOARD}tasks/"):
        text = page(client, address)
        assert expected.get(address, "") in text
        # An entrant's means are shares, as the front page's by language.
        assert "93.8" not in text.partition("<h2>Means</h2>")[0], address
    # A skill with the name of a scale counts with that scale.
    text = page(client, "/?by=skill")
    row = text[text.index("Larch</a>") : text.index("Sedge</a>")]
    shares = re.findall(r'class="heat heat-\d[^>]*>(\d+)<', row)
    assert shares == [str(round(100 * (mean - 1) / (top - 1))) for mean, top in MEANS]


def passes(cast: Cast, _folder: Path) -> str:
    for name, pattern in (("Larch", ["passed"] * 5 + ["failed"] * 2), ("Sedge", ["failed"])):
        cast.judged_submission(cast.entrant(name), pattern)
    return "rucodeeval"


def marks(cast: Cast, folder: Path) -> str:
    rated_board(rated_panel(cast, folder))
    return "aixbench-nl"


@pytest.mark.parametrize(
    ("publish_on", "top", "told"), [(passes, None, "{} %"), (marks, 4, "{} of 4")]
)
def test_a_number_is_the_same_on_every_page_and_in_every_file(
    cast: Cast,
    client: Client,
    tmp_path: Path,
    publish_on: Callable[[Cast, Path], str],
    top: int | None,
    told: str,
) -> None:
    slug = publish_on(cast, tmp_path)
    board, larch = f"benchmarks/{slug}", "?entrant=larch"
    row = client.get(f"/{board}/board.json").json()["rows"][0]
    number = {name: row.get(name) for name in ("score", "low", "high", "marks_to")}
    assert (number["marks_to"], number["score"] > 1) == (top, top is not None)
    for file in (f"{board}/board.csv", "means.csv"):
        lines = csv.DictReader(io.StringIO(page(client, f"/{file}").removeprefix("\ufeff")))
        line = next(one for one in lines if one.get("column", slug) == slug)
        assert {name: line.get(name) or None for name in number} == {
            name: None if value is None else str(value) for name, value in number.items()
        }
    of_api = client.get(f"/api/v1/{board}/board").json()
    first = of_api["rows"][0] | {"marks_to": of_api["marks_to"]}
    means = client.get("/api/v1/means").json()["columns"]
    (mean,) = (column["rows"][0] for column in means if column["column"] == slug)
    assert [{name: one[name] for name in number} for one in (first, mean)] == [number] * 2
    scale, digits = (1, 2) if top else (100, 1)
    shown, shortly = (f"{number['score'] * scale:.{n}f}" for n in (digits, digits - 1))
    assert f'href="/{board}/">{shortly}</a>' in page(client, "/")
    assert f"{told.format(shown)}," in page(client, f"/{board}/badge.svg{larch}")
    for address in (
        *(f"/{board}/", "/entrants/larch/", f"/submissions/{row['submission']}/"),
        f"/compare/{slug}/{larch}&entrant=sedge",
    ):
        assert re.search(rf">\s*{shown}\s*<", page(client, address)), address


def test_no_page_of_boards_shows_single_marks_by_task(panel: Panel, board: Board) -> None:
    for person in (None, panel.cast.alice, panel.person("ann"), panel.cast.dora):
        text = page(visitor(person), f"{BOARD}tasks/0/")
        facts = text[text.index("<h1>") :]
        assert "solve" not in facts.lower()
        assert "0/1" not in facts

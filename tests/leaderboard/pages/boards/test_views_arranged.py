"""A board as the address asks for it: sorted, filtered, limited to a part, without columns."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.benchmarks.models import Task
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.boards.published import results
from tests.leaderboard.pages.boards.test_views_board import BOARD, page
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """The charts' cache outlives a test's database."""
    cache.clear()


def names(text: str) -> list[str]:
    """The entrants of the board's rows."""
    board = text.partition('<details class="card chances">')[0]
    return re.findall(r'<a class="name" href="/entrants/[^"]+">([^<]+)</a>', board)


def halves(cast: Cast) -> None:
    """Two levels; Model 00 is best in the first one, Model 01 in the second one."""
    Task.objects.filter(revision=cast.rucodeeval.current).update(level="hard")
    Task.objects.filter(number__lt=6).update(level="easy")
    for number, pattern in enumerate((("passed",) * 6 + ("failed",) * 6, ("passed", "failed"))):
        cast.judged_submission(cast.entrant(f"Model {number:02}"), pattern, samples=1)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["Model 02", "Model 00", "Model 01"]),
        ("-score", ["Model 01", "Model 00", "Model 02"]),
        ("entrant", ["Model 00", "Model 01", "Model 02"]),
        ("-entrant", ["Model 02", "Model 01", "Model 00"]),
        ("judged", ["Model 02", "Model 01", "Model 00"]),
        ("nonsense", ["Model 02", "Model 00", "Model 01"]),
    ],
    ids=["board", "worst", "name", "name-back", "newest", "unknown"],
)
def test_every_column_sorts_and_provisional_rows_stay_last(
    cast: Cast, client: Client, sort: str, expected: list[str]
) -> None:
    results(cast, 3)
    cast.judged_submission(cast.entrant("Aspen"), ("passed", "not_run", "failed"))
    text = page(client, f"{BOARD}?sort={sort}")
    assert names(text) == [*expected, "Aspen"]
    assert ("bar-lead" in text) == (sort in ("", "nonsense"))


def test_a_part_shows_its_scores_in_their_order_without_ranks(cast: Cast, client: Client) -> None:
    halves(cast)
    assert names(page(client)) == ["Model 00", "Model 01"]
    text = page(client, f"{BOARD}?slice=level&value=hard")
    assert names(text) == ["Model 01", "Model 00"]
    assert "In hard: <b>Model 01</b> has the highest pass@1: <b>50.0 %</b>" in text
    by_name = page(client, f"{BOARD}?slice=level&value=hard&sort=entrant")
    assert names(by_name) == ["Model 00", "Model 01"]
    assert "In hard: <b>Model 01</b> has the highest" in by_name
    assert 'data-groups=""' in text and "bar-start" not in text
    rows = list(
        csv.DictReader(
            io.StringIO(
                client.get(f"{BOARD}board.csv?slice=level&value=hard").content.decode("utf-8-sig")
            )
        )
    )
    facts = [(row["score"], row["tasks"], row["rank_low"], row["part"]) for row in rows]
    assert facts == [("0.5", "6", "", "level: hard"), ("0.0", "6", "", "level: hard")]
    assert names(page(client, f"{BOARD}?slice=level&value=none")) == ["Model 00", "Model 01"]


def test_a_column_can_be_hidden(cast: Cast, client: Client) -> None:
    halves(cast)
    assert 'class="heat-names' in page(client)
    text = page(client, f"{BOARD}?hide=slices,judged")
    assert 'class="heat-names' not in text
    assert "date secondary" not in text
    assert "hide=judged" in text and "hide=slices" in text


def test_a_category_sorts_by_its_name_in_the_header(cast: Cast, client: Client) -> None:
    halves(cast)
    assert "sort=level%3Ahard" in page(client)
    assert names(page(client, f"{BOARD}?sort=level:hard")) == ["Model 01", "Model 00"]


def test_the_search_finds_names_and_organisations(cast: Cast, client: Client) -> None:
    results(cast, 3)
    cast.judged_submission(cast.entrant("Aspen", organisation="Cinder"))
    assert names(page(client, f"{BOARD}?q=cinder")) == ["Aspen"]
    assert names(page(client, f"{BOARD}?q=MODEL+01")) == ["Model 01"]


def test_results_are_filtered_by_provenance_and_date(cast: Cast, client: Client) -> None:
    made = results(cast, 3)
    Submission.objects.filter(pk=made[0].pk).update(asked_here=True, published="2020-01-01T00:00Z")
    assert names(page(client, f"{BOARD}?provenance=endpoint")) == ["Model 00"]
    assert names(page(client, f"{BOARD}?since=30")) == ["Model 02", "Model 01"]
    text = page(client)
    assert "Generations: <b>any</b>" in text and "Published: <b>any</b>" in text
    assert text.count("generated here from the team's endpoint") == 2
    assert text.count('aria-label="judged here from an upload"') == 3


def test_a_readers_own_rows_are_marked_for_them(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Ours", cast.northwood))
    cast.judged_submission(cast.entrant("Theirs", cast.fenland))
    mark = '<span class="tag">yours</span>'
    assert page(visitor(cast.alice)).count(mark) == 1
    assert mark not in page(visitor())


def test_submit_leads_to_this_benchmark_and_setting(cast: Cast, client: Client) -> None:
    results(cast, 1)
    assert "/submit/?benchmark=rucodeeval&amp;setting=base" in page(client)

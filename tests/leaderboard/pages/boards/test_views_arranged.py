"""Tests of a board as its address arranges it: sorted, filtered, limited to a part, without
columns."""

import re

import pytest
from django.test import Client

from leaderboard.benchmarks.models import Task
from leaderboard.pages.boards.charts import scatter
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.boards.published import page, results, two_levels
from tests.leaderboard.pages.boards.test_views_board import BOARD, lines
from tests.leaderboard.pages.submissions.transcripts import honest_talks, scored
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.snapshots import made_once

pytestmark = pytest.mark.any_database


def names(text: str) -> list[str]:
    """The entrants of the board's rows."""
    board = text.partition('<details class="card chances">')[0]
    return re.findall(r'<a class="name" href="/entrants/[^"]+">([^<]+)</a>', board)


def halves(cast: Cast) -> None:
    """Model 00 is best on easy tasks, Model 01 on hard ones."""
    two_levels(cast)
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
    ],
    ids=["board", "worst", "name", "name-back", "newest"],
)
def test_every_column_sorts_and_provisional_rows_stay_last(
    cast: Cast, client: Client, sort: str, expected: list[str]
) -> None:
    results(cast, 3)
    cast.judged_submission(cast.entrant("Aspen"), ("passed", "not_run", "failed"))
    text = page(client, f"{BOARD}?sort={sort}")
    assert names(text) == [*expected, "Aspen"]
    assert ("bar-lead" in text) == (not sort)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("pass@5", ["B", "A", "C"]), ("-pass@5", ["A", "B", "C"]), ("score", ["C", "B", "A"])],
    ids=["best", "worst", "complete"],
)
def test_rows_without_a_value_are_last_in_both_directions(
    cast: Cast, client: Client, sort: str, expected: list[str]
) -> None:
    made = {
        name: cast.judged_submission(cast.entrant(name), pattern, samples=count)
        for name, pattern, count in (
            ("A", ("passed", *["failed"] * 9), 5),
            ("B", ("passed", "failed"), 5),
            ("C", ("passed",), 1),
        )
    }
    scores = Score.objects.filter(metric="pass@5", slice="overall")
    assert scores.get(evaluation__submission=made["C"]).value is None
    assert names(page(client, f"{BOARD}?sort={sort}")) == expected


def test_a_part_shows_its_scores_in_their_order_without_ranks(cast: Cast, client: Client) -> None:
    halves(cast)
    assert names(page(client, BOARD)) == ["Model 00", "Model 01"]
    text = page(client, f"{BOARD}?slice=level&value=hard")
    assert names(text) == ["Model 01", "Model 00"]
    assert "In hard: <b>Model 01</b> has the highest pass@1: <b>50.0 %</b>" in text
    by_name = page(client, f"{BOARD}?slice=level&value=hard&sort=entrant")
    assert names(by_name) == ["Model 00", "Model 01"]
    assert "In hard: <b>Model 01</b> has the highest" in by_name
    assert 'data-groups=""' in text and "bar-start" not in text
    rows = lines(client, "?slice=level&value=hard")
    facts = [(row["score"], row["tasks"], row["rank_low"], row["part"]) for row in rows]
    assert facts == [("0.5", "6", "", "level: hard"), ("0.0", "6", "", "level: hard")]
    assert names(page(client, f"{BOARD}?slice=level&value=none")) == ["Model 00", "Model 01"]
    nobody = page(client, f"{BOARD}?slice=level&value=hard&weights=open")
    assert "No entrant matches the filters. Of all 2 entrants:" in nobody


def test_readers_of_another_language_are_told_of_english_names(cast: Cast, client: Client) -> None:
    halves(cast)
    cast.rucodeeval.skills = ["debugging"]
    cast.rucodeeval.save()
    with_skill = ["/?by=skill", "/entrants/model-00/"]
    with_level = [BOARD, f"{BOARD}tasks/", f"{BOARD}tasks/0/", "/compare/rucodeeval/"]
    pages = [*with_skill, *with_level]
    note = "that have no translation are in English"
    for level, expected in (("easy", with_skill), ("insane", pages)):
        Task.objects.filter(level="easy").update(level=level)
        Score.objects.filter(slice_value="easy").update(slice_value=level)
        russian = [client.get(one, headers={"accept-language": "ru"}) for one in pages]
        told = [
            address
            for address, shown in zip(pages, russian, strict=True)
            if shown.context["untranslated"]
        ]
        assert told == expected
        assert not [address for address in pages if note in page(client, address)]


def test_parts_are_columns_that_sort_and_can_be_hidden(cast: Cast, client: Client) -> None:
    cast.rucodeeval.human_baseline = 0.5
    cast.rucodeeval.save()
    two_levels(cast)
    halves = ("passed",) * 60 + ("failed",) * 60
    for name, pattern in (("Model 00", halves), ("Model 01", ("passed", "failed"))):
        cast.judged_submission(cast.entrant(name), pattern, samples=10)
    whole = page(client, BOARD)
    assert 'class="heat-names' in whole and "sort=level%3Ahard" in whole
    assert names(page(client, f"{BOARD}?sort=level:hard")) == ["Model 01", "Model 00"]
    text = page(client, f"{BOARD}?hide=slices,judged")
    assert 'class="heat-names' not in text
    assert "date secondary" not in text
    assert "hide=judged" in text and "hide=slices" in text
    # Columns are hidden one by one, also in the row of people.
    for hide, others, dates in (("", 2, 1), ("pass@5", 1, 1), ("pass@10,pass@5", 0, 1),
                                ("judged,pass@10", 1, 0)):  # fmt: skip
        text = page(client, f"{BOARD}?hide={hide}")
        rows = text[text.index("<tbody>") : text.index("</tbody>")].split("</tr>")[:-1]
        assert len(rows) == 3 and sum("human baseline" in row for row in rows) == 1
        for row in rows:
            assert (row.count('class="num k'), row.count('class="date')) == (others, dates), hide
        for metric in filter(None, hide.split(",")):
            assert f">{metric}</a></th>" not in text


def test_results_are_filtered_by_provenance_and_date(cast: Cast, client: Client) -> None:
    """A reader's own rows are marked for them."""
    made = results(cast, 3)
    Submission.objects.filter(pk=made[0].pk).update(asked_here=True, published="2020-01-01T00:00Z")
    assert names(page(client, f"{BOARD}?since=30")) == ["Model 02", "Model 01"]
    text = page(client, BOARD)
    assert "Generations: <b>any</b>" in text and "Published: <b>any</b>" in text
    assert text.count("aria-label=\"generated here from the team's endpoint") == 2
    assert text.count('aria-label="judged here from an upload"') == 3
    assert "generated here from the team's endpoint, and judged here." in text
    uploads = page(client, f"{BOARD}?provenance=upload")
    assert "generated here from the team's endpoint" not in uploads
    cast.judged_submission(cast.entrant("Theirs", cast.fenland))
    mark = '<span class="tag">yours</span>'
    assert page(visitor(cast.alice), BOARD).count(mark) == 3
    assert mark not in page(visitor(), BOARD)


def test_codes_of_metrics_are_written_out(cast: Cast, client: Client) -> None:
    for number in range(scatter.FEWEST):
        entrant = cast.entrant(f"Model {number}", parameters=number + 1)
        cast.publish(scored(cast.codeif, cast.alice, entrant, honest_talks()).submission)
    board = f"{cast.codeif.get_absolute_url()}?setting=dynamic"
    whole, numbers = page(client, board), page(client, board.replace("?", "charts/size/?"))
    assert "instruction following efficiency (IFE) in per cent" in whole
    assert ", dynamic setting, instruction following efficiency (IFE), engine" in whole
    assert '<th scope="col" class="num">instruction following efficiency (IFE)</th>' in numbers
    assert not re.findall(r"[^(]IFE\b[^)]", whole.partition("<main")[2])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("organisation=Fenland", ["Beta"]),
        ("size=small", ["Alpha"]),
        ("size=large", ["Beta"]),
        ("size=gigantic", []),
        ("weights=unknown", ["Gamma"]),
        ("q=FENl", ["Beta"]),
        ("provenance=endpoint", ["Beta"]),
        ("provenance=upload", ["Alpha", "Gamma"]),
        ("since=30", ["Beta", "Gamma"]),
        ("weights=open&provenance=upload", ["Alpha"]),
        ("weights=open&slice=level&value=hard", ["Beta", "Alpha"]),
        ("size=large&provenance=upload&slice=level&value=hard", []),
    ],
)
def test_filters_keep_the_rows_that_match_all_of_them(
    three: None, client: Client, query: str, expected: list[str]
) -> None:
    text = page(client, f"{BOARD}?{query}")
    assert names(text) == expected
    assert f"{len(expected)} of 3 entrants" in text
    assert ("No entrant matches these filters" in text) == (not expected)


@pytest.fixture
def three(cast: Cast) -> None:
    """Alpha, Beta and Gamma, ranked in this order; on the hard half of the tasks Beta is before
    Alpha."""

    def made() -> None:
        two_levels(cast)
        facts = (
            ("Alpha", (11, 4), {"weights": "open", "parameters": 7.0}),
            ("Beta", (2, 6), {"weights": "open", "parameters": 70.0, "organisation": "Fenland"}),
            ("Gamma", (1, 0), {}),
        )
        for name, (easy, hard), more in facts:
            pattern = ["passed"] * min(6, easy) + ["failed"] * max(0, 6 - easy)
            pattern += ["passed"] * hard + ["failed"] * (6 - hard)
            cast.judged_submission(cast.entrant(name, **more), pattern, samples=1)
        Submission.objects.filter(entrant__name="Beta").update(asked_here=True)
        Submission.objects.filter(entrant__name="Alpha").update(published="2020-01-01T00:00Z")

    made_once(cast, "three", made)

import csv
import io
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.boards.means import store_means
from leaderboard.boards.rows import rank_text
from leaderboard.pages.shared.score_words import percent
from leaderboard.scores.models import Edition, Score
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.boards.published import page, results
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

BOARD = "/benchmarks/rucodeeval/"


def test_a_benchmark_without_results_invites_the_first(cast: Cast, client: Client) -> None:
    cast.rucodeeval.save()
    text = page(client, BOARD)
    assert "No result is published here yet." in text
    assert text.count("/submit/?benchmark=rucodeeval&amp;setting=base") == 2
    assert lines(client) == []
    assert client.get(BOARD + "board.json").json()["rows"] == []
    for query in ("?setting=nonsense", "?revision=nonsense"):
        assert client.get(BOARD + query).status_code == 404


QUERIES = {
    "/": 9,
    "/?by=skill": 9,
    "/benchmarks/": 5,
    BOARD: 12,
    f"{BOARD}tasks/": 8,
    f"{BOARD}tasks/1/": 12,
    "/compare/rucodeeval/": 9,
    "/entrants/": 1,
    "/teams/northwood/results/": 7,
}


@pytest.mark.parametrize("count", [3, 12])
def test_pages_ask_as_many_questions_with_3_rows_as_with_12(
    cast: Cast, client: Client, django_assert_num_queries: DjangoAssertNumQueries, count: int
) -> None:
    results(cast, count)
    for address in (BOARD, "/compare/rucodeeval/"):
        page(client, address)  # The charts and the comparison are kept from now on.
    store_means()
    for address, queries in QUERIES.items():
        with django_assert_num_queries(queries):
            page(client, address)


def test_a_board_tells_which_engine_judged_and_ranked_it(cast: Cast, client: Client) -> None:
    results(cast, 3)
    Evaluation.objects.update(engine_version="0.1.7")
    text = page(client, BOARD)
    facts = text.split("site-footer")[1]
    assert f"engine 0.1.7 · ranks by engine {ENGINE_VERSION} · " in facts
    assert f">metrics {METRICS_VERSION}</a>" in facts
    assert f"engine {ENGINE_VERSION}, metrics {METRICS_VERSION}" in text
    assert {line["metrics_version"] for line in lines(client)} == {METRICS_VERSION}
    # A citation has the edition's address, and Submit leads to this board.
    assert f"http://testserver{Edition.objects.all()[0].get_absolute_url()}" in text
    assert "/submit/?benchmark=rucodeeval&amp;setting=base" in text


ROW = re.compile(
    r'</span>([\d–-]+)</td><th scope="row" class="entrant">.*?>(Model \d+)</a>.*?'
    r'<td class="score"><a[^>]*>([\d.]+)</a>.*?95 % interval ([\d.]+) to ([\d.]+)"',
    re.DOTALL,
)


def test_downloads_have_the_numbers_of_the_page_before_rounding(cast: Cast, client: Client) -> None:
    results(cast, 3)
    halves = (0.0625, 0.04125, 0.12345), (0.9415, 0.8995, 0.9995), (0.1005, 0.0005, 0.2995)
    for (value, low, high), score in zip(
        halves, Score.objects.filter(metric="pass@1", slice="overall"), strict=True
    ):
        Score.objects.filter(pk=score.pk).update(value=value, low=low, high=high)
    as_json = client.get("/benchmarks/rucodeeval/board.json").json()["rows"]
    shown = ROW.findall(page(client, BOARD))
    assert len(shown) == 3
    for found in (lines(client), as_json):
        assert shown == [
            (
                rank_text(int(row["rank_low"]), int(row["rank_high"])),
                row["entrant"],
                *(percent(float(row[name])) for name in ("score", "low", "high")),
            )
            for row in found
        ]


def test_people_are_a_reference_and_an_unsettled_result_has_bounds_without_a_rank(
    cast: Cast, client: Client
) -> None:
    cast.rucodeeval.human_baseline = 0.95
    cast.rucodeeval.save()
    results(cast, 2)
    cast.judged_submission(cast.entrant("Marl"), ("passed", "not_run", "failed"))
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    text = page(client, BOARD)
    assert "human baseline, not ranked" in text
    assert "3 of 3 entrants" in text
    assert 'class="bounds"' in text
    assert "33.3–66.7" in text
    assert "A dotted bar marks a provisional result" in text
    # A private result is on no board, even for its team.
    assert "Hidden Pine" not in page(visitor(cast.alice), BOARD)


def test_an_earlier_revision_keeps_its_board_and_points_to_the_newer(
    cast: Cast, client: Client
) -> None:
    """Before a newer revision is the current one, only staff see it."""
    results(cast, 2)
    benchmark, earlier = cast.rucodeeval, cast.rucodeeval.current
    newer = Revision.objects.create(benchmark=benchmark, label="2026-06", sha256="0")
    assert client.get(BOARD + "?revision=2026-06").status_code == 404
    assert visitor(cast.dora).get(BOARD + "?revision=2026-06").status_code == 200
    Benchmark.objects.filter(pk=benchmark.pk).update(current=newer)
    assert "Model 00</a>" not in page(client, BOARD)
    text = page(client, f"{BOARD}?revision={earlier.label}")
    assert "Model 00</a>" in text
    assert "A newer one exists" in text


def lines(client: Client, query: str = "") -> list[dict[str, str]]:
    text = page(client, f"{BOARD}board.csv{query}").removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_breakdown_can_be_chosen_where_there_is_a_choice(cast: Cast, client: Client) -> None:
    results(cast, 2)
    assert "by=" not in page(client, BOARD)
    cast.judged_submission(cast.entrant("Larch"), benchmark=cast.codeif, setting="multi_turn")
    address = f"{cast.codeif.get_absolute_url()}?setting=multi_turn"
    assert "Score by category" in page(client, address)
    chosen = page(client, f"{address}&by=turn")
    assert "Score by turn" in chosen
    figure = "charts/breakdown.json?setting=multi_turn&amp;by=turn"
    assert '-breakdown"' in page(client, address) and '-breakdown-turn"' in chosen
    assert figure in chosen
    by_turn = client.get(cast.codeif.get_absolute_url() + figure.replace("&amp;", "&")).json()
    assert by_turn["data"][0]["text"][0] == "turn 1"
    assert "Score by category" in page(client, f"{address}&by=none")


def test_columns_say_of_what_less_is_better_and_variants_have_none(
    cast: Cast, client: Client
) -> None:
    how = {"benchmark": cast.codeif, "setting": "multi_turn", "samples": 1}
    cast.judged_submission(cast.entrant("Larch"), ("passed", "failed"), **how)
    cast.judged_submission(cast.entrant("Sedge"), ("passed",), **how)
    address = f"{cast.codeif.get_absolute_url()}?setting=multi_turn"
    text = page(client, address)
    head = text[text.index("<thead>") : text.index("</thead>")]
    assert head.count("lower is better") == 1
    assert re.search(r'aria-sort="descending"><a [^>]+>pass@1', head)
    assert ("IFR" in head, "strict CA" in head, "script IFR" in head) == (True, False, False)
    score = Score.objects.filter(metric="IFR", slice="overall").first()
    assert score is not None and score.defined is not None
    turns = f"on {score.defined} of {score.n} turns"
    assert turns in text
    assert turns in page(client, "/entrants/larch/")
    cast.codeif.metric = "IFR"
    cast.codeif.save()
    cast.publish(Submission.objects.latest("pk"))
    ranked = page(client, address)
    head = r'aria-sort="ascending"><a [^>]+>instruction forgetting \(IFR\)'
    assert re.search(head, ranked)
    assert turns in ranked
    assert ranked.index("Sedge</a>") < ranked.index("Larch</a>")


def test_files_have_the_rows_of_the_page_in_its_order_and_say_what_they_are_of(
    cast: Cast, client: Client
) -> None:
    submission = results(cast, 12)[10]
    assert [line["entrant"] for line in lines(client, "?size=middle")] == ["Model 10", "Model 11"]
    assert len(lines(client)) == 12
    document = client.get(BOARD + "board.json?size=middle").json()
    assert [document[name] for name in ("revision", "setting", "metric", "entrants")] == [
        "sample", "base", "pass@1", 12,
    ]  # fmt: skip
    assert document["rows"][0]["submission"] == submission.pk


def test_the_part_of_a_language_has_the_front_page_s_answer(cast: Cast, client: Client) -> None:
    Task.objects.filter(revision=cast.codeif.current, number__lt=6).update(language="java")
    for name, pattern in (("Rowan", ("passed",)), ("Elder", ("failed",))):
        cast.judged_submission(cast.entrant(name), pattern, benchmark=cast.codeif)
    store_means()
    (answer,) = re.findall(r"</a>: (Rowan is first; [^<]+)</li>", page(client, "/?by=language"))[:1]
    board = f"{cast.codeif.get_absolute_url()}?slice=language&value=java"
    assert f"{answer.strip()} Ranks and ties are of the whole board." in page(client, board)
    assert answer.strip() not in page(client, cast.codeif.get_absolute_url())

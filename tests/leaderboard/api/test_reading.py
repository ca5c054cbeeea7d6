"""The API's reading addresses: the numbers of the pages, for everyone, without cookies."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from evaluation.engine import ENGINE_VERSION
from evaluation.models import RecheckedTask
from leaderboard.boards.exports import as_document
from leaderboard.scores.models import Edition, Score
from leaderboard.submissions.models import Submission
from leaderboard.submissions.publishing import withdraw
from tests.leaderboard.api.conftest import client_with, token_of
from tests.leaderboard.pages.boards.published import two_levels
from tests.support.cast import Cast
from tests.support.rated import rated_board, rated_panel

pytestmark = pytest.mark.django_db
ROOT = "/api/v1"
BENCHMARK = f"{ROOT}/benchmarks/rucodeeval"
PROBLEM = "application/problem+json"


@pytest.fixture
def results(cast: Cast) -> list[Submission]:
    """Two published results of two entrants, and a private one."""
    good = cast.judged_submission(cast.entrant("Birch", cast.northwood))
    poor = cast.judged_submission(cast.entrant("Rowan", cast.fenland), pattern=("failed",))
    private = cast.judged_submission(cast.entrant("Alder", cast.fenland), publish=False)
    return [good, poor, private]


def read(client: Client, path: str, **query: Any) -> Any:
    response = client.get(path, query)
    assert response.status_code == 200, response.content
    return response.json()


def problem(client: Client, path: str, **query: Any) -> Any:
    response = client.get(path, query)
    assert response["Content-Type"] == PROBLEM
    document = response.json()
    assert document["status"] == response.status_code
    return document


def test_a_board_has_the_numbers_of_its_file(results: list[Submission], client: Client) -> None:
    file = read(client, "/benchmarks/rucodeeval/board.json")
    board = read(client, f"{BENCHMARK}/board")
    assert [row["entrant"] for row in board["rows"]] == ["Birch", "Rowan"]
    public_ids = {row.pk: row.public_id for row in results}
    for row, exported in zip(board["rows"], file["rows"], strict=True):
        assert row["submission"] == public_ids[exported["submission"]]
        assert exported["judged"].removesuffix("+00:00") + "Z" == row["judged"]
        same = row.keys() & exported.keys() - {"submission", "judged", "published"}
        assert {name: row[name] for name in same} == {name: exported[name] for name in same}
        left = exported.keys() - row.keys() - row["metrics"].keys()
        assert left - {f"{board['slice']}: {value}" for value in row["slices"]} == {
            *("metric", "part", "setting", "revision", "metrics_version")
        }


def test_a_board_lacks_what_is_withdrawn_while_it_is_read(
    results: list[Submission], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def document(*arguments: Any) -> dict[str, Any]:
        rows = as_document(*arguments)
        withdraw(submission=results[0])
        return rows

    monkeypatch.setattr("leaderboard.api.reading.as_document", document)
    rows = read(client, f"{BENCHMARK}/board")["rows"]
    assert [row["entrant"] for row in rows] == ["Rowan"]


def test_second_verdicts_that_differ_are_counted_everywhere(
    results: list[Submission], client: Client, cast: Cast
) -> None:
    assert "a second time" not in client.get("/benchmarks/rucodeeval/").text
    for task in cast.rucodeeval.current.tasks.all()[:8]:  # type: ignore[union-attr]
        RecheckedTask.objects.create(
            task=task, engine_version=ENGINE_VERSION, judged=25, differing=task.number == 3
        )
    rechecks = read(client, BENCHMARK)["rechecks"]
    assert (rechecks["verdicts"], rechecks["differing"], rechecks["rate"]) == (200, 1, 0.005)
    assert 0 <= rechecks["low"] < 0.005 < rechecks["high"] < 1
    assert read(client, f"{BENCHMARK}/board")["rechecks"] == rechecks
    assert read(client, "/benchmarks/rucodeeval/board.json")["rechecks"] == rechecks
    page = client.get("/benchmarks/rucodeeval/").text
    assert "Of 200 verdicts that were given a second time, 1 differ: 0.50 %" in page


@pytest.mark.any_database
def test_a_part_of_a_board_has_the_part_s_scores(cast: Cast, client: Client) -> None:
    two_levels(cast)
    pattern = ("passed",) * 6 + ("failed",) * 6
    result = cast.judged_submission(cast.entrant(), pattern, samples=1)
    scores = read(client, f"{ROOT}/submissions/{result.public_id}")["scores"]
    of_levels = [s for s in scores if (s["metric"], s["slice"]) == ("pass@1", "level")]
    by_level = {s["slice_value"]: s["value"] for s in of_levels}
    assert by_level == {"easy": 1.0, "hard": 0.0}
    for level, score in by_level.items():
        (row,) = read(client, f"{BENCHMARK}/board", slice="level", value=level)["rows"]
        assert (row["score"], row["rank_low"]) == (score, None)
    (row,) = read(client, f"{BENCHMARK}/board")["rows"]
    assert row["slices"] == by_level
    refused = problem(client, f"{BENCHMARK}/board", slice="level", value="none")
    assert "level (easy, hard)" in refused["detail"]


def test_rated_results_have_the_marks_of_their_board(
    cast: Cast, client: Client, tmp_path: Path
) -> None:
    panel = rated_panel(cast, tmp_path)
    rated_board(panel)
    address = f"{ROOT}/benchmarks/{panel.northwood.revision.benchmark.slug}"
    board = read(client, f"{address}/board")
    (row,) = (r for r in board["rows"] if r["submission"] == panel.northwood.public_id)
    assert board["marks_to"] >= row["high"] > 1
    ends = {name: row[name] for name in ("score", "low", "high")}
    scores = read(client, f"{ROOT}/submissions/{row['submission']}")["scores"]
    (score,) = (s for s in scores if (s["metric"], s["slice"]) == (board["metric"], "overall"))
    assert [score[name] for name in ("value", "low", "high")] == [*ends.values()]
    rows = read(client, f"{address}/editions")["items"][0]["rows"]
    (edited,) = (r for r in rows if r["submission"] == row["submission"])
    assert {name: edited[name] for name in ends} == ends
    bob = client_with(token_of(panel.cast.bob, "northwood"))
    progress = read(bob, f"{ROOT}/submissions/{panel.northwood.public_id}/progress")
    assert {name: progress[name] for name in ends} == ends


@pytest.mark.any_database
def test_a_comparison_is_the_page_s_in_both_directions(
    results: list[Submission], client: Client
) -> None:
    pair = read(client, f"{BENCHMARK}/comparison", first="birch", second="rowan")
    turned = read(client, f"{BENCHMARK}/comparison", first="rowan", second="birch")
    board = read(client, f"{BENCHMARK}/board")["rows"]
    assert pair["difference"] == pytest.approx(board[0]["score"] - board[1]["score"])
    assert (turned["difference"], turned["p"]) == (-pair["difference"], pair["p"])
    page = client.get(
        reverse("compare-board", args=["rucodeeval"]), {"entrant": ["birch", "rowan"]}
    )
    assert page.context["pairs"][0].p == pair["p"]
    for first, second in (("birch", "alder"), ("birch", "birch")):
        detail = problem(client, f"{BENCHMARK}/comparison", first=first, second=second)["detail"]
        assert first == second or "alder" in detail
    # Where less is better it is the first less the second too.
    assert Score.objects.filter(slice="overall").update(lower_is_better=True)
    caches["default"].clear()
    again = read(client, f"{BENCHMARK}/comparison", first="birch", second="rowan")
    assert again["difference"] == pytest.approx(pair["difference"])
    assert again["low"] <= pair["difference"] <= again["high"]


@pytest.mark.any_database
def test_editions_come_newest_first_without_what_was_withdrawn(
    results: list[Submission], client: Client, cast: Cast
) -> None:
    newest, older = read(client, f"{BENCHMARK}/editions")["items"]
    assert [row["entrant_slug"] for row in newest["rows"]] == ["birch", "rowan"]
    assert (newest["ranked"], older["ranked"], newest["made"][-1]) == (2, 1, "Z")
    same = ("rank_low", "rank_high", "score", "low", "high", "submission")
    cast.judged_submission(cast.entrant("Cedar"), pattern=("failed", *["passed"] * 11))
    tied = read(client, f"{BENCHMARK}/editions")["items"][0]["rows"]
    board = read(client, f"{BENCHMARK}/board")["rows"]
    for row, shown in zip(tied, board, strict=True):
        assert {name: row[name] for name in same} == {name: shown[name] for name in same}
    first = read(client, f"{BENCHMARK}/editions", limit=1)
    Edition.objects.filter(public_id=newest["id"]).update(thinned=True)
    assert read(client, first["next"])["items"] == [older]
    Edition.objects.update(thinned=False)
    withdraw(submission=results[0])
    assert [len(one["rows"]) for one in read(client, f"{BENCHMARK}/editions")["items"]] == [2, 1, 0]


@pytest.mark.any_database
def test_tasks_come_in_pages_without_what_judges_them(
    results: list[Submission], client: Client
) -> None:
    path, query, numbers = f"{BENCHMARK}/tasks", {"limit": "7"}, []
    while path:
        page = read(client, path, **query)
        numbers += [task["number"] for task in page["items"]]
        path, query = page["next"], {}
    revision = results[0].revision
    assert numbers == list(range(revision.tasks.count()))
    task = revision.tasks.select_related("hidden_part").first()
    assert task is not None
    shown = read(client, f"{BENCHMARK}/tasks", limit=1)["items"][0]
    assert shown["public"] == task.public
    assert not task.hidden_part.hidden.keys() & shown["public"].keys()


@pytest.mark.parametrize(
    ("path", "query", "status", "words"),
    [
        (f"{BENCHMARK}/board", {"wieghts": "open"}, 422, "wieghts"),
        (f"{BENCHMARK}/tasks", {"limit": "9" * 30}, 422, "limit"),
        (f"{BENCHMARK}/tasks", {"cursor": "x"}, 422, "cursor"),
        (f"{BENCHMARK}/editions", {"cursor": "0001-01-01T00:00:00+23:59"}, 404, "ition"),
        (f"{BENCHMARK}/comparison", {"first": "a"}, 422, "second"),
        (f"{BENCHMARK}/board", {"revision": "1999"}, 404, "revision"),
        (f"{ROOT}/benchmarks/none/board", {}, 404, "benchmark"),
        (f"{ROOT}/nothing/here", {}, 404, "nothing"),
    ],
)
def test_an_error_says_what_was_wrong(
    cast: Cast, client: Client, path: str, query: dict[str, str], status: int, words: str
) -> None:
    assert cast.rucodeeval
    document = problem(client, path, **query)
    assert document["status"] == status
    assert words in json.dumps(document)

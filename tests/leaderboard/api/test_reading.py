"""The API's reading addresses: the numbers of the pages, for everyone, without cookies."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from evaluation.engine import ENGINE_VERSION
from evaluation.models import RecheckedTask
from leaderboard.accounts.models import Entrant
from leaderboard.api.urls import api
from leaderboard.benchmarks.models import Benchmark, Revision, TaskExclusion
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
def test_filters_are_those_of_the_page(results: list[Submission], client: Client) -> None:
    assert read(client, f"{BENCHMARK}/board", q="row")["rows"][0]["entrant"] == "Rowan"
    assert read(client, f"{BENCHMARK}/board", size="large")["rows"] == []
    refused = problem(client, f"{BENCHMARK}/board", slice="level", value="L-9")
    assert refused["detail"].endswith("Its slices: none.")


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


@pytest.mark.any_database
@pytest.mark.parametrize("of_board", [False, True])
def test_a_difference_is_the_first_less_the_second(
    results: list[Submission], client: Client, of_board: bool
) -> None:
    metric = read(client, f"{BENCHMARK}/board")["metric"]
    scores = Score.objects.filter(slice="overall")
    chosen = scores.filter(metric=metric) if of_board else scores.exclude(metric=metric)
    assert chosen.update(lower_is_better=True)
    caches["default"].clear()
    pair = read(client, f"{BENCHMARK}/comparison", first="birch", second="rowan")
    rows = {row["entrant_slug"]: row for row in read(client, f"{BENCHMARK}/board")["rows"]}
    wanted = rows["birch"]["score"] - rows["rowan"]["score"]
    assert pair["difference"] == pytest.approx(wanted)
    assert pair["low"] <= wanted <= pair["high"]


@pytest.mark.any_database
def test_a_result_has_all_its_scores(results: list[Submission], client: Client) -> None:
    good, _poor, private = results
    result = read(client, f"{ROOT}/submissions/{good.public_id}")
    board = read(client, f"{BENCHMARK}/board")
    overall = {s["metric"]: s for s in result["scores"] if s["slice"] == "overall"}
    row = board["rows"][0]
    score = overall[board["metric"]]
    assert [score[n] for n in ("value", "low", "high")] == [
        row[n] for n in ("score", "low", "high")
    ]
    assert len({s["slice"] for s in result["scores"]}) > 1
    assert (result["ranked"], result["entrant"], result["rank_low"]) == (2, "birch", 1)
    assert problem(client, f"{ROOT}/submissions/{private.public_id}")["status"] == 404
    assert problem(client, f"{ROOT}/submissions/{good.pk}")["status"] == 404


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


def test_a_benchmark_and_its_revisions_have_the_values_of_their_rows(
    cast: Cast, client: Client
) -> None:
    older = Revision.objects.create(benchmark=cast.rucodeeval, label="older", sha256="f" * 64)
    Revision.objects.filter(pk=older.pk).update(imported="2020-01-01T00:00Z")
    Benchmark.objects.update(accepts=False, human_baseline=0.75)
    benchmark, current = read(client, BENCHMARK), cast.rucodeeval.current
    assert current is not None
    imported = f"{current.imported:%FT%TZ}"
    assert benchmark.pop("revisions") == [
        {"label": "sample", "sha256": current.sha256, "imported": imported, "current": True},
        {
            "label": "older",
            "sha256": "f" * 64,
            "imported": "2020-01-01T00:00:00Z",
            "current": False,
        },
    ]
    assert benchmark.pop("rechecks")["verdicts"] == 0
    same = ("slug", "title", "link", "metric", "setting", "skills")
    assert benchmark == {name: getattr(cast.rucodeeval, name) for name in same} | {
        "summary": cast.rucodeeval.summary_en, "family": "rucodeeval", "settings": ["base"],
        "accepts_submissions": False, "human_baseline": 0.75, "revision": "sample",
    }  # fmt: skip


def test_tasks_have_the_values_of_their_rows(results: list[Submission], client: Client) -> None:
    texts = {"natural_language": "en", "level": "easy", "domain": "d", "category": "c"}
    tasks = results[0].revision.tasks.all()
    tasks.update(**texts, dated="2021-02-03")
    TaskExclusion.objects.create(task=tasks[1], reason="It is broken.")
    shown = read(client, f"{BENCHMARK}/tasks", limit=2)["items"]
    # One result passes two of three samples, the other one none.
    assert shown == [
        texts | {
            "id": task.id_in_dataset, "number": task.number, "language": "python",
            "date": "2021-02-03", "solve_rate": pytest.approx(1 / 3), "excluded": reason,
            "public": task.public,
        }
        for task, reason in zip(tasks[:2], (None, "It is broken."), strict=True)
    ]  # fmt: skip


def test_entrants_and_editions_have_the_values_of_their_rows(
    results: list[Submission], client: Client
) -> None:
    texts = {
        "organisation": "o",
        "weights": "open",
        "link": "https://a.example",
        "description": "d",
    }
    row = Entrant.objects.filter(slug="birch")
    row.update(**texts, parameters=7.5, cutoff="2024-05-06", told_apart_by="Northwood")
    wanted = texts | {"slug": "birch", "name": row[0].shown_name, "size_in_billions": 7.5}
    shown = read(client, f"{ROOT}/entrants")["items"][0]
    assert shown == wanted | {"training_data_until": "2024-05-06"}
    assert shown.items() <= read(client, f"{ROOT}/entrants/birch").items()
    assert shown["name"] != "Birch"
    edition, shown = Edition.objects.latest("pk"), read(client, f"{BENCHMARK}/editions")["items"][0]
    del shown["rows"]
    assert shown == {
        "id": edition.public_id, "made": f"{edition.made_at:%FT%TZ}", "metric": "pass@1",
        "engine_version": edition.engine, "metrics_version": edition.metrics, "ranked": 2,
    }  # fmt: skip


@pytest.mark.any_database
def test_benchmarks_and_entrants_are_the_public_ones(
    results: list[Submission], client: Client
) -> None:
    (benchmark,) = read(client, f"{ROOT}/benchmarks")
    detail = read(client, f"{ROOT}/benchmarks/{benchmark['slug']}")
    assert [one["current"] for one in detail.pop("revisions")] == [True]
    assert detail.pop("rechecks")["rate"] is None
    assert detail == benchmark
    entrants = read(client, f"{ROOT}/entrants")["items"]
    assert [one["slug"] for one in entrants] == ["birch", "rowan"]
    of_birch = read(client, f"{ROOT}/entrants/birch")["results"]
    assert [one["submission"] for one in of_birch] == [results[0].public_id]
    assert problem(client, f"{ROOT}/entrants/alder")["status"] == 404
    following = read(client, f"{ROOT}/entrants", limit=1)["next"]
    assert [one["slug"] for one in read(client, following)["items"]] == ["rowan"]
    assert client.get(f"{BENCHMARK}/matrix", follow=True)["Content-Type"] == "application/zip"


@pytest.mark.any_database
def test_answers_have_an_etag_until_something_public_changes(
    results: list[Submission], client: Client, cast: Cast, settings: Any
) -> None:
    settings.CACHED_PAGES = 400

    def status(etag: str) -> int:
        return client.get(f"{BENCHMARK}/board", headers={"if-none-match": etag}).status_code

    etag = client.get(f"{BENCHMARK}/board")["ETag"]
    assert status(etag) == 304
    cast.judged_submission(cast.entrant("Cedar", cast.northwood))
    assert status(etag) == 200


@pytest.mark.parametrize(
    ("path", "query", "status", "words"),
    [
        (f"{BENCHMARK}/board", {"wieghts": "open"}, 422, "wieghts"),
        (f"{BENCHMARK}/tasks", {"limit": "9" * 30}, 422, "limit"),
        (f"{BENCHMARK}/tasks", {"cursor": "x"}, 422, "cursor"),
        (f"{BENCHMARK}/editions", {"cursor": "0001-01-01T00:00:00+23:59"}, 404, "ition"),
        (f"{BENCHMARK}/comparison", {"first": "a"}, 422, "second"),
        (f"{BENCHMARK}/board", {"revision": "1999"}, 404, "revision"),
        (f"{BENCHMARK}/board", {"setting": "none"}, 404, "setting"),
        (f"{ROOT}/benchmarks/none/board", {}, 404, "benchmark"),
        (f"{ROOT}/nothing/here", {}, 404, "nothing"),
        (f"{ROOT}/", {}, 404, "nothing"),
    ],
)
def test_an_error_says_what_was_wrong(
    cast: Cast, client: Client, path: str, query: dict[str, str], status: int, words: str
) -> None:
    assert cast.rucodeeval
    document = problem(client, path, **query)
    assert document["status"] == status
    assert words in json.dumps(document)


@cache
def operations() -> list[tuple[str, dict[str, Any]]]:
    paths = api.get_openapi_schema()["paths"].items()
    reads = [(path, methods["get"]) for path, methods in paths if "get" in methods]
    return [(path, operation) for path, operation in reads if "security" not in operation]


@budget(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_parameter_breaks_an_address(
    results: list[Submission], client: Client, data: st.DataObject
) -> None:
    path, operation = data.draw(st.sampled_from(operations()))
    words = st.one_of(
        st.sampled_from(["rucodeeval", "birch", "rowan", results[0].public_id, "overall", "0"]),
        st.text(max_size=20),
        st.integers(-(2**70), 2**70).map(str),
    )
    query = {}
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            slug = data.draw(st.sampled_from(["rucodeeval", "birch", "%00", "a%2Fb", "-"]))
            path = path.replace(f"{{{parameter['name']}}}", slug)
        elif parameter["required"] or data.draw(st.booleans()):
            query[parameter["name"]] = data.draw(words)
    response = client.get(path, query)
    assert response.status_code in (200, 302, 404, 422)
    assert response.status_code not in (404, 422) or "problem" in response["Content-Type"]


@pytest.mark.any_database
def test_the_document_names_every_parameter_and_its_page_runs(client: Client) -> None:
    document = client.get(f"{ROOT}/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    page = client.get(f"{ROOT}/docs")
    assert page.status_code == 200
    assert "<script>" not in page.content.decode()

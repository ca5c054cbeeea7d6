"""Tests of the comparison of means: what is stored, and what the downloads give."""

import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.test import Client

from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.matrix import SCRIPTS
from leaderboard.boards.means import store_means
from leaderboard.boards.models import ColumnMeans
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

# The first is better than the last on nearly every task, and than the second one on one task.
PATTERNS = {
    "First": ("passed",),
    "Second": ("failed", *["passed"] * 11),
    "Last": ("failed",) * 11 + ("passed",),
}


@pytest.fixture
def boards(cast: Cast) -> Cast:
    for name, pattern in PATTERNS.items():
        entrant = cast.entrant(name)
        for benchmark in (cast.rucodeeval, cast.codeif):
            cast.judged_submission(entrant, pattern, benchmark=benchmark)
    cast.judged_submission(cast.entrant("Half"), ("passed",))
    Benchmark.objects.update(skills=["code generation"])
    store_means()
    return cast


def column(client: Client, address: str = "/means.json", key: str = "~mean") -> dict[str, object]:
    columns = client.get(address).json()["columns"]
    return next(one for one in columns if one["column"] == key)


def test_the_first_is_tied_with_those_that_it_is_not_better_than(
    boards: Cast, client: Client
) -> None:
    """By the files, the API, and the pages."""
    shown = column(client)
    assert shown["tested"] is True
    marks = [(row["entrant"], row["first"], row["without"]) for row in shown["rows"]]
    assert marks == [
        ("First", "tied", []),
        ("Second", "tied", []),
        ("Last", None, []),
        ("Half", None, ["CodeIF-Bench L-1, functions"]),
    ]
    text = client.get("/").content.decode()
    assert "First leads; Second may be as good." in text
    assert column(client, "/api/v1/means") == shown
    lines = client.get("/means.csv").content.decode("utf-8-sig").splitlines()
    of_first = next(line for line in lines if line.startswith("~mean,") and ",first," in line)
    assert of_first.split(",")[-7] == repr(shown["rows"][0]["low"])
    assert column(client, "/means.json?by=skill", "code generation")["rows"] == shown["rows"]
    said = {
        "first": "tied for the first",
        "last": "behind the first by",
        "half": ">without CodeIF",
    }
    for slug, words in said.items():
        _, *means = client.get(f"/entrants/{slug}/").text.split('class="bar-name">')
        of_both = [mean for mean in means if mean.startswith(("Mean<", "Code generation "))]
        assert [words in mean for mean in of_both] == [True, True], slug


def test_the_downloads_give_the_same_p(boards: Cast, client: Client, tmp_path: Path) -> None:
    for script in SCRIPTS:
        shutil.copy(script, tmp_path)
    files = []
    for slug in ("rucodeeval", boards.codeif.slug):
        answer = client.get(f"/benchmarks/{slug}/matrix.zip")
        files.append(tmp_path / f"{slug}.zip")
        files[-1].write_bytes(answer.getvalue())
    shown = {row["entrant"]: row for row in column(client)["rows"]}
    words = [sys.executable, "-I", tmp_path / SCRIPTS[1].name, "First", "Second", *files]
    found = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    first, second = shown["First"], shown["Second"]
    assert found["difference"] == pytest.approx(first["score"] - second["score"])
    assert min(1, 3 * found["p"]) == pytest.approx(second["p_against_first"], abs=1e-12)


def test_of_equal_names_none_is_taken_and_the_end_of_an_address_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    submission_of = runpy.run_path(str(SCRIPTS[1]))["submission_of"]
    rows = [
        {"submission": 7, "entrant": "Birch", "entrant_slug": "birch-7b"},
        {"submission": 8, "entrant": "Birch", "entrant_slug": "birch-8b"},
    ]
    matrix = SimpleNamespace(board={"benchmark": "rucodeeval", "rows": rows})
    assert submission_of(matrix, "birch-8b") == 8
    with pytest.raises(SystemExit, match="2 entrants are 'Birch'. birch-7b, birch-8b"):
        submission_of(matrix, "Birch")


def test_a_benchmark_with_few_clusters_is_not_tested(boards: Cast, client: Client) -> None:
    for task in boards.codeif.current.tasks.all()[:3]:
        task.results.all().delete()
    ColumnMeans.objects.all().delete()
    assert column(client)["tested"] is None, "a page tests nothing"
    assert "is being computed" in client.get("/").content.decode()
    store_means()
    assert column(client)["tested"] is False


def test_nobody_leads_who_was_compared_with_nobody(boards: Cast, client: Client) -> None:
    lacking = {"Second": boards.codeif, "Last": boards.rucodeeval, "Half": boards.rucodeeval}
    for name, benchmark in lacking.items():
        entrant = Entrant.objects.get(name=name)
        entrant.submissions.filter(revision__benchmark=benchmark).delete()
    store_means()
    shown = column(client)
    assert (shown["tested"], {row["first"] for row in shown["rows"]}) == (False, {None})

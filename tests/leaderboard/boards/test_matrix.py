"""Tests of the file with every result of a board, and of the program that computes the board again
from it."""

import csv
import io
import json
import random
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from evaluation.engine.family import Metric
from evaluation.engine.metrics.intervals import FEWEST
from evaluation.engine.records import TaskResult
from evaluation.models import Verdict
from evaluation.state import scheduling
from evaluation.work import actions
from leaderboard.annotation import campaigns
from leaderboard.annotation.results import make_results
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.public import public_record
from leaderboard.scores.models import Board, Score, Standing
from leaderboard.scores.pairs import adjusted_p
from leaderboard.scores.scoring import end_scoring, score_rows
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.panel import Panel
from tests.support.rated import publish, rated_board, rated_panel, settle

pytestmark = pytest.mark.any_database

EXACT = 1e-12
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


# --- Boards of every family, from made-up results -----------------------------------------


@dataclass(frozen=True)
class Case:
    """A family in a setting, with `samples` of each slot. `longest`: the turns of the first
    conversation, if it is longer than all others."""

    family: str
    setting: str
    samples: int = 1
    metric: str = "pass@1"
    longest: int = 0

    def __str__(self) -> str:
        return f"{self.family} {self.setting} {self.samples} {self.longest or ''}".strip()


CASES = (
    Case("rucodeeval", "base"),
    Case("rucodeeval", "base", samples=10, metric="pass@5"),
    Case("realcode", "base", samples=2),
    Case("aixbench_auto", "base", samples=3, metric="pass_ratio"),
    Case("codeif_function", "multi_turn", samples=2),
    Case("codeif_function", "dynamic"),
    Case("codeif_function", "dynamic", longest=5),
)


class Made:
    """Results of one entrant; a greater `skill` makes them better."""

    def __init__(self, case: Case, skill: float, seed: int, *, open_ones: bool) -> None:
        self.case, self.skill, self.open_ones = case, skill, open_ones
        self.random = random.Random(f"{seed} {case}")

    def one(self) -> float | None:
        if self.open_ones and self.random.random() < 0.2:
            return None
        return float(self.random.random() < self.skill)

    def result(self, task: Any, metric: str, **more: Any) -> TaskResult:
        found = [self.one() for _ in range(self.case.samples)]
        known = [value for value in found if value is not None]
        plain = metric == "pass"
        return TaskResult(
            task,
            metric,
            n=len(found),
            c=round(sum(known)) if plain else 0,
            open=len(found) - len(known),
            value=None if plain else sum(known) / len(found),
            samples=tuple(found),
            **more,
        )

    def of(self, task: Any, number: int, metrics: Sequence[Metric]) -> Iterator[TaskResult]:
        if self.case.setting == "base":
            yield self.result(task, "pass", category="total" if number % 2 else "other")
            for metric in metrics:
                yield self.result(task, metric.name)
            return
        last = 2 + (number % 3 if self.case.setting == "dynamic" else 3)
        last = self.case.longest or last if number == 0 else last
        for turn in range(1, last + 1):
            where = {"turn": turn, "category": "abcdef"[turn]}
            if self.case.setting == "multi_turn":
                yield self.result(task, "pass", overall=turn != last, **where)
            for metric in metrics:
                yield self.result(task, metric.name, **where)


def made_board(cast: Cast, case: Case, *, open_ones: bool = False) -> Board:
    benchmark = cast.rucodeeval
    assert benchmark.current is not None
    Benchmark.objects.filter(pk=benchmark.pk).update(family_slug=case.family, metric=case.metric)
    benchmark.refresh_from_db()
    tasks = benchmark.current.tasks.order_by("-number")
    for task in tasks:
        task.public = {"repository": f"acme/{(task.number * 5) % 7}"}
        task.level = "easy" if task.number % 3 else "hard"
        task.save()
    for number, skill in enumerate((0.9, 0.85, 0.3, 0.1)):
        unsettled = open_ones and number == 3
        made = Made(case, skill, number, open_ones=unsettled)
        _scored(cast, case, f"Entrant {number}", made)
    return Board.objects.get(revision=benchmark.current, setting=case.setting)


def _scored(cast: Cast, case: Case, name: str, made: Made) -> None:
    benchmark = Benchmark.objects.get(pk=cast.rucodeeval.pk)
    family, revision = benchmark.family, benchmark.current
    assert revision is not None
    submission = Submission.objects.create(
        entrant=cast.entrant(name), revision=revision, setting=case.setting, generations_count=1
    )
    keys = {task.id_in_dataset: task.pk for task in revision.tasks.all()}
    tasks = [public_record(task) for task in revision.tasks.order_by("number")]
    metrics = family.metrics_in(case.setting)
    results = [r for n, task in enumerate(tasks) for r in made.of(task.id, n, metrics)]
    evaluation = actions.open_evaluation(submission=submission)
    claimed = scheduling.claim_scoring(pk=evaluation.pk, owner="the test")
    assert claimed is not None
    rows = score_rows(claimed, results, tasks)
    assert end_scoring(
        evaluation=claimed, left_out=revision.left_out(), keys=keys, results=results, scores=rows
    )
    cast.publish(submission)


# --- The download, the program, and the published numbers ---------------------------------


def matrix_of(board: Board, client: Client | None = None, status: int = 200) -> bytes:
    answer = (client or Client()).get(address(board, "matrix.zip"))
    assert answer.status_code == status
    return answer.getvalue()


def address(board: Board, name: str) -> str:
    slug = board.revision.benchmark.slug
    return f"/benchmarks/{slug}/{name}?setting={board.setting}"


def members(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        return {name: whole.read(name).decode() for name in whole.namelist()}


def rows_of(content: bytes, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(members(content)[name], newline="")))


def computed_again(
    content: bytes, folder: Path, status: int = 0, *, alone: bool = False
) -> tuple[Row, str]:
    """The program's numbers and its output. With `alone` it runs as a reader runs it, in a process
    without our path; otherwise in this process, which has already imported its libraries."""
    folder.mkdir(exist_ok=True)
    program, found = folder / "program.py", folder / "found.json"
    program.write_text(members(content)["recompute_board.py"], "utf-8")
    (folder / "matrix.zip").write_bytes(content)
    words = [str(folder / "matrix.zip"), "--json", str(found)]
    if alone:
        done = subprocess.run(
            [sys.executable, "-I", program, *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        code, output = done.returncode, done.stdout + done.stderr
    else:
        code, output = run_here(program, words)
    assert code == status, output
    return (json.loads(found.read_text()) if found.exists() else {}), output


def run_here(program: Path, words: Sequence[str]) -> tuple[object, str]:
    """Runs the program in this process. Returns its exit status and its output."""
    output, code = io.StringIO(), None
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(output):
        patch.setattr(sys, "argv", [str(program), *words])
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as end:
            code = end.code
    return code or 0, output.getvalue()


def assert_equal(found: Row, board: Board) -> None:
    """Compares every number of the board's own download, and every stored score."""
    shown = json.loads(Client().get(address(board, "board.json")).content)
    ranked = {row["submission"]: row for row in found["rows"]}
    scores = {
        (int(s["submission"]), s["metric"], s["slice"], s["slice_value"]): s
        for s in found["scores"]
    }
    p = iter([None, *shown["comparison"]["p"]])
    for row in shown["rows"]:
        own = scores[row["submission"], shown["metric"], "overall", ""]
        top = row.get("marks_to")
        for name in ("score", "low", "high", "least", "most"):
            share = own.get("value" if name == "score" else name)
            near(1 + share * (top - 1) if top and share is not None else share, row[name])
        if row["rank_low"] is not None:
            again = ranked.pop(row["submission"])
            assert (again["rank_low"], again["rank_high"]) == (row["rank_low"], row["rank_high"])
            near(again["p"], next(p))
    assert not ranked
    board.refresh_from_db()
    places = len(found["rows"])
    above = list(combinations(range(1, places + 1), 2))
    tested = board.facts["clusters"] >= FEWEST
    assert bool(found["pairs"]) == (tested and bool(above))
    for p_again, pair in zip(found["pairs"], above if tested else [], strict=True):
        near(p_again, adjusted_p(bytes(board.pairs), places, *pair))
    stored = Score.objects.filter(evaluation__standings__board=board)
    assert len(scores) == stored.count() > 0
    for one in stored.select_related("evaluation"):
        again = scores[one.evaluation.submission_id, one.metric, one.slice, one.slice_value]
        for name in ("value", "low", "high", "least", "most"):
            near(again.get(name), getattr(one, name))


def near(found: float | None, shown: float | None) -> None:
    assert (found is None) == (shown is None)
    assert found is None or shown is None or abs(found - shown) <= EXACT


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_number_is_computed_again_from_the_file(
    cast: Cast, case: Case, tmp_path: Path
) -> None:
    board = made_board(cast, case, open_ones=case.samples > 1)
    Benchmark.objects.update(shows_output=True)
    found, said = computed_again(matrix_of(board), tmp_path / "run", alone=case is CASES[0])
    assert_equal(found, board)
    assert "All agree." in said


@pytest.mark.parametrize(("case", "lacking"), [(CASES[-1], True), (CASES[-2], False)], ids=str)
def test_a_board_says_why_it_has_no_interval_if_a_pair_of_turns_is_rare(
    cast: Cast, case: Case, lacking: bool
) -> None:
    board = made_board(cast, case)
    row = json.loads(Client().get(address(board, "board.json")).content)["rows"][0]
    assert (row["score"] is None, row["low"] is None) == (False, lacking)
    said = "No interval: some pair of turns has fewer than 6 independent conversations."
    assert (said in Client().get(address(board, "")).text) == lacking


def changed_result(texts: dict[str, str], board: Row) -> None:
    before, after = ",pass,other,,0,,,1,1.0,0,1", ",pass,other,,0,,,1,0.0,0,1"
    texts["results.csv"] = texts["results.csv"].replace(before, after)


def changed_p(texts: dict[str, str], board: Row) -> None:
    assert len(board["pairs"]) == 6
    board["pairs"][-1] += 1e-9


def without_row(texts: dict[str, str], board: Row) -> None:
    board["rows"].pop()


def without(name: str, texts: dict[str, str], board: Row) -> None:
    lines, last = texts[name].splitlines(keepends=True), board["rows"][-1]["submission"]
    texts[name] = "".join(line for line in lines if not line.startswith(f"{last},"))


def in_another_order(texts: dict[str, str], board: Row) -> None:
    rows = board["rows"]
    rows[0], rows[-1] = rows[-1], rows[0]


def without_rank(texts: dict[str, str], board: Row) -> None:
    board["rows"][-1] |= {"rank_low": None, "rank_high": None}


def test_what_was_changed_deleted_reordered_or_left_unranked_is_noticed(
    cast: Cast, tmp_path: Path
) -> None:
    whole = members(matrix_of(made_board(cast, CASES[0])))
    for change, told in (
        (changed_result, "published as"),
        (changed_p, "pair 5: p is"),
        (without_row, "has scores or results, and no row"),
        (partial(without, "scores.csv"), "has no score of"),
        (partial(without, "results.csv"), "tasks is 0, published as"),
        (in_another_order, "stands below a row"),
        (without_rank, "is settled, and has no rank"),
    ):
        texts, board = {**whole}, json.loads(whole["board.json"])
        change(texts, board)
        changed = io.BytesIO()
        with zipfile.ZipFile(changed, "w") as made:
            for name, text in (texts | {"board.json": json.dumps(board)}).items():
                made.writestr(name, text)
        _, said = computed_again(changed.getvalue(), tmp_path / "run", status=1)
        assert told in said and "differ." in said


# --- People's marks -----------------------------------------------------------------------


@pytest.fixture
def panel(cast: Cast, tmp_path: Path) -> Panel:
    return rated_panel(cast, tmp_path)


@pytest.mark.parametrize("raters", [3, 21])
def test_a_rated_board_is_computed_again_from_marks(
    panel: Panel, tmp_path: Path, raters: int
) -> None:
    """From 20 raters on the intervals are over raters too."""
    missing = panel.fenland.generations.order_by("pk").last()
    assert missing is not None
    missing.delete()
    settle(panel.campaign, panel, [f"rater{n}" for n in range(raters)])
    make_results(campaign=panel.campaign)
    board = publish(panel.northwood, panel.fenland)
    campaigns.close_campaign(campaign=panel.campaign)
    content = matrix_of(board)
    found, _ = computed_again(content, tmp_path / "run")
    assert_equal(found, board)
    rows = rows_of(content, "results.csv")
    names = {row["rater"] for row in rows} - {""}
    assert len(names) == raters and all(len(name) == 12 for name in names)
    people = set(panel.campaign.raters.values_list("user__username", flat=True))
    assert not any(word in text for word in people for text in members(content).values())


def test_marks_of_an_open_campaign_are_withheld(panel: Panel, tmp_path: Path) -> None:
    """Raters have to rate independently."""
    content = matrix_of(rated_board(panel))
    assert rows_of(content, "results.csv") == []
    found, said = computed_again(content, tmp_path / "run", status=3)
    assert found == {"scores": [], "rows": [], "pairs": []}
    assert "not public" in said and "Nothing could be checked." in said
    assert "All agree" not in said


# --- Only what everyone may see -----------------------------------------------------------


def test_numbers_of_passed_tests_are_withheld_if_tests_are_hidden(
    cast: Cast, tmp_path: Path
) -> None:
    content = matrix_of(made_board(cast, CASES[3]))
    assert {row["metric"] for row in rows_of(content, "results.csv")} == {"pass", "exact", "tasks"}
    found, said = computed_again(content, tmp_path / "run")
    assert {row["metric"] for row in found["scores"]} >= {"pass@1", "exact"}
    assert found["rows"] == [] and "not public" in said


def test_a_withdrawn_result_is_in_no_later_file(cast: Cast, tmp_path: Path) -> None:
    """Until the board is computed again, its ranks do not follow from the rows that remain."""
    board = made_board(cast, CASES[0])
    gone = board.standings.get(place=1).submission
    first = matrix_of(board)
    actions.withdraw_submission(submission=gone)
    content = matrix_of(board)
    numbers = [{row["submission"] for row in rows_of(c, "results.csv")} for c in (first, content)]
    assert numbers[0] - numbers[1] == {str(gone.pk)}
    assert json.loads(members(content)["board.json"])["pairs"] == []
    assert gone.entrant.name not in "".join(members(content).values())
    _, said = computed_again(content, tmp_path / "run", status=2)
    assert "Download its matrix again" in said


def test_each_sample_has_the_tier_of_its_verdict(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), ("passed", "failed"), samples=2)
    verdicts = Verdict.objects.filter(evaluation__submission=submission)
    verdicts.filter(generation__task__number=0, generation__sample=1).update(tier="shared")
    private = cast.judged_submission(cast.entrant("Veiled"), publish=False)
    content = matrix_of(Board.objects.get(), visitor(cast.charlie))
    rows = rows_of(content, "results.csv")
    shared = [(row["task"], row["sample"]) for row in rows if row["tier"] == "shared"]
    assert shared == [("0", "1")]
    assert {row["tier"] for row in rows} == {"outside", "shared"}
    # A private result is in no file.
    assert "Veiled" not in "".join(members(content).values())
    assert str(private.pk) not in {row["submission"] for row in rows}


def test_a_result_of_several_verdicts_is_shared_if_one_of_them_is(cast: Cast) -> None:
    submission = cast.judged_submission(
        cast.entrant(), benchmark=cast.codeif, setting="single_round", samples=1
    )
    first = Verdict.objects.filter(evaluation__submission=submission).order_by("generation")[0]
    task, requirement = first.generation.task.number, first.generation.requirement
    Verdict.objects.filter(pk=first.pk).update(tier="shared")
    rows = rows_of(matrix_of(Board.objects.get(setting="single_round")), "results.csv")
    of_task = [row for row in rows if row["task"] == str(task)]
    tiers = {row["category"]: row["tier"] for row in of_task if row["category"]}
    assert tiers.pop(requirement) == "shared" and set(tiers.values()) == {"outside"}
    assert {row["tier"] for row in of_task if not row["category"]} <= {"shared"}
    assert {row["tier"] for row in rows if row["task"] != str(task)} == {"outside"}


# --- Kept until the board changes ---------------------------------------------------------


def test_the_file_is_made_once_for_each_state_of_the_board(
    cast: Cast, settings: Settings, client: Client
) -> None:
    board = made_board(cast, CASES[0])
    folder = Path(settings.DATA_DIR) / "matrices"
    first = client.get(address(board, "matrix.zip"))
    content = first.getvalue()
    (kept,) = folder.glob("*.zip")
    assert kept.read_bytes() == content == matrix_of(board)
    again = client.get(address(board, "matrix.zip"), headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Standing.objects.filter(board=board).update(has_results=False)
    matrix_of(board)
    assert kept not in folder.glob("*.zip") and len(list(folder.glob("*.zip"))) == 1


def test_one_reader_at_a_time_makes_the_file(cast: Cast, client: Client) -> None:
    assert client.get(f"/benchmarks/{cast.rucodeeval.slug}/matrix.zip").status_code == 404
    board = made_board(cast, CASES[0])
    slow = client.get(address(board, "matrix.zip"))
    busy = client.get(address(board, "matrix.zip"))
    assert (busy.status_code, busy["Retry-After"]) == (503, "30")
    assert client.head(address(board, "matrix.zip")).status_code == 200
    slow.close()
    assert members(matrix_of(board))

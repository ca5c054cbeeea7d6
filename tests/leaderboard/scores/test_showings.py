"""Tests of a board's signs of memorisation, from stored answers and dates."""

import json
from datetime import date
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation.engine.metrics.memorisation import FEWEST_ENTRANTS, Sign
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores.boards import make_board, stale_boards
from leaderboard.scores.models import Board
from leaderboard.submissions.copies import compare
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

TASKS = 48
HEAD = 'def total_{n}(values):\n    """Sum the values, starting from {n}."""\n'


def solution(n: int, mark: str = "values") -> str:
    """A solution that is too long to be equal by coincidence; it differs by `mark`."""
    return (
        f"    total = {n}\n    {mark}_seen = 0\n    for value in values:\n"
        f"        total += value\n        {mark}_seen += 1\n    return total\n"
    )


@pytest.fixture
def benchmark(cast: Cast, tmp_path: Path) -> Benchmark:
    path = tmp_path / "tasks.jsonl"
    lines = [
        {
            "instruction": "{function}",
            "inputs": {"function": HEAD.format(n=n), "tests": "[{'values': [1]}]"},
            "outputs": [str(n + 1)],
            "meta": {"id": n, "canonical_solution": solution(n), "entry_point": f"total_{n}"},
        }
        for n in range(TASKS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    words = str(path), "--revision=1", "--slug=totals", "--list"
    call_command("import_benchmark", "rucodeeval", *words)
    return Benchmark.objects.get(slug="totals")


@pytest.fixture
def board(cast: Cast, benchmark: Benchmark) -> Board:
    """Entrants with their own answers, who solve every second task. The last one gives the
    references, half of them with their heads, and solves only the older half."""
    for row in range(FEWEST_ENTRANTS):
        knows = row == FEWEST_ENTRANTS - 1
        solved = [n < TASKS // 2 for n in range(TASKS)] if knows else [True, False] * (TASKS // 2)
        submission = cast.judged_submission(
            cast.entrant(f"Model {row}"),
            ["passed" if one else "failed" for one in solved],
            benchmark=benchmark,
            samples=1,
        )
        for n, answer in enumerate(submission.generations.order_by("task__number")):
            head = HEAD.format(n=n) if n % 2 else ""
            answer.text = head + solution(n) if knows else solution(n, f"mark{row}")
            answer.save()
        compare(submission=submission)
    return Board.objects.get()


def made(board: Board) -> dict[str, Sign | None]:
    """The signs of the entrant that knows the references, for the kinds that the board has."""
    Board.objects.filter(pk=board.pk).update(wanted=board.wanted + 1)
    assert make_board(board=board)
    board.refresh_from_db()
    knowing = board.standings.get(submission__entrant__name=f"Model {FEWEST_ENTRANTS - 1}")
    assert knowing.place is not None
    return {
        kind: Sign(**found) if (found := board.facts[kind][knowing.place - 1]) else None
        for kind in ("overlaps", "ages")
        if kind in board.facts
    }


def test_answers_that_equal_the_hidden_references_are_a_sign(client: Client, board: Board) -> None:
    (sign,) = made(board).values()
    assert sign is not None and sign.flagged and sign.tasks == TASKS // 2
    assert sign.excess > 0.9
    flagged = [one["flagged"] for one in board.facts["overlaps"]]
    assert sum(flagged) == 1 and len(flagged) == FEWEST_ENTRANTS
    page = client.get("/benchmarks/totals/").text
    assert "Signs of memorisation" in page and page.count("unusual") == 1
    assert "older than its training data" not in page


def test_a_cut_off_compares_older_tasks_with_newer_ones(
    client: Client, cast: Cast, board: Board, tmp_path: Path
) -> None:
    days = tmp_path / "days.csv"
    rows = [f"{n},202{4 if n < TASKS // 2 else 6}-03-0{n % 9 + 1}" for n in range(TASKS)]
    days.write_text("\n".join(["id,date", *rows]), "utf-8")
    files = str(tmp_path / "tasks.jsonl"), "--revision=1", "--slug=totals"
    call_command("import_benchmark", "rucodeeval", *files, f"--dates={days}")
    assert list(stale_boards()) == [board]
    assert "ages" not in made(board)
    client.force_login(cast.alice)
    knowing = f"model-{FEWEST_ENTRANTS - 1}"
    form = {"name": "Model 9", "cutoff": "2025-06-01"}
    assert client.post(f"/entrants/{knowing}/edit/", form).status_code == 302
    assert list(stale_boards()) == [board]
    board.refresh_from_db()
    sign = made(board)["ages"]
    assert sign is not None and sign.flagged and sign.tasks == TASKS
    # It solves all of the older half, none of the newer; the others solve half of each.
    assert sign.excess == pytest.approx(1, abs=0.05)
    assert sum(one is not None for one in board.facts["ages"]) == 1
    assert "older than its training data" in client.get("/benchmarks/totals/").text
    assert "1 Jun 2025" in client.get(f"/entrants/{knowing}/").text
    form["cutoff"] = f"{date.today().year + 1}-01-01"
    assert "in the future" in client.post(f"/entrants/{knowing}/edit/", form).text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("task,day\n0,2025-01-01", "needs the columns id and date"),
        ("id,date\n0,2025-01-01\n1,May 2025", "line 3, task 1: its date is not a day"),
        ("id,date\n99,2025-01-01", "line 2, task 99: the revision has no task"),
        ("id,date\n0", "its date is not a day"),
        ("id,date\n\xff", "cannot be read"),
    ],
    ids=["columns", "day", "id", "short", "encoding"],
)
def test_dates_that_cannot_be_used_change_nothing(
    benchmark: Benchmark, tmp_path: Path, text: str, problem: str
) -> None:
    days = tmp_path / "days.csv"
    days.write_bytes(text.encode("latin-1"))
    files = str(tmp_path / "tasks.jsonl"), "--revision=1", "--slug=totals"
    with pytest.raises(CommandError, match=problem):
        call_command("import_benchmark", "rucodeeval", *files, f"--dates={days}")
    assert benchmark.current is not None
    assert not benchmark.current.tasks.exclude(dated=None).exists()

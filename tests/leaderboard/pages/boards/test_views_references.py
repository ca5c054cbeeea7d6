"""Tests of the benchmark's own programs on the pages: once for the board, by task, and nothing
hidden."""

import pytest
from django.core.cache import cache
from django.test import Client

from evaluation.engine.records import Reference, Status
from evaluation.state.references import keep_references
from evaluation.work.exclusions import leave_out
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.benchmarks.records import task_records
from leaderboard.scores.boards import make_board
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.boards.published import page
from tests.support.cast import Cast
from tests.support.in_projects import in_projects, keep, prepared, references

pytestmark = pytest.mark.any_database

__all__ = ["in_projects"]

UNSOUND = "veiled-test fails in the reference solution"


@pytest.fixture
def published(cast: Cast, in_projects: Benchmark) -> list[Submission]:
    """Two results of a benchmark whose first task is unsound."""
    assert in_projects.current is not None
    keep(in_projects.current, oracle=UNSOUND)
    return [
        cast.judged_submission(cast.entrant(name), benchmark=in_projects)
        for name in ("Larch", "Marl")
    ]


def leave_first_out(cast: Cast, published: list[Submission], reason: str) -> None:
    first = Task.objects.filter(revision=published[0].revision, number=0)
    leave_out(tasks=first, reason=reason, user=cast.dora)
    for submission in published:
        cast.score(submission.evaluations.get())
    for board in Board.objects.filter(revision=published[0].revision):
        make_board(board=board)


def test_a_board_its_chart_and_its_file_have_them_once(
    published: list[Submission], client: Client, in_projects: Benchmark
) -> None:
    address = in_projects.get_absolute_url()
    text = page(client, address)
    assert text.count("reference solution <b>91.7 %</b>") == 1
    assert text.count("stub <b>0.0 %</b>") == 1
    assert text.count("tasks counted <b>12</b>") == 1
    assert '<th scope="col" class="num k' not in text
    assert "Comparison with the benchmark&#x27;s own programs" in text
    figure = client.get(f"{address}charts/references.json").json()
    assert [line["x0"] for line in figure["layout"]["shapes"]] == [pytest.approx(91.67, 0.01), 0]
    document = client.get(f"{address}board.json").json()
    assert document["references"] == {
        "num_samples": 12.0,
        "pass_oracle@1": pytest.approx(11 / 12),
        "pass_stub_pass@1": 0.0,
        "tests": 0.25,
    }
    assert set(document["rows"][0]) & set(document["references"]) == set()


def test_a_submission_has_them_apart_from_its_own_scores(
    published: list[Submission], client: Client
) -> None:
    text = page(client, published[0].get_absolute_url())
    own, _head, theirs = text.partition(
        "The benchmark's own programs, the same for every submission"
    )
    assert "pass@1" in own
    assert "reference solution" not in own
    assert "reference solution" in theirs
    assert "a number, not per cent" in theirs


def test_a_task_shows_how_they_fared_and_nothing_hidden(
    published: list[Submission], client: Client, in_projects: Benchmark
) -> None:
    text = page(client, f"{in_projects.get_absolute_url()}tasks/0/")
    for words in ("Untouched project", "Reference solution", "Stub", "1/2"):
        assert words in text
    assert "made from python:3.11.11-slim-bookworm" in text
    assert "This task is unsound" in text
    assert "veiled" not in text
    assert "This task is unsound" not in page(client, f"{in_projects.get_absolute_url()}tasks/1/")


def test_a_task_names_the_instructions_that_cannot_be_judged(
    client: Client, in_projects: Benchmark
) -> None:
    assert in_projects.current is not None
    pk, task = next(iter(task_records(in_projects.current).items()))
    name = "oracle:Code Standard"
    unfit = Reference(name, Status.FAILED, tests=1, unsound="veiled-test imports what is not there")
    found = {**references(), name: unfit}
    keep_references(prepared=prepared(task), found={pk: found})
    text = page(client, f"{in_projects.get_absolute_url()}tasks/0/")
    assert "these instructions cannot be judged correctly: Code Standard." in text
    assert "This task is unsound" not in text
    assert "veiled" not in text


def test_of_a_control_a_task_says_that_none_may_pass(
    client: Client, in_projects: Benchmark
) -> None:
    assert in_projects.current is not None
    pk, task = next(iter(task_records(in_projects.current).items()))
    found = {**references(), "control": Reference("control", Status.FAILED, tests=2)}
    keep_references(prepared=prepared(task), found={pk: found})
    assert "none may pass" in page(client, f"{in_projects.get_absolute_url()}tasks/0/")


def test_a_task_that_is_left_out_says_since_when_and_why(
    cast: Cast, published: list[Submission], client: Client, in_projects: Benchmark
) -> None:
    address = in_projects.get_absolute_url()

    def columns_of_the_grid() -> int:
        return len(client.get(f"{address}charts/tasks.json").json()["data"][0]["x"])

    assert columns_of_the_grid() == 12
    leave_first_out(cast, published, "<b>It is broken.</b>")
    cache.clear()
    assert columns_of_the_grid() == 11
    text = page(client, f"{address}tasks/0/")
    assert "&lt;b&gt;It is broken.&lt;/b&gt;" in text
    assert "This task is unsound" not in text
    assert page(client, f"{address}tasks/").count("left out</span>") == 1
    assert "<b>1</b> left out of the results" in page(client, address)
    assert "Left out of the scores." in page(client, published[0].get_absolute_url())
    # Other benchmarks have no such programs.
    assert "own programs" not in page(client, f"{cast.rucodeeval.get_absolute_url()}tasks/0/")

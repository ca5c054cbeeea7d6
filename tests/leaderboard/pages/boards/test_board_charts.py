"""Tests of charts' titles and numbers: titles state only what the data make certain, and every
chart has its numbers."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from evaluation import jobs
from leaderboard.accounts.models import Entrant
from leaderboard.pages.boards import board_charts, stored_charts
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.boards.charts import lines
from leaderboard.pages.models import BoardPart
from leaderboard.scores.models import Board
from tests.leaderboard.boards.test_frames import board_of
from tests.leaderboard.pages.boards.chart_boards import chart, framed, made, of_counts
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


# --- Tasks nobody solves ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unsolved", "said"),
    [
        (0, "Every task is solved by an entrant"),
        (1, "One task is solved by no entrant"),
        (9, "Nine tasks are solved by no entrant"),
        (10, "Ten tasks are solved by no entrant"),
        (11, "11 tasks are solved by no entrant"),
    ],
)
def test_tasks_nobody_solves_are_counted_in_words(unsolved: int, said: str) -> None:
    assert chart("tasks", of_counts([0] * unsolved + [1], [0] * unsolved + [3])).title == said


def test_a_task_whose_sample_is_unsettled_may_still_be_solved() -> None:
    known = of_counts([0, 1], [0, 1])
    known.results.loc[(1, 0), "open"] = 1
    assert chart("tasks", known).title == "Every task is solved by an entrant"
    # Nobody is not said of one entrant.
    assert chart("tasks", of_counts([0, 1])).title == "Task by task"


# --- More tries ---------------------------------------------------------------------------


STRONG = [10] * 40


@pytest.mark.parametrize(
    ("counts", "certain"),
    [
        ((STRONG, STRONG[:39] + [9], [2, 3] * 20, [1, 2] * 20), "weaker"),
        (([3, 4] * 20, [2, 3] * 20, [0] * 39 + [1], [0] * 40), "stronger"),
        # A difference that may be chance.
        (([10, 10, 5], [10, 9, 5], [9, 10, 3], [9, 8, 2]), ""),
        # The lower half gains more, but the weakest of all gains nothing.
        (([6] * 40, [5] * 40, [2] * 40, [0] * 40), ""),
        # Three entrants are too few.
        ((STRONG, [2] * 40, [1] * 40), ""),
    ],
)
def test_whom_more_tries_help_more_is_said_where_it_is_certain(
    counts: tuple[list[int], ...], certain: str
) -> None:
    known = of_counts(*counts)
    curves = lines.curves(known.rows, known.samples)
    assert lines.more_tries_help(curves, known.results) == certain
    title = f"More tries help {certain} entrants more" if certain else "Score by number of tries"
    assert chart("passk", known).title == title


# --- Hardest slice ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ((0.6, 0.8, 0.4), (0.5, 0.6, 0.3), "Logic: the hardest for every entrant"),
        ((0.6, 0.8, 0.4), (0.5, 0.3, 0.6), "Score by level"),
        # An interval reaches the overall score.
        ((0.6, 0.61, 0.59), (0.5, 0.6, 0.3), "Score by level"),
    ],
)
def test_what_is_hardest_for_everyone_is_said(
    first: tuple[float, ...], second: tuple[float, ...], title: str
) -> None:
    parts = (("overall", ""), ("level", "Lists"), ("level", "Logic"))
    values = [
        (entrant, *part, value, value - 0.02, value + 0.02)
        for entrant, scores in enumerate((first, second))
        for part, value in zip(parts, scores, strict=True)
    ]
    known = replace(of_counts([1], [1]), scores=framed("scores", values))
    assert chart("breakdown", known).title == title


# --- Which charts, and their numbers ------------------------------------------------------


def test_a_board_without_rows_has_no_charts() -> None:
    names = ("rows", "scores", "samples", "results")
    empty = replace(made(), **{name: framed(name, []) for name in names})
    assert [name for name, chart in CHARTS.items() if chart(empty, "")] == []


@pytest.mark.parametrize("name", CHARTS)
def test_every_row_of_a_table_fits_its_headings(name: str) -> None:
    table = chart(name, made()).table()
    assert table.rows
    assert {len(row) for row in table.rows} == {len(table.head)}
    assert all(isinstance(row[0], str) for row in table.rows)


def test_the_table_of_the_grid_has_each_entrants_samples_unless_it_is_large() -> None:
    table = chart("tasks", of_counts([0, 10], [0, 4])).table()
    assert table.head == ["Task", "Solve rate", "Solved by", "Entrant 0", "Entrant 1"]
    assert table.rows == [
        ["t1", "70.0", "2 of 2", "10/10", "4/10"],
        ["t0", "0.0", "0 of 2", "0/10", "0/10"],
    ]
    large = chart("tasks", made(30, 200)).table()
    assert (len(large.head), len(large.rows)) == (3, 200)


def test_a_gap_of_a_table_is_none_and_numbers_are_written_as_the_reader_does() -> None:
    known = of_counts([1, 1], [1, 1])
    known = replace(known, results=known.results.drop(index=[(0, 0), (1, 0), (1, 1)]))
    assert chart("tasks", known).table().rows == [
        ["t1", "10.0", "1 of 1", "1/10", None],
        ["t0", None, None, None, None],
    ]
    with translation.override("ru"):
        assert chart("passk", of_counts([3, 4])).table().rows[0][1] == "35,0"


def as_pages_read_it(board: Board) -> Board:
    return Board.objects.select_related("revision__benchmark").get(pk=board.pk)


def test_the_job_that_makes_a_board_stores_its_charts_until_a_name_changes(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    board = board_of(cast, 4)
    Board.objects.update(wanted=F("wanted") + 1, made_at=None)
    jobs.board(board.pk)
    board = as_pages_read_it(board)
    # One query for the rows of which the charts were made, and one for the stored part.
    with django_assert_num_queries(2):
        board_charts.offered(board, "rucodeeval")
    languages = [language for language, _name in settings.LANGUAGES]
    stored = [shown_in(board, language) for language in languages]
    renamed = Entrant.objects.filter(name="Entrant 2")
    key = renamed.get().pk
    renamed.update(name="Another name")
    assert b"Another name" in board_charts.figure(board, "tasks")
    Entrant.objects.filter(pk=key).update(name="Entrant 2")
    BoardPart.objects.all().delete()
    cache.clear()
    assert [shown_in(board, language) for language in languages] == stored


def test_the_reconciler_stores_charts_that_a_change_made_out_of_date(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """It leaves a board to the job that makes it."""
    board = board_of(cast, 4)
    for change in ({}, {"name": "Another name"}, {"parameters": 70.0}):
        Entrant.objects.filter(slug="entrant-2").update(**change)
        call_command("reconcile", once=True)
        cache.clear()
        board = as_pages_read_it(board)
        with django_assert_num_queries(2):
            figure = board_charts.figure(board, "tasks")
    assert b"Another name" in figure
    stored = set(BoardPart.objects.values_list("made_of", flat=True))
    assert stored == {stored_charts.made_of(board)}
    BoardPart.objects.all().delete()
    for minutes, outdated in ((1, []), (-1, [board])):
        Board.objects.update(lease_until=timezone.now() + timedelta(minutes=minutes))
        assert list(stored_charts.outdated_boards()) == outdated


def shown_in(board: Board, language: str) -> tuple[object, ...]:
    with translation.override(language):
        pages = [board_charts.numbers(board, "passk"), board_charts.figure(board, "tasks")]
        return (board_charts.offered(board, "rucodeeval"), *pages)

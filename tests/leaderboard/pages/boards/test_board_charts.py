"""Tests of charts' titles and numbers: titles state only what the data make certain, and every
chart has its numbers."""

from __future__ import annotations

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
from leaderboard.boards import frames
from leaderboard.pages.boards import board_charts, stored_charts
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.boards.charts import passk, rules
from leaderboard.pages.boards.charts.tasks import number_word
from leaderboard.pages.models import BoardPart
from leaderboard.scores.models import Board
from tests.leaderboard.boards.test_frames import board_of
from tests.leaderboard.pages.boards.chart_boards import Made, chart, counted, made
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def board(*counts: list[int], n: int = 10) -> Made:
    """An entrant for each list of correct samples by task, the first ranked first."""
    results = [
        (entrant, task, n, c, 0)
        for entrant, found in enumerate(counts)
        for task, c in enumerate(found)
    ]
    rows = frames.frame_of(
        "rows",
        (
            (entrant, f"Entrant {entrant}", None, None, entrant + 1, f"entrant-{entrant}")
            for entrant in range(len(counts))
        ),
    )
    tasks = frames.frame_of("tasks", ((task, task, f"t{task}") for task in range(len(counts[0]))))
    by_task = frames.frame_of("results", results)
    return Made(rows, frames.frame_of("scores", []), counted(results), by_task, tasks)


# --- Tasks nobody solves ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unsolved", "said"),
    [
        (0, "Every task is solved by an entrant"),
        (1, "One task is solved by no entrant"),
        (9, "Nine tasks are solved by no entrant"),
        (12, "12 tasks are solved by no entrant"),
    ],
)
def test_tasks_nobody_solves_are_counted_in_words(unsolved: int, said: str) -> None:
    assert chart("tasks", board([0] * unsolved + [1], [0] * unsolved + [3])).title == said


def test_a_task_whose_sample_is_unsettled_may_still_be_solved() -> None:
    known = board([0, 1], [0, 1])
    known.results.loc[(1, 0), "open"] = 1
    assert chart("tasks", known).title == "Every task is solved by an entrant"


def test_of_one_entrant_nobody_is_not_said() -> None:
    assert chart("tasks", board([0, 1])).title == "Task by task"


def test_numbers_are_words_up_to_ten() -> None:
    assert [number_word(count) for count in (1, 2, 10, 11)] == ["One", "Two", "Ten", "11"]


# --- More tries ---------------------------------------------------------------------------


def helped(known: Made) -> str:
    return rules.more_tries_help(passk.curves(known.rows, known.samples), known.results)


def test_more_tries_help_the_weaker_more_where_it_is_certain() -> None:
    strong, weak = [10] * 40, [2, 3] * 20
    known = board(strong, strong[:39] + [9], weak, [1, 2] * 20)
    assert helped(known) == "weaker"
    assert chart("passk", known).title == "More tries help weaker entrants more"


def test_more_tries_help_the_stronger_more_where_the_weaker_never_solve() -> None:
    known = board([3, 4] * 20, [2, 3] * 20, [0] * 39 + [1], [0] * 40)
    assert helped(known) == "stronger"


def test_a_difference_that_may_be_chance_is_not_said() -> None:
    known = board([10, 10, 5], [10, 9, 5], [9, 10, 3], [9, 8, 2])
    assert helped(known) == ""
    assert chart("passk", known).title == "Score by number of tries"


def test_halves_that_differ_without_an_order_are_not_said() -> None:
    # The lower half gains more, but the weakest of all gains nothing.
    known = board([6] * 40, [5] * 40, [2] * 40, [0] * 40)
    assert helped(known) == ""


def test_of_three_entrants_nothing_is_said() -> None:
    assert helped(board([10] * 40, [2] * 40, [1] * 40)) == ""


# --- Hardest slice ------------------------------------------------------------------------


def with_parts(*scores: tuple[int, str, float]) -> Made:
    values = [
        (entrant, "overall" if part == "" else "level", part, value, value - 0.02, value + 0.02)
        for entrant, part, value in scores
    ]
    return replace(board([1], [1]), scores=frames.frame_of("scores", values))


def test_what_is_hardest_for_everyone_is_said() -> None:
    known = with_parts(
        (0, "", 0.6), (0, "Lists", 0.8), (0, "Logic", 0.4),
        (1, "", 0.5), (1, "Lists", 0.6), (1, "Logic", 0.3),
    )  # fmt: skip
    assert chart("breakdown", known).title == "Logic: the hardest for every entrant"


def test_what_is_hardest_for_some_is_not_said() -> None:
    known = with_parts(
        (0, "", 0.6), (0, "Lists", 0.8), (0, "Logic", 0.4),
        (1, "", 0.5), (1, "Lists", 0.3), (1, "Logic", 0.6),
    )  # fmt: skip
    assert chart("breakdown", known).title == "Score by level"


def test_an_interval_that_reaches_the_overall_score_is_not_certain() -> None:
    known = with_parts(
        (0, "", 0.6), (0, "Lists", 0.61), (0, "Logic", 0.59),
        (1, "", 0.5), (1, "Lists", 0.6), (1, "Logic", 0.3),
    )  # fmt: skip
    assert chart("breakdown", known).title == "Score by level"


# --- Which charts, and their numbers ------------------------------------------------------


def test_a_board_without_rows_has_no_charts() -> None:
    names = ("rows", "scores", "samples", "results")
    empty = replace(made(), **{name: frames.frame_of(name, []) for name in names})
    assert [name for name, chart in CHARTS.items() if chart(empty, "")] == []


@pytest.mark.parametrize("name", CHARTS)
def test_every_row_of_a_table_fits_its_headings(name: str) -> None:
    table = chart(name, made()).table()
    assert table.rows
    assert {len(row) for row in table.rows} == {len(table.head)}
    assert all(isinstance(row[0], str) for row in table.rows)


def test_the_table_of_the_grid_has_each_entrants_samples() -> None:
    table = chart("tasks", board([0, 10], [0, 4])).table()
    assert table.head == ["Task", "Solve rate", "Solved by", "Entrant 0", "Entrant 1"]
    assert table.rows == [
        ["t1", "70.0", "2 of 2", "10/10", "4/10"],
        ["t0", "0.0", "0 of 2", "0/10", "0/10"],
    ]


def test_a_gap_of_a_table_is_none() -> None:
    known = board([1, 1], [1, 1])
    known = replace(known, results=known.results.drop(index=[(0, 0), (1, 0), (1, 1)]))
    assert chart("tasks", known).table().rows == [
        ["t1", "10.0", "1 of 1", "1/10", None],
        ["t0", None, None, None, None],
    ]


def test_the_table_of_a_large_grid_is_by_task_only() -> None:
    table = chart("tasks", made(30, 200)).table()
    assert (len(table.head), len(table.rows)) == (3, 200)


def test_numbers_are_written_as_the_reader_does() -> None:
    with translation.override("ru"):
        assert chart("passk", board([3, 4])).table().rows[0][1] == "35,0"


def test_cards_are_what_the_pages_template_shows(cast: Cast) -> None:
    cards = board_charts.offered(board_of(cast, 4), "rucodeeval", "?setting=base").cards
    assert [card.url for card in cards] == [
        f"/benchmarks/rucodeeval/charts/{name}.json?setting=base"
        for name in ("passk", "tasks", "size")
    ]
    assert cards[0].table_url == "/benchmarks/rucodeeval/charts/passk/?setting=base"


def test_a_board_that_changes_is_read_again(cast: Cast) -> None:
    board_of(cast, 4)

    def rows_of_pass_at_k() -> int:
        numbers = board_charts.numbers(Board.objects.get(), "passk")
        assert numbers is not None
        assert numbers.table.head == ["Entrant", "pass@1", "pass@2"]
        return len(numbers.table.rows)

    before = rows_of_pass_at_k()
    board_of(cast, 1, first=4)
    assert rows_of_pass_at_k() == before + 1


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


def test_the_reconciler_leaves_a_board_to_the_job_that_makes_it(cast: Cast) -> None:
    board = board_of(cast, 2)
    BoardPart.objects.all().delete()
    Board.objects.update(lease_until=timezone.now() + timedelta(minutes=1))
    assert list(stored_charts.outdated_boards()) == []
    Board.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    assert list(stored_charts.outdated_boards()) == [board]


def shown_in(board: Board, language: str) -> tuple[object, ...]:
    with translation.override(language):
        pages = [board_charts.numbers(board, "passk"), board_charts.figure(board, "tasks")]
        return (board_charts.offered(board, "rucodeeval"), *pages)

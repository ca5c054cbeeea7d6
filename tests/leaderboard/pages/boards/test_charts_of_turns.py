"""Tests of charts of conversations by turn: values as stored, gaps left out, and only certain
findings."""

from dataclasses import replace
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.boards.frames import BoardFrames
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.boards.charts import dots, theme
from leaderboard.pages.boards.charts.drawing import NumberTable
from leaderboard.scores.models import Board, Score
from tests.leaderboard.pages.boards.chart_boards import Made, chart, drawn, framed, made, turn_row
from tests.support.cast import Cast
from tests.support.conversations import multi_turn, passing
from tests.support.snapshots import made_once

pytestmark = pytest.mark.any_database

TURNS = ("turns-ia", "turns-ca", "turns-ifr")


def board(*turns: tuple[object, ...], entrants: int = 2, **more: Any) -> Made:
    return replace(made(entrants), turns=framed("turns", turns), **more)


def told(name: str, known: Made) -> tuple[str, str]:
    found = chart(name, known)
    return found.title, found.subtitle


def of_ca(*values: tuple[float, ...], first: int = 0) -> Made:
    """A board of CA with an entrant for each tuple and a value for each turn."""
    rows = [
        turn_row("CA", entrant, turn, value)
        for entrant, found in enumerate(values)
        for turn, value in enumerate(found, first)
    ]
    return board(*rows, entrants=len(values))


def test_a_line_is_the_values_by_turn_with_their_intervals() -> None:
    line = drawn("turns-ca", of_ca((0.9, 0.5)))["data"][0]
    assert (line["x"], line["y"]) == ([0, 1], [90, 50])
    assert line["error_y"]["array"] == pytest.approx([6, 6])
    assert line["error_y"]["arrayminus"] == pytest.approx([6, 6])
    assert line["customdata"] == ["turn 0: 90.0 (84.0–96.0)", "turn 1: 50.0 (44.0–56.0)"]
    # Entrants stand beside each other at a turn.
    lines = drawn("turns-ca", of_ca((0.9, 0.5), (0.9, 0.5), (0.9, 0.5)))["data"]
    assert [line["x"] for line in lines] == [[-0.18, 0.82], [0, 1], [0.18, 1.18]]
    assert len({(line["line"]["dash"], line["marker"]["symbol"]) for line in lines}) == 3


def test_of_more_entrants_than_one_tells_apart_some_are_drawn_and_that_is_said() -> None:
    known = made(25)
    assert len(drawn("turns-ia", known)["data"]) == len(theme.SERIES)
    assert "6 of 25 entrants" in told("turns-ia", known)[1]
    assert len(chart("turns-ia", known).table().rows) == 25


def test_what_is_not_settled_is_a_gap_and_no_zero() -> None:
    rows = [turn_row("CA", 0, turn, 0.5) for turn in (0, 2)]
    known = board(*rows, ("CA", 0, "1", None, None, None, 50), entrants=1)
    assert drawn("turns-ca", known)["data"][0]["x"] == [0, 2]
    other = board(*rows, turn_row("CA", 1, 1, 0.5))
    assert chart("turns-ca", other).table() == NumberTable(
        ["Entrant", "turn 0", "turn 1", "turn 2"],
        [
            [other.rows["name"].iloc[0], "50.0 (44.0–56.0)", None, "50.0 (44.0–56.0)"],
            [other.rows["name"].iloc[1], None, "50.0 (44.0–56.0)", None],
        ],
    )


@pytest.mark.parametrize("name", TURNS)
def test_without_two_turns_there_is_nothing_to_draw(name: str) -> None:
    for known in (board(), board(turn_row("IA", 0, 1, 0.5), turn_row("IA", 1, 2, 0.5))):
        assert CHARTS[name](known, "") is None


# --- Titles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "title"),
    [
        (
            ((0.9, 0.7, 0.5), (0.8, 0.7, 0.4)),
            "Every entrant's conversation accuracy is lower at turn 2 than at turn 0",
        ),
        (((0.9, 0.7, 0.5), (0.8, 0.7, 0.75)), "Conversation accuracy by turn"),
        (((0.9, 0.7, 0.85), (0.8, 0.7, 0.4)), "Conversation accuracy by turn"),
        (((0.9, 0.5, 0.5),), "Conversation accuracy by turn"),
        (
            ((0.9, 0.6, 0.2), (0.8, 0.3)),
            "Every entrant's conversation accuracy is lower at turn 1 than at turn 0",
        ),
    ],
)
def test_a_fall_is_said_where_it_is_certain_for_everyone(
    values: tuple[tuple[float, ...], ...], title: str
) -> None:
    assert told("turns-ca", of_ca(*values))[0] == title


def test_a_fall_is_said_only_of_turns_that_the_same_conversations_reach() -> None:
    """Conversations whose values are constant may end when they are solved: those that remain are
    the worse ones."""

    def title(*tasks: int) -> str:
        values = zip((0.9, 0.88, 0.4), tasks, strict=True)
        rows = [(turn, value, number) for turn, (value, number) in enumerate(values)]
        own = [turn_row("CA", entrant, *row) for entrant in range(2) for row in rows]
        return told("turns-ca", board(*own))[0]

    assert title(50, 50, 50).startswith("Every entrant's conversation accuracy is lower at turn 2")
    assert title(50, 50, 20) == "Conversation accuracy by turn"


def test_of_what_is_forgotten_more_is_worse() -> None:
    """IFR begins at turn 1 for everyone, so that Base is not said to be missing."""
    title, subtitle = told("turns-ifr", made())
    assert title == "Every entrant forgets more at turn 6 than at turn 1"
    assert "lower is better" in subtitle and "Base" not in subtitle


def test_it_is_said_how_turns_are_counted_and_who_has_no_base() -> None:
    def of_firsts(*firsts: int) -> Made:
        rows = [turn_row("CA", e, t, 0.5) for e, first in enumerate(firsts) for t in (first, 2)]
        return board(*rows, entrants=len(firsts))

    name = made(2).rows["name"].iloc[1]
    dynamic = replace(of_ca((0.9, 0.5), first=1), turns_from_one=True)
    for known, end in (
        (of_firsts(0, 0), "turn 0 is Base"),
        (of_firsts(0, 1), f"turn 0 is Base, which these do not have: {name}"),
        (of_firsts(0, 1, 1, 1, 1), "turn 0 is Base, which 4 of 5 entrants do not have"),
        (of_firsts(1), "no entrant has a Base completion, so it starts at turn 1"),
        (dynamic, "turns are counted from 1"),
    ):
        assert told("turns-ca", known)[1].endswith(end)


# --- From the database --------------------------------------------------------------------


@pytest.fixture
def conversing(cast: Cast) -> Board:
    """Two entrants on the multi-turn board, one of them without Base completions."""

    def made() -> Board:
        fares = passing(("ppppp", "fpppp", "ffppp"))
        for number, name in enumerate(("Marl", "Sprig")):
            multi_turn(cast, cast.entrant(name), fares, base=not number)
        boards = Board.objects.select_related("revision__benchmark")
        return boards.get(setting="multi_turn")

    return made_once(cast, "conversing", made)


def test_turns_are_the_scores_by_turn_in_one_query(
    conversing: Board, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    known = BoardFrames(conversing)
    with django_assert_num_queries(1):
        found = known.turns
    assert set(found["metric"]) == {"IA", "CA", "IFR"}
    stored = Score.objects.filter(metric__in=("IA", "CA", "IFR"), slice="turn")
    columns = ("evaluation_id", "metric", "value")
    assert sorted(stored.values_list(*columns)) == sorted(
        found[["evaluation", "metric", "value"]].itertuples(index=False, name=None)
    )


@pytest.mark.parametrize(("metric", "by_turn"), [("CA", False), ("pass@1", True)])
def test_what_has_a_chart_by_turn_is_not_broken_down_by_turn_again(
    conversing: Board, metric: str, by_turn: bool
) -> None:
    conversing.metric = metric
    known = BoardFrames(conversing)
    assert ("turn" in dots.kinds(known.scores)) == by_turn
    assert not known.turns.empty

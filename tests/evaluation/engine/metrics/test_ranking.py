"""Tests of ranking: the order of rows by score, and the places and groups that ties leave."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluation.engine.metrics.paired import EntrantId, Showing
from evaluation.engine.metrics.ranking import Ranking, contiguous_groups, maximal_groups, rank


@st.composite
def boards(draw: st.DrawFn) -> list[Showing]:
    """Entrants of which some are far apart: each passes the first k of 24 tasks, with a few
    flipped."""
    random = Random(draw(st.integers(0, 999)))
    passed = draw(st.sampled_from([1, 0.9]))  # 0.9: values other than 1 for the bootstrap
    solved = draw(st.lists(st.integers(0, 24), min_size=1, max_size=8))
    return [
        showing(entrant, *(passed * ((task < k) != (random.random() < 0.1)) for task in range(24)))
        for entrant, k in enumerate(solved)
    ]


@st.composite
def ties(draw: st.DrawFn) -> NDArray[np.bool_]:
    n = draw(st.integers(0, 7))
    tied = np.eye(n, dtype=np.bool_)
    for a, b in combinations(range(n), 2):
        tied[a, b] = tied[b, a] = draw(st.booleans())
    return tied


def showing(entrant: EntrantId, *values: float) -> Showing:
    return Showing(entrant, {task: [value] for task, value in enumerate(values)})


def passing(entrant: EntrantId, *parts: range, tasks: int = 40) -> Showing:
    return showing(entrant, *(float(any(task in part for part in parts)) for task in range(tasks)))


def places(ranking: Ranking) -> list[tuple[EntrantId, int, int]]:
    return [(row.entrant, row.low, row.high) for row in ranking.rows]


def all_tied(tied: NDArray[np.bool_], group: Sequence[int]) -> bool:
    return bool(tied[np.ix_(group, group)].all())


def test_entrants_that_are_far_apart_have_one_place_each() -> None:
    ranking = rank([passing("c", range(5)), passing("a", range(40)), passing("b", range(20))])
    assert places(ranking) == [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]
    assert [row.score for row in ranking.rows] == [1.0, 0.5, 0.125]
    assert ranking.groups == ()
    assert ranking.tasks == 40


def test_being_tied_is_not_transitive() -> None:
    # neighbours differ on 5 tasks, p = 2/2^5 at least; the first and the last on 10
    ranking = rank([passing(1, range(20)), passing(2, range(15)), passing(3, range(10))])
    assert places(ranking) == [(1, 1, 2), (2, 1, 3), (3, 2, 3)]
    assert ranking.groups == ((0, 1), (1, 2))
    assert ranking.every_group
    assert len(ranking.lead) == 2
    assert ranking.lead[0] > 0.05 >= ranking.lead[1]


def test_clusters_are_counted_and_compared_in_place_of_tasks() -> None:
    board = [passing(1, range(40)), passing(2, range(20))]
    by_task, by_tens = rank(board), rank(board, {task: task // 10 for task in range(40)})
    assert (by_task.tasks, by_task.clusters) == (40, 40)
    assert (by_tens.tasks, by_tens.clusters) == (40, 4)
    assert [row.high for row in by_task.rows] == [1, 2]
    assert [row.high for row in by_tens.rows] == [2, 2]


def test_equal_entrants_are_tied_and_stand_in_order_of_their_keys() -> None:
    ranking = rank([passing(entrant, range(8)) for entrant in (10, "b", 9, "a")])
    assert places(ranking) == [(9, 1, 4), (10, 1, 4), ("a", 1, 4), ("b", 1, 4)]
    assert ranking.groups == ((0, 1, 2, 3),)
    assert ranking.lead == (1.0, 1.0, 1.0)


def test_a_board_of_one_or_none_has_nothing_to_compare() -> None:
    alone = rank([passing(1, range(8))])
    assert (places(alone), alone.groups, alone.lead) == ([(1, 1, 1)], (), ())
    assert rank([]) == Ranking((), 0, 0, (), True, ())


def test_an_entrant_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        rank([passing(1, range(8)), passing(1, range(9))])


@settings(deadline=None)
@given(boards(), st.randoms(use_true_random=False))
def test_the_order_of_the_entrants_does_not_matter(board: list[Showing], random: Random) -> None:
    assert rank(random.sample(board, len(board))) == rank(board)


@settings(deadline=None)
@given(boards())
def test_places_hold_the_position_on_a_board_in_order_of_score(board: list[Showing]) -> None:
    ranking = rank(board)
    for position, row in enumerate(ranking.rows, start=1):
        assert 1 <= row.low <= position <= row.high <= len(board)
    scores = [round(row.score, 12) for row in ranking.rows]
    assert scores == sorted(scores, reverse=True)


@settings(deadline=None)
@given(boards())
def test_an_identical_entrant_is_always_in_the_same_groups_and_places(board: list[Showing]) -> None:
    ranking = rank([*board, Showing("twin", board[0].units)])
    one, twin = (
        next(i for i, row in enumerate(ranking.rows) if row.entrant == entrant)
        for entrant in (board[0].entrant, "twin")
    )
    assert (ranking.rows[one].low, ranking.rows[one].high) == (
        ranking.rows[twin].low,
        ranking.rows[twin].high,
    )
    assert all((one in group) == (twin in group) for group in ranking.groups)
    assert any(one in group for group in ranking.groups)


@given(ties())
def test_groups_are_all_the_maximal_ones(tied: NDArray[np.bool_]) -> None:
    n = len(tied)
    subsets = [set(c) for size in range(2, n + 1) for c in combinations(range(n), size)]
    cliques = [s for s in subsets if all_tied(tied, sorted(s))]
    largest = [s for s in cliques if not any(s < other for other in cliques)]
    assert maximal_groups(tied, most=50) == sorted(tuple(sorted(s)) for s in largest)


@given(ties())
def test_runs_are_all_the_longest_ones(tied: NDArray[np.bool_]) -> None:
    n = len(tied)
    runs = [range(a, b) for a in range(n) for b in range(a + 2, n + 1)]
    runs = [run for run in runs if all_tied(tied, run)]
    longest = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert contiguous_groups(tied) == [tuple(run) for run in longest]


def test_more_groups_than_can_be_drawn_are_given_up_early() -> None:
    # twenty triples, tied across and not within: 3^20 maximal groups
    tied = np.array([[a // 3 != b // 3 or a == b for b in range(60)] for a in range(60)])
    assert maximal_groups(tied, most=60) is None
    assert contiguous_groups(tied) == [(i, i + 1) for i in range(2, 59, 3)]


def test_a_large_board_still_finds_its_differences() -> None:
    random = np.random.default_rng(11)
    ability = np.linspace(2, -2, 200)[:, None]
    logits = ability + random.normal(0, 1.5, 200) + random.normal(0, 0.5, (200, 200))
    values = random.binomial(10, 1 / (1 + np.exp(-logits))) / 10
    ranking = rank([showing(entrant, *row) for entrant, row in enumerate(values.tolist())])
    assert ranking.rows[0].high < 60
    assert ranking.rows[-1].low > 140
    assert ranking.lead[-1] < 0.001

"""Tests of comparing entrants cluster by cluster: differences that chance explains are ties."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from evaluation.engine.metrics.differences import compare
from evaluation.engine.metrics.intervals import mean_interval
from evaluation.engine.metrics.paired import (
    Clusters,
    Floats,
    Showing,
    Table,
    likeness,
    p_values,
    swap_p_values,
)

TENTHS = st.integers(0, 10).map(lambda tenth: tenth / 10)
UNITS = st.lists(TENTHS, min_size=1, max_size=3)


@st.composite
def boards(draw: st.DrawFn) -> list[Showing]:
    tasks = draw(st.integers(1, 7))
    return [
        Showing(entrant, dict(enumerate(draw(st.lists(UNITS, min_size=tasks, max_size=tasks)))))
        for entrant in range(draw(st.integers(2, 5)))
    ]


def showing(entrant: int, *values: float) -> Showing:
    return Showing(entrant, {task: [value] for task, value in enumerate(values)})


def swap_p(*showings: Showing, clusters: Clusters | None = None) -> Floats:
    wanted = np.ones((len(showings), len(showings)), dtype=np.bool_)
    return swap_p_values(Table.of(showings, clusters), wanted)


def p_value(one: Showing, other: Showing, clusters: Clusters | None = None) -> float:
    return float(p_values(Table.of([one, other], clusters))[0, 1])


def talk(entrant: int, *talks: list[float]) -> Showing:
    return Showing(entrant, dict(enumerate(talks)), by_place=True)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60))
def test_swaps_of_single_trials_estimate_the_exact_binomial_test(
    pairs: list[tuple[bool, bool]],
) -> None:
    differing = [one for one, other in pairs if one != other]
    expected = binomtest(sum(differing), len(differing)).pvalue if differing else 1.0
    one, other = (showing(i, *(float(pair[i]) for pair in pairs)) for i in (0, 1))
    error = (expected * (1 - expected) / 2000) ** 0.5
    assert swap_p(one, other)[0, 1] == pytest.approx(expected, abs=4.5 * error + 0.001)


def test_swaps_of_conversations_compute_the_published_mean_again() -> None:
    # Only the first conversation reaches a second pair, which then decides half of the score.
    one = talk(1, [1.0, 1.0], *[[1.0]] * 11)
    other = talk(2, [1.0, 0.0], *[[1.0]] * 11)
    assert Table.of([one, other]).scores.tolist() == [1.0, 0.5]
    # Each swap changes the sign of the difference and nothing else.
    assert swap_p(one, other)[0, 1] == 1.0


def test_a_rare_long_conversation_separates_nobody() -> None:
    random = Random(16)
    talks = [[random.choice([0.0, 0.5, 1.0])] for _ in range(49)]
    one, other = talk(1, *talks, [1.0] * 5), talk(2, *talks, [1.0, 0.0, 0.0, 0.0, 0.0])
    assert Table.of([one, other]).scores[0] > Table.of([one, other]).scores[1] + 0.6
    assert p_value(one, other) > 0.05


def test_tasks_of_one_repository_are_one_piece_of_evidence() -> None:
    one, other = showing(1, *[1.0] * 40), showing(2, *[0.0] * 20, *[1.0] * 20)
    assert p_value(one, other) < 0.001
    assert p_value(one, other, {task: task // 10 for task in range(40)}) > 0.05


def test_all_against_nothing_is_separated_on_a_small_board_of_many() -> None:
    random = Random(8)
    rows = [[float(random.random() < 0.5) for _ in range(14)] for _ in range(28)]
    board = [showing(0, *[1.0] * 14), showing(1, *[0.0] * 14)]
    board += [showing(2 + i, *row) for i, row in enumerate(rows)]
    assert p_values(Table.of(board))[0, 1] <= 0.05


def test_entrants_that_solve_nearly_nothing_do_not_hide_a_difference() -> None:
    random = np.random.default_rng(150)
    common = random.beta(1, 1, 164)
    strong = [(random.random(164) < np.clip(common + gain, 0, 1)) * 1.0 for gain in (0.3, 0)]
    junk = [(random.random(164) < 0.02) * 1.0 for _ in range(150)]
    two = [showing(i, *row) for i, row in enumerate(strong)]
    board = two + [showing(2 + i, *row) for i, row in enumerate(junk)]
    assert p_value(*two) <= 0.001
    assert p_values(Table.of(board))[0, 1] <= 0.01


def board_of(first_only: int, second_only: int, others: list[list[float]]) -> Table:
    """Two entrants on 164 tasks that differ on so many, and others."""
    both = (164 - first_only - second_only) // 2
    none = 164 - both - first_only - second_only
    first = [1.0] * both + [1.0] * first_only + [0.0] * second_only + [0.0] * none
    second = [1.0] * both + [0.0] * first_only + [1.0] * second_only + [0.0] * none
    return Table.of([showing(i, *row) for i, row in enumerate([first, second, *others])])


@pytest.mark.parametrize("noisy", [1, 20])
def test_noisy_entrants_hide_no_difference(noisy: int) -> None:
    random = np.random.default_rng(noisy)
    others = (random.random((noisy, 164)) < 0.5) * 1.0
    table = board_of(21, 2, others.tolist())
    p, pairs = p_values(table)[0, 1], (noisy + 2) * (noisy + 1) / 2
    assert p <= 0.05
    assert p <= 1.5 * pairs * p_values(board_of(21, 2, []))[0, 1]


def test_a_loss_on_every_task_equals_the_failure_of_a_few() -> None:
    """One entrant loses 5 % of each task's tests, another fails 5 % of the tasks: their true scores
    are equal, and many samples hold no failed task."""
    random, separated, covered = np.random.default_rng(95), 0, 0
    for tasks in (12, 20, 27, 50, 95):
        for _ in range(40):
            failed = (random.random(tasks) >= 0.05) * 1.0
            rows = [[0.95] * tasks, failed.tolist()]
            (pair,) = compare([showing(i, *row) for i, row in enumerate(rows)], adjust=False).pairs
            separated += pair.p <= 0.05
            covered += pair.low <= 0 <= pair.high
    assert separated <= 0.07 * 200
    assert covered >= 0.93 * 200


def uneven(
    random: np.random.Generator, clusters: int
) -> tuple[list[int], dict[int | str, int | str]]:
    """Sizes of repositories from one task to dozens, and each task's repository."""
    sizes = [int(size) for size in np.ceil(random.lognormal(1.5, 1.0, clusters))]
    return sizes, dict(enumerate(np.repeat(np.arange(clusters), sizes).tolist()))


def test_uneven_repositories_show_a_difference_of_fifteen_points() -> None:
    """A pad of a whole repository in each direction left 7 % power, where 59 % are possible."""
    random, separated = np.random.default_rng(27), 0
    for _ in range(60):
        sizes, clusters = uneven(random, 27)
        hard = np.repeat(random.beta(3, 3, 27), sizes)
        own = random.normal(0, 0.1, (2, 27)).repeat(sizes, axis=1)
        rates = np.clip(hard + own + np.array([[0.15], [0.0]]), 0, 1)
        rows = ((random.random(rates.shape) < rates) * 1.0).tolist()
        separated += p_value(showing(0, *rows[0]), showing(1, *rows[1]), clusters) <= 0.05
    assert separated >= 0.4 * 60


def test_conversations_of_unlike_length_show_a_great_difference() -> None:
    """A conversation counted as if it had every pair of turns to itself left 20 % power."""
    random, separated = np.random.default_rng(50), 0
    for _ in range(30):
        hard = random.beta(2, 2, 50)
        rows = [
            [(random.binomial(2, rate, 1 + random.binomial(5, 0.3)) / 2).tolist() for rate in rates]
            for rates in (np.clip(hard + 0.35, 0, 1), np.clip(hard - 0.1, 0, 1))
        ]
        separated += p_value(talk(0, *rows[0]), talk(1, *rows[1])) <= 0.05
    assert separated >= 0.6 * 30


@pytest.mark.parametrize("first", ["tasks", "a part of each task"])
def test_the_failure_of_whole_repositories_is_no_difference(first: str) -> None:
    """One entrant fails 5 % of the repositories, of which samples often hold few or none."""
    random, separated = np.random.default_rng(20), 0
    for _ in range(100):
        sizes, of_task = uneven(random, 20)
        whole = np.repeat(random.random(20) >= 0.05, sizes) * 1.0
        other = (random.random(len(whole)) >= 0.05) * 1.0
        row = other if first == "tasks" else np.full(len(whole), 0.95)
        pair = [showing(0, *whole.tolist()), showing(1, *row.tolist())]
        separated += p_value(*pair, of_task) <= 0.05
    assert separated <= 7


def test_the_likeness_of_tasks_is_known_from_unlike_clusters() -> None:
    random, counts = np.random.default_rng(4), np.full(400, 5)
    whole = np.repeat(random.choice([-1.0, 1.0], 400), 5)
    half = whole * random.choice([1.0, 0.0], 2000)
    rows = np.stack([whole, random.choice([-1.0, 1.0], 2000), half, np.zeros(2000)])
    found = likeness(rows - rows.mean(axis=1, keepdims=True), counts)
    assert found == pytest.approx([1, 0, 0.5, 1], abs=0.08)
    assert likeness(random.normal(size=(1, 6)), np.ones(6, dtype=np.intp)).tolist() == [1]


def test_many_equal_entrants_are_rarely_separated() -> None:
    random = np.random.default_rng(7)
    found = []
    for _ in range(60):
        values = (random.random((20, 40)) < random.beta(1, 1, 40)) * 1.0
        table = Table.of([showing(i, *row) for i, row in enumerate(values.tolist())])
        found.append((p_values(table)[np.triu_indices(20, 1)] <= 0.05).any())
    assert np.mean(found) <= 0.1


def test_units_of_one_task_are_not_tasks() -> None:
    one = Showing(1, {task: [float(task != 3)] * 10 for task in range(6)})
    other = Showing(2, {task: [float(task > 3)] * 10 for task in range(6)})
    assert swap_p(one, other)[0, 1] == pytest.approx(2 * 0.5**3, abs=0.03)
    assert p_value(one, other) > 0.1


def test_tasks_of_uneven_size_weigh_by_their_units() -> None:
    one = Showing(1, {0: [1.0] * 9, 1: [0.0]})
    assert Table.of([one]).scores.tolist() == [0.9]
    assert mean_interval(list(one.units.values())).value == 0.9


def test_five_clusters_tell_nothing() -> None:
    one, other = showing(1, *[1.0] * 5), showing(2, *[0.0] * 5)
    assert p_value(one, other) > 0.05
    assert p_value(showing(1, 0.9), showing(2, 0.1)) == 1.0


@settings(deadline=None, max_examples=30)
@given(boards(), UNITS)
def test_equal_showings_have_p_1(board: list[Showing], units: list[float]) -> None:
    twin = Showing(99, {task: values[::-1] for task, values in board[0].units.items()})
    assert p_value(board[0], twin) == 1.0


@settings(deadline=None, max_examples=30)
@given(boards())
def test_p_values_are_symmetric_and_lie_in_the_unit_range(board: list[Showing]) -> None:
    found = p_values(Table.of(board))
    assert (found == found.T).all()
    assert (found.diagonal() == 1).all()
    assert ((found >= 0) & (found <= 1)).all()


@settings(deadline=None, max_examples=30)
@given(boards(), st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_company_changes_a_swap(
    board: list[Showing], random: Random
) -> None:
    tasks = random.sample(list(board[0].units), len(board[0].units))
    shuffled = [Showing(s.entrant, {task: s.units[task] for task in tasks}) for s in board]
    assert swap_p(shuffled[-1], shuffled[0])[0, 1] == swap_p(*board)[0, -1]


def test_different_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="1 and 2 faced different tasks"):
        Table.of([showing(1, 0.0, 1.0), showing(2, 0.0)])


@pytest.mark.parametrize("units", [{}, {1: [1.0], 2: []}])
def test_a_showing_without_units_is_refused(units: dict[int | str, list[float]]) -> None:
    with pytest.raises(ValueError, match="entrant 7"):
        Showing(7, units)

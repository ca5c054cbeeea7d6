"""Tests of the metrics of a matrix of turns and instructions against their definitions."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.metrics.conversations import Cell, Matrix, TurnMetrics, turn_metrics

# Base and three instructions. Turn 1 breaks Base, turn 2 repairs it but fails its own instruction,
# turn 3 passes only its own.
WORKED = Matrix(
    rows=(
        (True, False, False, False),
        (False, True, False, True),
        (True, True, False, False),
        (False, False, False, True),
    ),
    accumulated=(True, False, False, False),
)


def values(turn: TurnMetrics) -> tuple[float | None, ...]:
    return (turn.ia, turn.ca, turn.strict_ca, turn.ifr, turn.script_ifr)


def test_a_conversation_worked_out_by_hand() -> None:
    assert [values(turn) for turn in turn_metrics(WORKED)] == [
        (1, 1, 1, None, None),
        (1, 1 / 2, 0, 1, 1),  # Base, the only one followed, is forgotten
        (0, 2 / 3, 0, 0, 0),
        (1, 1 / 4, 0, 1, 1),  # Base and the first instruction are; the script knows Base only
    ]


def test_what_was_not_run_leaves_undefined_what_it_decides() -> None:
    rows = ((True, False), (None, True))
    (_, turn) = turn_metrics(Matrix(rows, accumulated=(True, False)))
    assert values(turn) == (1, None, 0, None, None)
    (_, turn) = turn_metrics(Matrix(rows, accumulated=(True, True)))
    assert turn.script_ifr == 0


def test_a_cell_that_decides_nothing_may_be_missing() -> None:
    # Base was followed at turn 0, so what turn 1 made of it changes nothing at turn 2.
    rows = ((True, False, False), (None, True, False), (True, True, True))
    turn = turn_metrics(Matrix(rows, accumulated=(True, False, True)))[2]
    assert turn.ifr == 0


@pytest.mark.parametrize("rows", [((True,), (True, False)), ((True, False),)])
def test_parts_that_do_not_fit_are_refused(rows: tuple[tuple[bool, ...], ...]) -> None:
    with pytest.raises(ValueError, match="not square"):
        Matrix(rows, accumulated=(True,))


# The definitions again, as loops over every cell.


def reference_ca(m: Matrix, i: int) -> float | None:
    total, number = 0.0, 0
    for j in range(i + 1):
        if j in m.apart or j in m.unsound:
            continue
        cell = m.cell(i, j)
        if cell is None:
            return None
        total, number = total + cell, number + 1
    return total / number if number else None


def reference_ifr(m: Matrix, i: int) -> float:
    followed, failed = 0, 0
    for j in range(i):
        if j in m.apart or j in m.unsound:
            continue
        once = False
        for k in range(j, i):
            if m.rows[k] is not None and k not in m.apart and m.cell(k, j):
                once = True
        followed += once
        failed += once and not m.cell(i, j)
    return failed / followed if followed else 0.0


def reference_script_ifr(m: Matrix, i: int) -> float:
    if m.accumulated[i]:
        return 0.0
    passed = []
    for k in range(i):
        there = m.rows[k] is not None and k not in m.apart and k not in m.unsound
        if there and m.accumulated[k]:
            passed.append(k)
    failed = [k for k in passed if not m.cell(i, k)]
    return len(failed) / len(passed) if passed else 0.0


@st.composite
def matrices(draw: st.DrawFn, cell: st.SearchStrategy[Cell]) -> Matrix:
    turns = draw(st.integers(1, 7))
    line = st.lists(cell, min_size=turns, max_size=turns)
    rows: list[list[Cell] | None] = [draw(line) for _ in range(turns)]
    if draw(st.booleans()):
        rows[0] = None
    aside = st.sets(st.integers(1, 6), max_size=2).map(frozenset)
    return Matrix(rows, draw(line), draw(aside), draw(aside))


RUN = st.booleans()
SOME = st.sampled_from([True, False, None])


@given(matrices(RUN))
def test_metrics_equal_the_definitions_written_as_loops(m: Matrix) -> None:
    there = [i for i in range(len(m.rows)) if m.rows[i] is not None and i not in m.unsound]
    assert [turn.turn for turn in turn_metrics(m)] == there
    for turn in turn_metrics(m):
        i = turn.turn
        assert turn.ia == m.cell(i, i)
        if i in m.apart:
            assert values(turn)[1:] == (None,) * 4
            continue
        assert turn.ca == pytest.approx(reference_ca(m, i))
        assert turn.strict_ca == m.accumulated[i]
        assert i == 0 or turn.ifr == pytest.approx(reference_ifr(m, i))
        assert i == 0 or turn.script_ifr == pytest.approx(reference_script_ifr(m, i))


@given(matrices(SOME), st.randoms(use_true_random=False))
def test_what_is_defined_stays_whatever_the_missing_cells_turn_out_to_be(
    m: Matrix, random: Random
) -> None:
    def run(cells: Sequence[Cell]) -> list[Cell]:
        return [random.random() < 0.5 if cell is None else cell for cell in cells]

    rows = [None if row is None else run(row) for row in m.rows]
    settled = Matrix(rows, run(m.accumulated), m.apart, m.unsound)
    for before, after in zip(turn_metrics(m), turn_metrics(settled), strict=True):
        for old, new in zip(values(before), values(after), strict=True):
            assert old is None or old == new


@given(matrices(SOME))
def test_nothing_is_undefined_for_want_of_a_cell_once_nothing_is_lost(m: Matrix) -> None:
    """Cells of later, unsound or extending instructions may be missing."""
    rows = [None if row is None else list(row) for row in m.rows]
    for i, row in enumerate(rows):
        for j in [i] if i in m.apart else filter(m.counts, range(i + 1)):
            if row is not None:
                row[j] = bool(row[j])
    accumulated = [bool(c) if m.counts(i) else c for i, c in enumerate(m.accumulated)]
    for turn in turn_metrics(Matrix(rows, accumulated, m.apart, m.unsound)):
        judged = 1 if turn.turn in m.apart else 5 if turn.turn else 3
        assert None not in values(turn)[:judged]

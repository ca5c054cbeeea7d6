"""Metrics of static conversations.

Knows no task and no test: a conversation is a matrix of turns and instructions.
Source: docs/specification/conversations.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# Whether some code passed some tests; None where that was not run.
Cell: TypeAlias = bool | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """What the code of each turn passes.

    `rows[i][j]`: the code of turn i against the tests of instruction j by themselves, 0 being
    the base prompt. A row is None where there is no such turn; a conversation without a Base
    completion starts at turn 1 so. What a submission lacks is wrong, and a row of False.
    `accumulated[i]`: the same code against all tests of turns 0 to i in one program.
    `apart` are the turns whose tests never accumulate: they have IA alone, and neither their
    rows nor their columns count for others. `unsound` are those whose instruction nothing can
    be judged by: they have no metrics and their columns do not count.

    Raises ValueError where the parts do not fit each other.
    """

    rows: Sequence[Sequence[Cell] | None]
    accumulated: Sequence[Cell]
    apart: frozenset[int] = frozenset()
    unsound: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        turns = len(self.rows)
        if len(self.accumulated) != turns or any(row and len(row) != turns for row in self.rows):
            raise ValueError(f"the matrix of {turns} turns is not square")

    def counts(self, instruction: int) -> bool:
        """Whether an instruction counts in what accumulates."""
        return instruction not in self.apart and instruction not in self.unsound

    def turns(self) -> list[int]:
        """The turns that have metrics."""
        return [i for i, row in enumerate(self.rows) if row is not None and i not in self.unsound]

    def cell(self, turn: int, instruction: int) -> Cell:
        row = self.rows[turn]
        return None if row is None else row[instruction]


@dataclass(frozen=True, slots=True)
class TurnMetrics:
    """The metrics of one turn; None where they are undefined, or a cell that decides them was
    not run. Turn 0 is Base: it has nothing before it to forget."""

    turn: int
    ia: float | None
    ca: float | None = None
    strict_ca: float | None = None
    ifr: float | None = None
    script_ifr: float | None = None


def turn_metrics(matrix: Matrix) -> list[TurnMetrics]:
    """The metrics of each turn of a conversation."""
    return [_of_turn(matrix, turn) for turn in matrix.turns()]


def _of_turn(matrix: Matrix, turn: int) -> TurnMetrics:
    ia = _number(matrix.cell(turn, turn))
    if turn in matrix.apart:
        return TurnMetrics(turn, ia)
    return TurnMetrics(
        turn,
        ia,
        ca=_share(matrix.cell(turn, j) for j in range(turn + 1) if matrix.counts(j)),
        strict_ca=_number(matrix.accumulated[turn]),
        ifr=_ifr(matrix, turn) if turn else None,
        script_ifr=_script_ifr(matrix, turn) if turn else None,
    )


def _number(cell: Cell) -> float | None:
    return None if cell is None else float(cell)


def _share(cells: Iterable[Cell], of: bool = True) -> float | None:
    """The share of True, or of False; None where a cell was not run, or there are none."""
    known = list(cells)
    if not known or None in known:
        return None
    return known.count(of) / len(known)


def _ifr(matrix: Matrix, turn: int) -> float | None:
    """Of the instructions that were followed at some turn before, from their own on, the share
    that this turn's code fails."""
    followed = {j: _followed_before(matrix, turn, j) for j in range(turn) if matrix.counts(j)}
    if None in followed.values():
        return None
    return _forgotten(matrix, turn, [j for j, was in followed.items() if was])


def _followed_before(matrix: Matrix, turn: int, instruction: int) -> Cell:
    earlier = [
        matrix.cell(k, instruction)
        for k in range(instruction, turn)
        if matrix.rows[k] is not None and k not in matrix.apart
    ]
    if True in earlier:
        return True
    return None if None in earlier else False


def _script_ifr(matrix: Matrix, turn: int) -> float | None:
    """As the published script has it: 0 where this turn passes its accumulated tests; else, of
    the earlier instructions whose own turn did so, the share that this turn's code fails."""
    passed = matrix.accumulated[turn]
    if passed is None or passed:
        return None if passed is None else 0.0
    earlier = [k for k in matrix.turns() if k < turn and matrix.counts(k)]
    if any(matrix.accumulated[k] is None for k in earlier):
        return None
    return _forgotten(matrix, turn, [k for k in earlier if matrix.accumulated[k]])


def _forgotten(matrix: Matrix, turn: int, followed: Sequence[int]) -> float | None:
    if not followed:
        return 0.0
    return _share((matrix.cell(turn, j) for j in followed), of=False)

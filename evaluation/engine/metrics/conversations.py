"""Metrics of conversations. Source: docs/specification/conversations.md."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from evaluation.engine.records import TaskId, TaskResult

# Whether code passed a set of tests; None if it was not run.
Cell: TypeAlias = bool | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """The tests that the code of each turn passes. Raises ValueError if sizes differ.

    rows[i][j]: the code of turn i against the own tests of instruction j; 0 is the base prompt. A
        missing generation's row is False; the row of a turn that does not exist is None.
    accumulated[i]: the same code against all tests of turns 0 to i in one program.
    apart: turns whose tests never accumulate. They only have IA.
    unsound: turns with an instruction that cannot be judged; their columns do not count."""

    rows: Sequence[Sequence[Cell] | None]
    accumulated: Sequence[Cell]
    apart: frozenset[int] = frozenset()
    unsound: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        turns = len(self.rows)
        if len(self.accumulated) != turns or any(row and len(row) != turns for row in self.rows):
            raise ValueError(f"the matrix of {turns} turns is not square")

    def counts(self, instruction: int) -> bool:
        return instruction not in self.apart and instruction not in self.unsound

    def turns(self) -> list[int]:
        return [i for i, row in enumerate(self.rows) if row is not None and i not in self.unsound]

    def cell(self, turn: int, instruction: int) -> Cell:
        row = self.rows[turn]
        return None if row is None else row[instruction]


@dataclass(frozen=True, slots=True)
class TurnMetrics:
    """The metrics of one turn; None if undefined, or if a cell was not run. Turn 0 has no IFR.
    `forgettable`: an earlier turn followed some instruction; IFR is 0 otherwise."""

    turn: int
    ia: float | None
    ca: float | None = None
    strict_ca: float | None = None
    ifr: float | None = None
    script_ifr: float | None = None
    forgettable: bool = False


def turn_metrics(matrix: Matrix) -> list[TurnMetrics]:
    """The metrics of the turns that exist and can be judged."""
    metrics = []
    for turn in matrix.turns():
        passed_now = matrix.cell(turn, turn)
        ia = None if passed_now is None else float(passed_now)
        if turn in matrix.apart:
            metrics.append(TurnMetrics(turn, ia))
            continue
        # Whether the code of an earlier turn followed each of the earlier instructions.
        followed: dict[int, Cell] = {}
        before = [k for k in range(turn) if matrix.rows[k] is not None and k not in matrix.apart]
        for j in filter(matrix.counts, range(turn)):
            earlier = [matrix.cell(k, j) for k in before if k >= j]
            followed[j] = True in earlier or (None if None in earlier else False)
        so_far = [matrix.cell(turn, j) for j in filter(matrix.counts, range(turn + 1))]
        strict, ifr = matrix.accumulated[turn], None
        if turn and None not in followed.values():
            ifr = _forgotten(matrix, turn, [j for j, was in followed.items() if was])
        metrics.append(
            TurnMetrics(
                turn,
                ia,
                ca=_share(so_far, True),
                strict_ca=None if strict is None else float(strict),
                ifr=ifr,
                script_ifr=_script_ifr(matrix, turn) if turn else None,
                forgettable=True in followed.values(),
            )
        )
    return metrics


def _script_ifr(matrix: Matrix, turn: int) -> float | None:
    """IFR as in the published script: 0 if this turn passes its accumulated tests. Otherwise the
    share that this turn's code fails, over earlier instructions whose own turn passed its
    accumulated tests."""
    passed = matrix.accumulated[turn]
    if passed is None or passed:
        return None if passed is None else 0.0
    earlier = [k for k in matrix.turns() if k < turn and matrix.counts(k)]
    if any(matrix.accumulated[k] is None for k in earlier):
        return None
    return _forgotten(matrix, turn, [k for k in earlier if matrix.accumulated[k]])


def _forgotten(matrix: Matrix, turn: int, followed: Sequence[int]) -> float | None:
    """The share of the followed instructions that this turn's code fails."""
    return _share([matrix.cell(turn, j) for j in followed], False) if followed else 0.0


def _share(cells: Sequence[Cell], result: bool) -> float | None:
    return None if not cells or None in cells else cells.count(result) / len(cells)


def in_pairs(results: Iterable[TaskResult]) -> dict[TaskId, list[float]]:
    """Returns the means of turns 1-2, 3-4 and so on of each conversation. An odd last turn is a
    pair of its own."""
    by_task: dict[TaskId, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.value is not None and result.turn is not None:
            by_task[result.task_id][(result.turn - 1) // 2].append(result.value)
    return {
        task: [fmean(pairs[place]) for place in sorted(pairs)] for task, pairs in by_task.items()
    }

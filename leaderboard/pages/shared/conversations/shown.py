"""A displayed conversation and its results by turn. No queries and no wording."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias

from evaluation.engine import instructions
from evaluation.engine.records import Verdict

# The name of an instruction; None is Base, the prompt.
Name: TypeAlias = str | None

# Reasons why a turn does not accumulate or has no metrics.
APART, UNSOUND, AFTER_END = "apart", "unsound", "after_end"


def settled(verdict: Verdict | None) -> bool | None:
    """Whether the verdict is a pass; None if it is open or there is none."""
    return None if verdict is None or verdict.open else verdict.passed


@dataclass(frozen=True, slots=True)
class Code:
    pk: int
    verdicts: tuple[Verdict, ...] = ()

    def on(self, name: Name) -> Verdict | None:
        return next((one for one in self.verdicts if name in instructions.alone(one)), None)

    @property
    def implied(self) -> Verdict | None:
        """The verdict on the tests that setting and turn imply; in static turns, on all tests so
        far."""
        return next((one for one in self.verdicts if not one.test_set), None)


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of a turn's code on one instruction's own tests.

    `absent`: the submission has no code for it, a failure. Unless it `counts`, no metric of the
    turn uses it.
    """

    name: Name
    counts: bool
    verdict: Verdict | None = None
    absent: bool = False

    @property
    def passed(self) -> bool | None:
        """None while the verdict is open."""
        return False if self.absent else settled(self.verdict)

    @property
    def kind(self) -> str:
        """The display class: passed, failed, open, absent, or out (does not count)."""
        if self.absent or not self.counts:
            return "absent" if self.counts else "out"
        return {True: "passed", False: "failed", None: "open"}[self.passed]


@dataclass(frozen=True, slots=True)
class Figures:
    """The metrics of a turn; None if undefined or not settled."""

    ia: float | None = None
    ca: float | None = None
    ifr: float | None = None
    strict_ca: float | None = None
    script_ifr: float | None = None
    ife: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """`asked` is () if not known yet. `forgotten`: instructions that earlier code followed."""

    number: int
    asked: tuple[Name, ...]
    cells: tuple[Cell, ...]
    generation: int | None = None
    figures: Figures = Figures()
    forgotten: tuple[Name, ...] = ()
    together: Verdict | None = None
    note: str = ""
    retry: bool = False

    @property
    def accumulates(self) -> bool:
        return self.note not in (APART, AFTER_END)

    @property
    def counted(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.counts)


@dataclass(frozen=True, slots=True)
class Conversation:
    """`sample` counts from 0. `names` are the columns of the matrix."""

    number: int
    task_id: str
    title: str
    sample: int
    names: tuple[Name, ...]
    turns: tuple[Turn, ...]

    @property
    def first(self) -> int:
        return self.turns[0].number

    @property
    def forgotten(self) -> int:
        return sum(len(turn.forgotten) for turn in self.turns)

    @property
    def settled(self) -> bool:
        """Whether every verdict that metrics use is final."""
        cells = (cell.passed for turn in self.turns for cell in turn.counted)
        whole = (turn.together for turn in self.turns)
        return None not in cells and not any(verdict and verdict.open for verdict in whole)

    @property
    def figures(self) -> Figures:
        """Means over the turns. None while anything is open, since a partial mean would hide it."""
        if not self.settled:
            return Figures()
        means: dict[str, float | None] = {}
        for metric in (column.name for column in fields(Figures)):
            values = [getattr(turn.figures, metric) for turn in self.turns]
            defined = [value for value in values if value is not None]
            means[metric] = sum(defined) / len(defined) if defined else None
        return Figures(**means)

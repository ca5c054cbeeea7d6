"""A displayed conversation and its results by turn, and the instructions kept and forgotten over
many conversations. No queries and no wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple, TypeAlias

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
        """The verdict on the tests that setting and turn imply."""
        return next((one for one in self.verdicts if not one.test_set), None)


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of a turn's code on one instruction's own tests. `absent`: the submission has no
    code for it, a failure. Unless it `counts`, no metric of the turn uses it."""

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
        if not self.settled:
            return Figures()
        means: dict[str, float | None] = {}
        for metric in (column.name for column in fields(Figures)):
            values = [getattr(turn.figures, metric) for turn in self.turns]
            defined = [value for value in values if value is not None]
            means[metric] = sum(defined) / len(defined) if defined else None
        return Figures(**means)


class Kept(NamedTuple):
    kept: int
    followed: int

    @property
    def share(self) -> float | None:
        return self.kept / self.followed if self.followed else None


@dataclass(frozen=True, slots=True)
class InstructionRow:
    """The row of an instruction (None is Base), or of all instructions if `every`."""

    name: Name
    steps: tuple[Kept, ...]
    every: bool = False


@dataclass(frozen=True, slots=True)
class Forgetting:
    """`turns` has the number of each step's later turn; each line has a cell per step."""

    turns: tuple[int, ...]
    lines: tuple[InstructionRow, ...]

    @property
    def every(self) -> Kept:
        steps = self.lines[0].steps
        return Kept(sum(one.kept for one in steps), sum(one.followed for one in steps))


def forgetting(conversations: Iterable[Conversation]) -> Forgetting | None:
    """Sums over the conversations; None without two consecutive turns. An instruction counts from
    the turn that asks for it; open verdicts are left out."""
    followed: Counter[tuple[int, Name]] = Counter()
    kept: Counter[tuple[int, Name]] = Counter()
    for conversation in conversations:
        for before, after in pairwise(turn for turn in conversation.turns if turn.accumulates):
            now = {cell.name: cell.passed for cell in after.counted}
            for cell in before.counted:
                still = now.get(cell.name)
                if cell.passed and still is not None:
                    followed[after.number, cell.name] += 1
                    kept[after.number, cell.name] += still
    turns = tuple(sorted({turn for turn, _name in followed}))
    if not turns:
        return None
    names = sorted({name for _turn, name in followed}, key=lambda name: name or "")
    lines = [
        InstructionRow(name, tuple(Kept(kept[turn, name], followed[turn, name]) for turn in turns))
        for name in names
    ]
    columns = zip(*(line.steps for line in lines), strict=True)
    every = tuple(Kept(*map(sum, zip(*column, strict=True))) for column in columns)
    return Forgetting(turns, (InstructionRow(None, every, every=True), *lines))

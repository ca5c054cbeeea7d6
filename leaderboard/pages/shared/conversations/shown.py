"""What a page shows of one conversation: its turns, what the code of each passes, and what was
forgotten. Knows no queries and no wording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.engine import instructions
from evaluation.engine.records import Verdict

# An instruction; None is the prompt, Base.
Name: TypeAlias = str | None

# Why a turn stands outside of what accumulates.
APART, UNSOUND, AFTER_END = "apart", "unsound", "after_end"


@dataclass(frozen=True, slots=True)
class Code:
    """A generation with its verdicts so far."""

    pk: int
    verdicts: tuple[Verdict, ...] = ()

    def on(self, name: Name) -> Verdict | None:
        """The verdict on the tests of that instruction by themselves."""
        return next((one for one in self.verdicts if name in instructions.alone(one)), None)

    @property
    def implied(self) -> Verdict | None:
        """The verdict on the tests that setting and turn imply: in static conversations all of
        the turns so far, in one program."""
        return next((one for one in self.verdicts if not one.test_set), None)


@dataclass(frozen=True, slots=True)
class Cell:
    """How the code of a turn fares by one instruction's own tests.

    What is `absent` the submission has no code for, which counts as failing. What does not
    `count` enters no metric of the turn: an instruction that is asked for only later, say.
    """

    name: Name
    counts: bool
    verdict: Verdict | None = None
    absent: bool = False

    @property
    def passed(self) -> bool | None:
        """None while it may still turn out either way."""
        if self.verdict is None or self.absent:
            return False if self.absent else None
        return None if self.verdict.open else self.verdict.passed

    @property
    def kind(self) -> str:
        """What it looks like: passed, failed, open, absent, or out where it does not count."""
        if self.absent or not self.counts:
            return "absent" if self.counts else "out"
        return {True: "passed", False: "failed", None: "open"}[self.passed]


@dataclass(frozen=True, slots=True)
class Figures:
    """The metrics of a turn, each None where it is undefined or not settled."""

    ia: float | None = None
    ca: float | None = None
    ifr: float | None = None
    strict_ca: float | None = None
    script_ifr: float | None = None
    ife: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """`asked` is the instruction that it is about, () where that is not known yet; `forgotten`
    are those that were followed before and that its code fails. A `retry` asks once more."""

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
    """One of a task's conversations: `number` and `task_id` are the task's, `sample` counts
    from 0. `names` are the columns of its matrix."""

    number: int
    task_id: str
    title: str
    sample: int
    names: tuple[Name, ...]
    turns: tuple[Turn, ...]

    @property
    def first(self) -> int:
        """The number of its first turn: 1 where there is no Base completion."""
        return self.turns[0].number

    @property
    def forgotten(self) -> int:
        """How often anything was forgotten, over all turns."""
        return sum(len(turn.forgotten) for turn in self.turns)

    @property
    def settled(self) -> bool:
        """Whether all that metrics look at is a pass or a failure for good."""
        cells = (cell.passed for turn in self.turns for cell in turn.counted)
        whole = (turn.together for turn in self.turns)
        return None not in cells and not any(verdict and verdict.open for verdict in whole)

    @property
    def figures(self) -> Figures:
        """The means over its turns, each metric's over those that have it; none while anything is
        open, which a mean of the others would hide."""
        if not self.settled:
            return Figures()
        every = [turn.figures for turn in self.turns]
        return Figures(
            ia=_mean(one.ia for one in every),
            ca=_mean(one.ca for one in every),
            ifr=_mean(one.ifr for one in every),
            strict_ca=_mean(one.strict_ca for one in every),
            script_ifr=_mean(one.script_ifr for one in every),
            ife=_mean(one.ife for one in every),
        )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None

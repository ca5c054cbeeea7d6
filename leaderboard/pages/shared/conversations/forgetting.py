"""Instructions kept and forgotten from one turn to the next, over many conversations. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from leaderboard.pages.shared.conversations.shown import Conversation, Name


class Kept(NamedTuple):
    """Instructions followed at a turn, and how many of them the next turn still follows."""

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
    """Sums over the conversations; None if no conversation has two consecutive turns.

    An instruction counts from the turn that asks for it. Open verdicts are left out.
    """
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

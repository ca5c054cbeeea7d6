"""Instructions kept and forgotten from one turn to the next, over many conversations. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from leaderboard.pages.shared.conversations.shown import Conversation, Name, Turn


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
    for one in conversations:
        for turn, name, still in _steps(one.turns):
            followed[turn, name] += 1
            kept[turn, name] += still
    turns = tuple(sorted({turn for turn, _name in followed}))
    if not turns:
        return None
    names = sorted({name for _turn, name in followed}, key=lambda name: name or "")
    every = InstructionRow(
        None, tuple(_sum(kept, followed, turn, names) for turn in turns), every=True
    )
    lines = (
        InstructionRow(name, tuple(_sum(kept, followed, turn, [name]) for turn in turns))
        for name in names
    )
    return Forgetting(turns, (every, *lines))


def _steps(turns: Sequence[Turn]) -> Iterator[tuple[int, Name, bool]]:
    """Yields a later turn's number, an instruction followed before, and whether it is kept."""
    for before, after in pairwise(turn for turn in turns if turn.accumulates):
        now = {cell.name: cell.passed for cell in after.counted}
        for cell in before.counted:
            still = now.get(cell.name)
            if cell.passed and still is not None:
                yield after.number, cell.name, still


def _sum(
    kept: Counter[tuple[int, Name]],
    followed: Counter[tuple[int, Name]],
    turn: int,
    names: Iterable[Name],
) -> Kept:
    places = [(turn, name) for name in names]
    return Kept(sum(kept[place] for place in places), sum(followed[place] for place in places))

"""Rules of a dynamic conversation: which instruction is sent next, and when it ends.

Knows no texts and runs nothing. Instructions are names, and the base prompt is None. Source:
docs/specification/conversations.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from evaluation.engine.instructions import accumulating
from evaluation.engine.records import Task

# None is the base prompt.
Name: TypeAlias = str | None
Row: TypeAlias = Mapping[Name, bool]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation that waits for the answer of turn `turn`, counted from 1.

    listed: the instructions still to follow, in order.
    marked: those that were sent and then passed.
    sent: every pick, repeats included.
    last: the maximum number of turns.
    """

    turn: int
    current: Name
    retry: bool
    listed: tuple[Name, ...]
    marked: frozenset[Name]
    sent: tuple[Name, ...]
    last: int

    @property
    def opening(self) -> bool:
        """Whether the turn is still about the base prompt, before any instruction is picked."""
        return len(self.sent) == 1


class End(StrEnum):
    FOLLOWED = "followed"  # the code passes all listed instructions
    TURNS = "turns"  # an instruction fails and no turn is left


def instructions_of(task: Task) -> tuple[str, ...]:
    return accumulating(task)


def start(instructions: Sequence[str]) -> Talk:
    """Returns the first turn, which is the base prompt. Raises ValueError for a repeated name."""
    if len(set(instructions)) != len(instructions):
        raise ValueError("an instruction is named twice")
    return Talk(
        turn=1,
        current=None,
        retry=False,
        listed=tuple(instructions),
        marked=frozenset(),
        sent=(None,),
        last=2 * len(instructions) + 2,
    )


def advance(talk: Talk, row: Row) -> Talk | End:
    """Raises KeyError if the row lacks the base prompt or an instruction that matters."""
    passed = row[talk.current]
    # From the last turn but one on, an instruction's first turn ends the conversation, passed or
    # failed.
    if not talk.opening and not talk.retry and talk.turn + 1 >= talk.last:
        return End.TURNS if _first_failed(talk, row) else End.FOLLOWED
    if passed:
        listed = (None, *talk.listed) if talk.opening else talk.listed
        return _pick(replace(talk, listed=listed, marked=talk.marked | {talk.current}), row)
    if not talk.retry:
        return replace(talk, turn=talk.turn + 1, retry=True)
    # In the opening the base prompt is not listed yet.
    return _pick(
        replace(
            talk,
            listed=tuple(name for name in talk.listed if name != talk.current),
            marked=talk.marked - {talk.current},
        ),
        row,
    )


def _pick(talk: Talk, row: Row) -> Talk | End:
    failed = _first_failed(talk, row)
    if not failed:
        return End.FOLLOWED
    if talk.turn == talk.last:
        return End.TURNS
    sent = (*talk.sent, *failed)
    return replace(talk, turn=talk.turn + 1, current=failed[0], retry=False, sent=sent)


def _first_failed(talk: Talk, row: Row) -> tuple[Name, ...]:
    """Returns a tuple, because None is a name too. Looks at no later instruction."""
    return next(((name,) for name in talk.listed if not row[name]), ())


def unknown(talk: Talk, row: Row) -> tuple[Name, ...]:
    """Returns the names missing in the row that `advance` may look up, in that order."""
    try:
        advance(talk, row)
    except KeyError as error:
        name: Name = error.args[0]
        if name not in row and name == talk.current:
            return (name,)
        return tuple(listed for listed in talk.listed if listed not in row) or (name,)
    return ()


def followers(talk: Talk, row: Row) -> Iterator[Talk | End]:
    """Yields the next state for each possible value of the results missing in the row, failures
    first."""
    missing = unknown(talk, row)
    if not missing:
        yield advance(talk, row)
        return
    for passed in (False, True):
        yield from followers(talk, {**row, missing[0]: passed})


@dataclass(frozen=True, slots=True)
class Numbers:
    """One turn's instruction accuracy, conversation accuracy, share of instructions forgotten, and
    instructions followed per turn so far."""

    ia: float
    ca: float
    ifr: float
    ife: float


def numbers(talk: Talk, row: Row) -> Numbers:
    """Returns the turn's metrics, before its own result is marked. An instruction counts for every
    time that it was picked; only those that are still listed can be forgotten."""
    followed = sum(row[name] for name in talk.sent)
    marked = [row[name] for name in talk.marked]
    return Numbers(
        ia=float(row[talk.current]),
        ca=followed / len(talk.sent),
        ifr=marked.count(False) / len(marked) if marked else 0.0,
        ife=followed / talk.turn,
    )


def course(instructions: Sequence[str], rows: Iterable[Row]) -> tuple[list[Talk], Talk | End]:
    """Returns the turns, one per row until the end, and the next state."""
    talks: list[Talk] = []
    now: Talk | End = start(instructions)
    for row in rows:
        if isinstance(now, End):
            break
        talks.append(now)
        now = advance(now, row)
    return talks, now

"""Rules of a dynamic conversation: which instruction is sent next, and when it ends.

Knows no texts and runs nothing. Instructions go by name, the base prompt by None. The results of a
turn's code are a mapping from each name to True or False.
Source: docs/specification/conversations.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from evaluation.engine.instructions import accumulating
from evaluation.engine.metrics import dynamic
from evaluation.engine.metrics.dynamic import Numbers
from evaluation.engine.records import Task

# None stands for the base prompt.
Name: TypeAlias = str | None
Row: TypeAlias = Mapping[Name, bool]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in which the answer of turn `turn`, counted from 1, is awaited.

    `current` is the instruction that the turn is about, sent by itself, or, where `retry`, once
    more with feedback. `listed` are the instructions still to be followed, in their order;
    `marked` those that were sent and then passed; `sent` every one that was picked, each time.
    `last` is the number of the last turn that there may be.
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
        """Whether it is still about the base prompt, no instruction having been picked."""
        return len(self.sent) == 1


class End(StrEnum):
    """Why a conversation is over."""

    FOLLOWED = "followed"  # the code passes whatever is still listed
    TURNS = "turns"  # something fails, and there may be no further turn


def instructions_of(task: Task) -> tuple[str, ...]:
    """What a conversation about the task is about, in order."""
    return accumulating(task)


def start(instructions: Sequence[str]) -> Talk:
    """The conversation at its first turn, which is the base prompt alone.

    Raises ValueError where a name stands twice.
    """
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
    """What follows on a turn whose code passes what the row says.

    The row speaks of the base prompt and of every instruction that matters; KeyError where it
    does not.
    """
    passed = row[talk.current]
    # The last turn but one is an attempt without a retry, whatever came of it.
    if not talk.opening and not talk.retry and talk.turn + 1 >= talk.last:
        return End.TURNS if _first_failed(talk, row) else End.FOLLOWED
    if passed:
        return _pick(_marked(talk), row)
    if not talk.retry:
        return replace(talk, turn=talk.turn + 1, retry=True)
    return _pick(_dropped(talk), row)


def _marked(talk: Talk) -> Talk:
    listed = (None, *talk.listed) if talk.opening else talk.listed
    return replace(talk, listed=listed, marked=talk.marked | {talk.current})


def _dropped(talk: Talk) -> Talk:
    """Without the current instruction; the base prompt is not yet listed where it opens."""
    return replace(
        talk,
        listed=tuple(name for name in talk.listed if name != talk.current),
        marked=talk.marked - {talk.current},
    )


def _pick(talk: Talk, row: Row) -> Talk | End:
    """The first instruction in the list that the code fails is next."""
    failed = _first_failed(talk, row)
    if not failed:
        return End.FOLLOWED
    if talk.turn == talk.last:
        return End.TURNS
    sent = (*talk.sent, *failed)
    return replace(talk, turn=talk.turn + 1, current=failed[0], retry=False, sent=sent)


def _first_failed(talk: Talk, row: Row) -> tuple[Name, ...]:
    """It alone, since None is a name too; what comes after it is not looked at."""
    return next(((name,) for name in talk.listed if not row[name]), ())


def unknown(talk: Talk, row: Row) -> tuple[Name, ...]:
    """What `advance` may have to know beside what the row tells, in the order in which it
    looks, and may not need to the end; () where it knows enough."""
    try:
        advance(talk, row)
    except KeyError as error:
        name: Name = error.args[0]
        if name not in row and name == talk.current:
            return (name,)
        return tuple(one for one in talk.listed if one not in row) or (name,)
    return ()


def followers(talk: Talk, row: Row) -> Iterator[Talk | End]:
    """Everything that may follow on a turn, whatever is true of what the row does not speak of;
    what follows if that fails comes first."""
    missing = unknown(talk, row)
    if not missing:
        yield advance(talk, row)
        return
    for passed in (False, True):
        yield from followers(talk, {**row, missing[0]: passed})


def numbers(talk: Talk, row: Row) -> Numbers:
    """The metrics of the turn, before anything is marked for it."""
    return dynamic.numbers(talk.turn, talk.current, talk.sent, talk.marked, row)


def course(instructions: Sequence[str], rows: Iterable[Row]) -> tuple[list[Talk], Talk | End]:
    """The turns that the rules make of these rows, one for each row until the end, and what
    comes after them. Rows after the end are not looked at."""
    talks: list[Talk] = []
    now: Talk | End = start(instructions)
    for row in rows:
        if isinstance(now, End):
            break
        talks.append(now)
        now = advance(now, row)
    return talks, now

"""Rules of a dynamic conversation: which instruction is sent next, and when it ends.

Knows no texts and runs nothing. Instructions are names, and the base prompt is None. Source:
docs/specification/conversations.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from evaluation.engine.family import Cue

# None is the base prompt.
Name: TypeAlias = str | None
Row: TypeAlias = Mapping[Name, bool]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation that waits for the answer of turn `turn`, counted from 1.

    listed: the instructions still to follow, in order.
    marked: those that were sent and then passed.
    sent: every pick, repeats included.
    last: the maximum number of turns."""

    listed: tuple[Name, ...]
    last: int
    turn: int = 1
    current: Name = None
    retry: bool = False
    marked: frozenset[Name] = frozenset()
    sent: tuple[Name, ...] = (None,)

    @property
    def opening(self) -> bool:
        """Whether the turn is still about the base prompt, before any instruction is picked."""
        return len(self.sent) == 1

    @property
    def cue(self) -> Cue:
        return Cue(self.current, self.opening, self.retry)


class End(StrEnum):
    FOLLOWED = "followed"  # the code passes all listed instructions
    TURNS = "turns"  # an instruction fails and no turn is left


def start(instructions: Sequence[str]) -> Talk:
    """Returns the first turn, which is the base prompt. Raises ValueError for a repeated name."""
    if len(set(instructions)) != len(instructions):
        raise ValueError("an instruction is named twice")
    return Talk(tuple(instructions), last=2 * len(instructions) + 2)


def advance(talk: Talk, row: Row) -> Talk | End:
    """Raises KeyError if the row lacks the base prompt or an instruction that matters."""
    passed = row[talk.current]
    turns_left = talk.turn < talk.last
    if not talk.opening and not talk.retry and talk.turn + 1 >= talk.last:
        # From the last turn but one on, an instruction's first turn ends the conversation, passed
        # or failed.
        turns_left = False
    elif passed:
        listed = (None, *talk.listed) if talk.opening else talk.listed
        talk = replace(talk, listed=listed, marked=talk.marked | {talk.current})
    elif not talk.retry:
        return replace(talk, turn=talk.turn + 1, retry=True)
    else:
        # In the opening the base prompt is not listed yet.
        listed = tuple(name for name in talk.listed if name != talk.current)
        talk = replace(talk, listed=listed, marked=talk.marked - {talk.current})
    for name in talk.listed:
        if not row[name] and turns_left:
            sent = (*talk.sent, name)
            return replace(talk, turn=talk.turn + 1, current=name, retry=False, sent=sent)
        if not row[name]:
            return End.TURNS
    return End.FOLLOWED


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

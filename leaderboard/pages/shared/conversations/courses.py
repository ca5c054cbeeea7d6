"""The turns of a conversation, computed from its verdicts by the engine's rules. No queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from evaluation.engine import instructions
from evaluation.engine.conversations import dialogue
from evaluation.engine.conversations.dialogue import Talk
from evaluation.engine.instructions import EXTENSION, MULTI_TURN
from evaluation.engine.metrics.conversations import Matrix, TurnMetrics, turn_metrics
from evaluation.engine.records import Slot, Task, Verdict
from leaderboard.pages.shared.conversations.shown import (
    AFTER_END,
    APART,
    UNSOUND,
    Cell,
    Code,
    Figures,
    Name,
    Turn,
)

# --- Static -------------------------------------------------------------------------------


def static_turns(task: Task, codes: Mapping[int, Code]) -> tuple[Turn, ...]:
    """The turns of a Multi-Turn conversation that have a generation or lack a required one.

    Base is turn 0. Every turn has a cell for Base, since Base's tests count.
    """
    slots = instructions.slots(task, MULTI_TURN)
    there = [slot for slot in slots if slot.required or slot.turn in codes]
    rows = {_number(slot): _cells(task, slots, slot, codes.get(_number(slot))) for slot in there}
    figures = {one.turn: one for one in turn_metrics(_matrix(task, slots, rows, codes))}
    names = {None, *(slot.requirement for slot in there)}
    turns: list[Turn] = []
    for slot in there:
        cells = tuple(cell for cell in rows[_number(slot)] if cell.name in names)
        figure = figures.get(_number(slot))
        turns.append(_turn(slot, _note(task, slot), codes.get(_number(slot)), cells, figure, turns))
    return tuple(turns)


def _turn(
    slot: Slot,
    note: str,
    code: Code | None,
    cells: tuple[Cell, ...],
    figures: TurnMetrics | None,
    before: Sequence[Turn],
) -> Turn:
    return Turn(
        _number(slot),
        (slot.requirement,),
        cells,
        code.pk if code else None,
        _figures(figures),
        () if note == APART else _forgotten(before, cells),
        code.implied if code and not note else None,
        note,
    )


def _number(slot: Slot) -> int:
    assert slot.turn is not None, "every turn of a conversation has a number"
    return slot.turn


def _note(task: Task, slot: Slot) -> str:
    if slot.requirement == EXTENSION:
        return APART
    return UNSOUND if slot.requirement in instructions.unsound(task) else ""


def _cells(task: Task, slots: Sequence[Slot], turn: Slot, code: Code | None) -> tuple[Cell, ...]:
    def counts(slot: Slot) -> bool:
        note = _note(task, slot)
        if APART in (note, _note(task, turn)):
            return slot == turn and slot.requirement not in instructions.unsound(task)
        return not note and _number(slot) <= _number(turn)

    if code is None:
        return tuple(Cell(slot.requirement, counts(slot), absent=True) for slot in slots)
    return tuple(Cell(slot.requirement, counts(slot), code.on(slot.requirement)) for slot in slots)


def _matrix(
    task: Task,
    slots: Sequence[Slot],
    rows: Mapping[int, Sequence[Cell]],
    codes: Mapping[int, Code],
) -> Matrix:
    def whole(turn: int) -> bool | None:
        if turn not in codes:
            return False if turn in rows else None
        return settled(codes[turn].implied)

    numbers = [_number(slot) for slot in slots]
    return Matrix(
        rows=[[c.passed for c in rows[n]] if n in rows else None for n in numbers],
        accumulated=[whole(n) for n in numbers],
        apart=frozenset(_number(s) for s in slots if s.requirement == EXTENSION),
        unsound=frozenset(_number(s) for s in slots if s.requirement in instructions.unsound(task)),
    )


def settled(verdict: Verdict | None) -> bool | None:
    """Whether the verdict is a pass; None if it is open or there is none."""
    return None if verdict is None or verdict.open else verdict.passed


def _figures(found: TurnMetrics | None) -> Figures:
    if found is None:
        return Figures()
    return Figures(found.ia, found.ca, found.ifr, found.strict_ca, found.script_ifr)


def _forgotten(before: Sequence[Turn], cells: Sequence[Cell]) -> tuple[Name, ...]:
    followed = {
        cell.name for turn in before if turn.accumulates for cell in turn.counted if cell.passed
    }
    return tuple(c.name for c in cells if c.counts and c.name in followed and c.passed is False)


# --- Dynamic ------------------------------------------------------------------------------


def dynamic_turns(task: Task, codes: Mapping[int, Code]) -> tuple[Turn, ...]:
    """The turns of a dynamic conversation, from 1; turns after its end are marked AFTER_END."""
    about = dialogue.instructions_of(task)
    names: tuple[Name, ...] = (None, *about)
    found = [(number, codes[number]) for number in sorted(codes)]
    rows = [_row(code, names) for _turn, code in found]
    talks, after = dialogue.course(about, takewhile(bool, rows))
    asked = [*talks, after] if isinstance(after, Talk) else talks
    note = "" if isinstance(after, Talk) else AFTER_END
    turns = [
        _of_talk(talk, row, code, names)
        for talk, row, (_turn, code) in zip(asked, rows, found, strict=False)
    ]
    return (*turns, *(_untold(*one, names, note) for one in found[len(turns) :]))


def _row(code: Code, names: Sequence[Name]) -> dict[Name, bool]:
    """By instruction: whether the code passes; empty if any verdict is open."""
    cells = {name: settled(code.on(name)) for name in names}
    row = {name: passed for name, passed in cells.items() if passed is not None}
    return row if len(row) == len(cells) else {}


def _of_talk(talk: Talk, row: Mapping[Name, bool], code: Code, names: Sequence[Name]) -> Turn:
    """The turn as the rules demand it. Instructions sent up to this turn count."""
    figures = Figures()
    if row:
        numbers = dialogue.numbers(talk, row)
        figures = Figures(numbers.ia, numbers.ca, numbers.ifr, ife=numbers.ife)
    return Turn(
        talk.turn,
        (talk.current,),
        tuple(Cell(name, name in talk.sent, code.on(name)) for name in names),
        code.pk,
        figures,
        tuple(name for name in names if name in talk.marked and row and not row[name]),
        retry=talk.retry,
    )


def _untold(number: int, code: Code, names: Sequence[Name], note: str) -> Turn:
    cells = tuple(Cell(name, False, code.on(name)) for name in names)
    return Turn(number, (), cells, code.pk, note=note)

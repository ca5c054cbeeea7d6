"""The turns of a conversation, computed from its verdicts by the engine's rules. No queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile, zip_longest

from evaluation.engine import instructions
from evaluation.engine.conversations import dialogue
from evaluation.engine.conversations.dialogue import Talk
from evaluation.engine.instructions import EXTENSION, MULTI_TURN
from evaluation.engine.metrics.conversations import Matrix, turn_metrics
from evaluation.engine.records import Slot, Task
from leaderboard.pages.shared.conversations.shown import (
    AFTER_END,
    APART,
    UNSOUND,
    Cell,
    Code,
    Figures,
    Name,
    Turn,
    settled,
)

# --- Static -------------------------------------------------------------------------------


def static_turns(task: Task, codes: Mapping[int, Code]) -> tuple[Turn, ...]:
    """The turns of a Multi-Turn conversation that have a generation or lack a required one.

    Base is turn 0. Every turn has a cell for Base, since Base's tests count.
    """
    slots = instructions.slots(task, MULTI_TURN)
    there = [slot for slot in slots if slot.required or slot.turn in codes]
    rows = {_number(slot): _cells(task, slots, slot, codes.get(_number(slot))) for slot in there}
    figures = {
        one.turn: Figures(one.ia, one.ca, one.ifr, one.strict_ca, one.script_ifr)
        for one in turn_metrics(_matrix(task, slots, rows, codes))
    }
    names = {None, *(slot.requirement for slot in there)}
    turns: list[Turn] = []
    followed: set[Name] = set()
    for slot in there:
        number, note = _number(slot), _note(task, slot)
        code = codes.get(number)
        cells = tuple(cell for cell in rows[number] if cell.name in names)
        # A turn that stands apart neither forgets nor is forgotten.
        counted = [cell for cell in cells if cell.counts and note != APART]
        turn = Turn(
            number,
            (slot.requirement,),
            cells,
            code.pk if code else None,
            figures.get(number, Figures()),
            tuple(c.name for c in counted if c.name in followed and c.passed is False),
            together=code.implied if code and not note else None,
            note=note,
        )
        followed |= {cell.name for cell in counted if cell.passed}
        turns.append(turn)
    return tuple(turns)


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
    task: Task, slots: Sequence[Slot], rows: Mapping[int, Sequence[Cell]], codes: Mapping[int, Code]
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


# --- Dynamic ------------------------------------------------------------------------------


def dynamic_turns(task: Task, codes: Mapping[int, Code]) -> tuple[Turn, ...]:
    """The turns of a dynamic conversation, from 1; turns after its end are marked AFTER_END."""
    about = instructions.accumulating(task)
    names: tuple[Name, ...] = (None, *about)
    ordered = sorted(codes.items())
    # By instruction, whether the code passes; empty if any verdict is open.
    rows: list[dict[Name, bool]] = []
    for _number, code in ordered:
        passes = {name: settled(code.on(name)) for name in names}
        closed = {name: passed for name, passed in passes.items() if passed is not None}
        rows.append(closed if len(closed) == len(passes) else {})
    talks, after = dialogue.course(about, takewhile(bool, rows))
    demanded = [*talks, after] if isinstance(after, Talk) else talks
    note = "" if isinstance(after, Talk) else AFTER_END
    turns: list[Turn] = []
    for talk, row, (number, code) in zip_longest(demanded[: len(rows)], rows, ordered):
        if talk is None:
            cells = tuple(Cell(name, False, code.on(name)) for name in names)
            turns.append(Turn(number, (), cells, code.pk, note=note))
            continue
        # The turn as the rules demand it. Instructions sent up to this turn count.
        metrics = dialogue.numbers(talk, row) if row else None
        turn = Turn(
            talk.turn,
            (talk.current,),
            tuple(Cell(name, name in talk.sent, code.on(name)) for name in names),
            code.pk,
            Figures(metrics.ia, metrics.ca, metrics.ifr, ife=metrics.ife) if metrics else Figures(),
            tuple(name for name in names if name in talk.marked and row and not row[name]),
            retry=talk.retry,
        )
        turns.append(turn)
    return tuple(turns)

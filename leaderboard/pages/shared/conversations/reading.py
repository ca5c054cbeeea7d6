"""Reads conversations from the database, with one query for any number of them, and computes their
turns from the verdicts by the engine's rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile, zip_longest

from django.db.models import FilteredRelation, Q

from evaluation.engine import instructions, records
from evaluation.engine.conversations import dialogue
from evaluation.engine.conversations.dialogue import Talk
from evaluation.engine.instructions import DYNAMIC, EXTENSION, MULTI_TURN
from evaluation.engine.metrics.conversations import Matrix, turn_metrics
from evaluation.engine.records import Integrity, Slot, Status, Verdict
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.pages.shared.conversations.shown import (
    AFTER_END,
    APART,
    UNSOUND,
    Cell,
    Code,
    Conversation,
    Figures,
    Name,
    Turn,
    settled,
)
from leaderboard.submissions.models import Generation, Submission, generation_key

# --- Static -------------------------------------------------------------------------------


def static_turns(task: records.Task, codes: Mapping[int, Code]) -> tuple[Turn, ...]:
    """The turns of a Multi-Turn conversation that have a generation or lack a required one, each
    with a cell for Base, which is turn 0."""
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


def _note(task: records.Task, slot: Slot) -> str:
    if slot.requirement == EXTENSION:
        return APART
    return UNSOUND if slot.requirement in instructions.unsound(task) else ""


def _cells(
    task: records.Task, slots: Sequence[Slot], turn: Slot, code: Code | None
) -> tuple[Cell, ...]:
    def counts(slot: Slot) -> bool:
        note = _note(task, slot)
        if APART in (note, _note(task, turn)):
            return slot == turn and slot.requirement not in instructions.unsound(task)
        return not note and _number(slot) <= _number(turn)

    if code is None:
        return tuple(Cell(slot.requirement, counts(slot), absent=True) for slot in slots)
    return tuple(Cell(slot.requirement, counts(slot), code.on(slot.requirement)) for slot in slots)


def _matrix(
    task: records.Task,
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


# --- Dynamic ------------------------------------------------------------------------------


def dynamic_turns(task: records.Task, codes: Mapping[int, Code]) -> tuple[Turn, ...]:
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


# --- Reading ------------------------------------------------------------------------------

_TURNS: Mapping[str, Callable[[records.Task, Mapping[int, Code]], tuple[Turn, ...]]] = {
    MULTI_TURN: static_turns,
    DYNAMIC: dynamic_turns,
}


def has_conversations(setting: str) -> bool:
    return setting in _TURNS


def counts_from_one(setting: str) -> bool:
    """Whether turns are counted from 1; otherwise turn 0 is Base."""
    return setting == DYNAMIC


def conversations_of(
    submission: Submission,
    evaluation: Evaluation | None,
    tasks: Iterable[Task],
    *,
    sample: int | None = None,
) -> list[Conversation]:
    """By task and sample; only of `sample` if it is given."""
    by_key = {task.pk: task for task in tasks}
    conversations = []
    codes = _codes(submission, evaluation, by_key, sample)
    for key, number in sorted(codes, key=lambda place: (by_key[place[0]].number, place[1])):
        task = by_key[key]
        turns = _TURNS[submission.setting](public_record(task), codes[key, number])
        if turns:
            names = tuple(cell.name for cell in turns[0].cells)
            title = task.title
            conversations.append(
                Conversation(task.number, task.external_id, title, number, names, turns)
            )
    return conversations


def _codes(
    submission: Submission,
    evaluation: Evaluation | None,
    tasks: Mapping[int, Task],
    sample: int | None,
) -> dict[tuple[int, int], dict[int, Code]]:
    generations = Generation.objects.filter(submission=submission, task__in=[*tasks])
    if sample is not None:
        generations = generations.filter(sample=sample)
    condition = Q(verdicts__evaluation=evaluation)
    slot = ("task", "sample", "turn", "requirement", "pk")
    judged = ("status", "integrity", "test_set", "duration_ms")
    joined = generations.annotate(judged=FilteredRelation("verdicts", condition=condition))
    rows = joined.order_by("pk").values_list(*slot, *(f"judged__{column}" for column in judged))
    verdicts: dict[tuple[int, int, int, int], list[Verdict]] = defaultdict(list)
    for task, number, turn, requirement, pk, status, integrity, test_set, duration_ms in rows:
        turn_verdicts = verdicts[task, number, turn, pk]
        if status is not None:
            key = generation_key(tasks[task].id_in_dataset, number, requirement, turn)
            facts = Status(status), test_set, Integrity(integrity)
            turn_verdicts.append(Verdict(key, *facts, duration_ms=duration_ms))
    codes: dict[tuple[int, int], dict[int, Code]] = defaultdict(dict)
    for (task, number, turn, pk), turn_verdicts in verdicts.items():
        codes[task, number][turn] = Code(pk, tuple(turn_verdicts))
    return codes

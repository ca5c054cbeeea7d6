"""Reads conversations from the database, with one query for any number of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from django.db.models import F, FilteredRelation, Q

from evaluation.engine import records
from evaluation.engine.instructions import DYNAMIC, MULTI_TURN
from evaluation.engine.records import Integrity, Status, Verdict
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.pages.shared.conversations.courses import dynamic_turns, static_turns
from leaderboard.pages.shared.conversations.shown import Code, Conversation, Turn
from leaderboard.pages.shared.public import task_title
from leaderboard.submissions.models import Generation, Submission, generation_key

_TURNS: Mapping[str, Callable[[records.Task, Mapping[int, Code]], tuple[Turn, ...]]] = {
    MULTI_TURN: static_turns,
    DYNAMIC: dynamic_turns,
}


class _JudgedTurn(NamedTuple):
    task: int
    sample: int
    turn: int
    requirement: str
    generation: int
    status: str | None
    integrity: str
    test_set: str
    duration_ms: int | None


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
    tasks = list(tasks)
    codes = _codes(submission, evaluation, tasks, sample)
    known = {task.pk: (task, public_record(task)) for task in tasks}
    ordered = sorted(codes, key=lambda place: (known[place[0]][0].number, place[1]))
    made = (
        _made(submission.setting, *known[key], number, codes[key, number])
        for key, number in ordered
    )
    return [one for one in made if one.turns]


def _made(
    setting: str, task: Task, record: records.Task, sample: int, codes: Mapping[int, Code]
) -> Conversation:
    turns = _TURNS[setting](record, codes)
    names = tuple(cell.name for cell in turns[0].cells) if turns else ()
    return Conversation(task.number, task.external_id, task_title(task), sample, names, turns)


def _codes(
    submission: Submission, evaluation: Evaluation | None, tasks: list[Task], sample: int | None
) -> dict[tuple[int, int], dict[int, Code]]:
    """By task and sample, then by turn."""
    names = {task.pk: task.id_in_dataset for task in tasks}
    rows: dict[tuple[int, int, int, int], list[Verdict]] = defaultdict(list)
    for row in _rows(submission, evaluation, tasks, sample):
        rows[row.task, row.sample, row.turn, row.generation] += _verdict(row, names[row.task])
    found: dict[tuple[int, int], dict[int, Code]] = defaultdict(dict)
    for (task, number, turn, generation), verdicts in rows.items():
        found[task, number][turn] = Code(generation, tuple(verdicts))
    return found


def _rows(
    submission: Submission, evaluation: Evaluation | None, tasks: list[Task], sample: int | None
) -> Iterable[_JudgedTurn]:
    rows = Generation.objects.filter(submission=submission, task__in=tasks)
    if sample is not None:
        rows = rows.filter(sample=sample)
    condition = Q(verdicts__evaluation=evaluation)
    found = rows.annotate(judged=FilteredRelation("verdicts", condition=condition))
    return map(
        _JudgedTurn._make,
        found.order_by("pk").values_list(
            "task",
            "sample",
            "turn",
            "requirement",
            "pk",
            F("judged__status"),
            F("judged__integrity"),
            F("judged__test_set"),
            F("judged__duration_ms"),
        ),
    )


def _verdict(row: _JudgedTurn, task: records.TaskId) -> list[Verdict]:
    if row.status is None:
        return []
    key = generation_key(task, row.sample, row.requirement, row.turn)
    status, integrity = Status(row.status), Integrity(row.integrity)
    return [Verdict(key, status, row.test_set, integrity, duration_ms=row.duration_ms)]

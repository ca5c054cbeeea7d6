"""Reads conversations from the database, with one query for any number of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from django.db.models import FilteredRelation, Q

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
            title = task_title(task)
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
    """By task and sample, then by turn."""
    generations = Generation.objects.filter(submission=submission, task__in=[*tasks])
    if sample is not None:
        generations = generations.filter(sample=sample)
    condition = Q(verdicts__evaluation=evaluation)
    slot = ("task", "sample", "turn", "requirement", "pk")
    judged = ("status", "integrity", "test_set", "duration_ms")
    rows = (
        generations.annotate(judged=FilteredRelation("verdicts", condition=condition))
        .order_by("pk")
        .values_list(*slot, *(f"judged__{column}" for column in judged))
    )
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

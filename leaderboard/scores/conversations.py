"""Conversations as they were judged, from an evaluation's verdicts: what pages draw matrices and
forgetting from. What it means is the engine's."""

from __future__ import annotations

from evaluation.engine.conversations.matrices import Conversation, Flow, conversations, flows
from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.records import public_record
from leaderboard.scores.scoring import judged


def has_conversations(evaluation: Evaluation) -> bool:
    """Whether it was judged by single instructions, so that there are matrices."""
    submission = evaluation.submission
    talks = submission.setting in submission.revision.benchmark.family.begins
    return talks and evaluation.verdicts.exclude(test_set="").exists()


def conversations_of(evaluation: Evaluation, task: Task) -> list[Conversation]:
    """Those of one task, a sample each; two of its instructions meet in a cell of the matrix."""
    records = {task.pk: public_record(task)}
    return conversations(tuple(records.values()), judged(evaluation, records, task=task.pk))


def forgetting(evaluation: Evaluation) -> list[Flow]:
    """What was forgotten from turn to turn, over all tasks that count. Two queries."""
    revision = evaluation.submission.revision
    rows = Task.objects.filter(revision=revision, exclusion=None).order_by("number")
    records = {row.pk: public_record(row) for row in rows}
    return flows(conversations(tuple(records.values()), judged(evaluation, records)))

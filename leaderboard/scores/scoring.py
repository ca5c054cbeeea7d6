"""From an evaluation's verdicts to its results by task and its scores.

What counts and how is the engine's; here verdicts are read and scores are written.
"""

from __future__ import annotations

from django.db import transaction

from evaluation.engine import records
from evaluation.engine.metrics.summary import scores as computed
from evaluation.models import Evaluation, Verdict
from evaluation.scheduling import finish_scoring
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.scores.boards import want_board
from leaderboard.scores.models import Score, TaskResult
from leaderboard.submissions.models import Submission, Visibility, generation_key

SLICES = ("language", "natural_language", "level", "category", "domain", "turn")


def score_evaluation(*, evaluation: Evaluation) -> bool:
    """Writes the results and scores, ends the evaluation, and notes that the submission's
    board has changed if it stands on one: all at once.

    False, with nothing written, where the claim to score was lost meanwhile.
    """
    submission = evaluation.submission
    family = submission.revision.benchmark.family
    tasks = task_records(submission.revision)
    verdicts = judged(evaluation, tasks)
    results = family.results(tuple(tasks.values()), submission.setting, verdicts)
    found = computed(results, tuple(tasks.values()), family.ks, SLICES)
    keys = {record.id: pk for pk, record in tasks.items()}
    with transaction.atomic():
        TaskResult.objects.filter(evaluation=evaluation).delete()
        Score.objects.filter(evaluation=evaluation).delete()
        TaskResult.objects.bulk_create(
            (_result_row(evaluation, keys[result.task_id], result) for result in results),
            batch_size=1000,
        )
        Score.objects.bulk_create(_score_row(evaluation, score) for score in found)
        if not finish_scoring(evaluation=evaluation):
            transaction.set_rollback(True)
            return False
        # Read under a lock: whoever publishes at this moment comes before this or after it.
        row = Submission.objects.select_for_update().get(pk=submission.pk)
        if row.visibility == Visibility.PUBLISHED:
            want_board(submission=row)
    return True


def judged(evaluation: Evaluation, tasks: dict[int, records.Task]) -> list[records.Verdict]:
    """The evaluation's verdicts as the engine has them, in the order of the file."""
    rows = (
        Verdict.objects.filter(evaluation=evaluation, kind=Verdict.Kind.JUDGED)
        .order_by("generation")
        .values_list(
            "generation__task",
            "generation__sample",
            "generation__requirement",
            "generation__turn",
            "status",
            "integrity",
            "test_set",
        )
    )
    return [
        records.Verdict(
            generation_key(tasks[task].id, sample, requirement, turn),
            records.Status(status),
            test_set,
            records.Integrity(integrity),
        )
        for task, sample, requirement, turn, status, integrity, test_set in rows.iterator(5000)
    ]


def _result_row(evaluation: Evaluation, task: int, result: records.TaskResult) -> TaskResult:
    return TaskResult(
        evaluation=evaluation,
        task_id=task,
        metric=result.metric,
        category=result.category or "",
        turn=stored_turn(result.turn),
        n=result.n,
        c=result.c,
        open=result.open,
        overall=result.overall,
    )


def _score_row(evaluation: Evaluation, score: records.Score) -> Score:
    least, most = score.bounds or (None, None)
    return Score(
        evaluation=evaluation,
        metric=score.metric,
        slice=score.slice,
        slice_value=score.slice_value,
        value=score.value,
        low=score.low,
        high=score.high,
        least=least,
        most=most,
        n=score.n,
        tasks=score.tasks,
        note=score.note,
    )

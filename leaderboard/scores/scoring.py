"""Computes an evaluation's results and scores from verdicts, by the engine's rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from evaluation.engine import records
from evaluation.engine.family import Family, Metric
from evaluation.engine.metrics.summary import SLICES
from evaluation.engine.metrics.summary import scores as computed
from evaluation.models import Evaluation, Verdict
from evaluation.state.references import reference_records
from evaluation.state.scheduling import finish_scoring, note_bases, refuse
from leaderboard.benchmarks.models import Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.messages import kept
from leaderboard.scores.boards import want_board
from leaderboard.scores.models import Score, Standing, TaskResult
from leaderboard.submissions.models import (
    Generation,
    Submission,
    Visibility,
    generation_key,
)
from leaderboard.submissions.publishing import note_judging


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results and scores of a submission, or of its benchmark's references."""

    results: Sequence[records.TaskResult]
    scores: Sequence[records.Score]
    # By task, a sentence for each transcript that departs from the rules.
    departures: Mapping[records.TaskId, str] = field(default_factory=dict)


def score_evaluation(*, evaluation: Evaluation) -> bool:
    """Scores the evaluation's verdicts, with the guarantees of `end_scoring`."""
    submission = evaluation.submission
    family = submission.revision.benchmark.family
    left_out = submission.revision.left_out()
    every = task_records(submission.revision)
    tasks = {pk: task for pk, task in every.items() if pk not in left_out}
    own = _own(family, evaluation, tasks)
    references = _of_references(family, evaluation, tasks)
    return end_scoring(
        evaluation=evaluation,
        left_out=left_out,
        keys={record.id: pk for pk, record in tasks.items()},
        results=(*own.results, *references.results),
        scores=_score_rows(evaluation, own, references, family.metrics_in(submission.setting)),
        departures=own.departures,
    )


@transaction.atomic
def end_scoring(
    *,
    evaluation: Evaluation,
    left_out: Collection[int],
    keys: Mapping[records.TaskId, int],
    results: Iterable[records.TaskResult],
    scores: Iterable[Score],
    departures: Mapping[records.TaskId, str] | None = None,
) -> bool:
    """Writes results and scores, ends the evaluation, and notes a published board's change.

    All in one transaction. `keys` are the tasks' primary keys. With `departures` by our verdicts
    the evaluation is refused instead.

    Returns False, with nothing written, if the claim to score was lost, or if the excluded tasks
    are no longer `left_out`: then it has to be scored again.
    """
    submission = evaluation.submission
    # A concurrent decision on tasks waits until this is over, or is visible below.
    Revision.objects.select_for_update(no_key=True).get(pk=submission.revision_id)
    _replace(evaluation, keys, results, scores)
    note_bases(evaluation=evaluation)
    note_judging(submission=submission)
    unchanged = submission.revision.left_out() == left_out
    departed = {keys[task]: sentence for task, sentence in (departures or {}).items()}
    if not unchanged or not _finish(evaluation, departed):
        transaction.set_rollback(True)
        return False
    # Read under a lock: a concurrent publication comes before this or after it.
    row = Submission.objects.select_for_update().get(pk=submission.pk)
    if row.visibility == Visibility.PUBLISHED:
        want_board(submission=row)
    return True


def _finish(evaluation: Evaluation, departures: Mapping[int, str]) -> bool:
    if departures:
        return refuse(evaluation=evaluation, departures=departures)
    return finish_scoring(evaluation=evaluation)


def _own(family: Family, evaluation: Evaluation, tasks: Mapping[int, records.Task]) -> Outcome:
    """Returns no results or scores if any transcript departs from the rules."""
    every, setting = tuple(tasks.values()), evaluation.submission.setting
    verdicts = judged(evaluation, tasks)
    transcripts = family.transcripts_in(setting, evaluation.submission.revision.prompts)
    if transcripts is None:
        return _scored(family, setting, family.results(every, setting, verdicts), every)
    held = transcripts.held(every, _asked(evaluation, tasks), verdicts)
    if held.departures:
        return Outcome([], [], held.departures)
    return _scored(family, setting, held.results, every)


def _asked(evaluation: Evaluation, tasks: Mapping[int, records.Task]) -> dict[records.Key, str]:
    rows = Generation.objects.filter(submission=evaluation.submission_id, task__in=tasks)
    found = rows.order_by("pk").defer("text").iterator(2000)
    return {row.key_of(tasks[row.task_id].id): row.asked for row in found}


def _of_references(
    family: Family, evaluation: Evaluation, tasks: Mapping[int, records.Task]
) -> Outcome:
    """Covers only tasks with references, since projects that were never built have none."""
    if family.reference_results is None:
        return Outcome([], [])
    stored = reference_records(evaluation.submission.revision, evaluation.engine_version)
    known = {tasks[pk].id: stored[pk] for pk in tasks if pk in stored}
    tried = tuple(task for pk, task in tasks.items() if pk in stored)
    results = family.reference_results(tried, known) if tried else []
    return _scored(family, evaluation.submission.setting, results, tried)


def _scored(
    family: Family,
    setting: str,
    results: Sequence[records.TaskResult],
    tasks: Sequence[records.Task],
) -> Outcome:
    metrics = family.metrics_in(setting)
    scores = computed(results, tasks, family.ks, SLICES, metrics, family.clusters)
    return Outcome(results, scores)


def _replace(
    evaluation: Evaluation,
    keys: Mapping[records.TaskId, int],
    results: Iterable[records.TaskResult],
    scores: Iterable[Score],
) -> None:
    # A board shows the results that it was made with until it is remade.
    shown = Standing.objects.filter(evaluation=evaluation, has_results=True, replaced=False).update(
        replaced=True
    )
    before = (
        TaskResult.objects.filter(evaluation=evaluation),
        Score.objects.filter(evaluation=evaluation),
    )
    for rows in before:
        if shown:
            rows.update(replaced=True)
        else:
            rows.delete()
    TaskResult.objects.bulk_create(
        (_result_row(evaluation, keys[result.task_id], result) for result in results),
        batch_size=1000,
    )
    Score.objects.bulk_create(scores)


def judged(
    evaluation: Evaluation, tasks: Mapping[int, records.Task], *, task: int | None = None
) -> list[records.Verdict]:
    """Verdicts as engine records, in file order, without output and times; `task` limits them."""
    only = {} if task is None else {"generation__task": task}
    rows = (
        Verdict.objects.filter(evaluation=evaluation, **only)
        .order_by("generation")
        .values_list(
            "generation__task",
            "generation__sample",
            "generation__requirement",
            "generation__turn",
            "status",
            "integrity",
            "tier",
            "test_set",
            "tests_passed",
            "tests_total",
            "flags",
        )
    )
    return [_verdict(tasks[row[0]].id, *row[1:]) for row in rows.iterator(5000) if row[0] in tasks]


def _verdict(
    task: records.TaskId,
    sample: int,
    requirement: str,
    turn: int,
    status: str,
    integrity: str,
    tier: str,
    test_set: str,
    tests_passed: int | None,
    tests_total: int | None,
    flags: list[str],
) -> records.Verdict:
    return records.Verdict(
        generation_key(task, sample, requirement, turn),
        records.Status(status),
        test_set,
        records.Integrity(integrity),
        records.Tier(tier),
        tests_passed=tests_passed,
        tests_total=tests_total,
        flags=tuple(flags),
    )


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
        value=result.value,
        overall=result.overall,
        samples=list(result.samples) if result.n > 1 else [],
    )


def _score_rows(
    evaluation: Evaluation, own: Outcome, references: Outcome, metrics: Sequence[Metric]
) -> Iterator[Score]:
    counts = {metric.name for metric in metrics if metric.summed}
    variants = {metric.name for metric in metrics if metric.variant}
    for part in (own, references):
        for score in part.scores:
            yield _score_row(
                evaluation,
                score,
                is_count=score.metric in counts,
                is_variant=score.metric in variants,
                of_references=part is references,
            )


def _score_row(evaluation: Evaluation, score: records.Score, **kind: bool) -> Score:
    least, most = score.bounds or (None, None)
    error_tasks, error_runs = score.errors or (None, None)
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
        messages=kept(score.note) or None,
        lower_is_better=score.better == "lower",
        error_tasks=error_tasks,
        error_runs=error_runs,
        defined=score.defined,
        **kind,
    )

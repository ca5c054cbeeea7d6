"""Computes an evaluation's results and scores from verdicts, by the engine's rules."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from django.db import transaction

from evaluation.engine import records
from evaluation.engine.metrics.summary import SLICES
from evaluation.engine.metrics.summary import scores as computed
from evaluation.models import Evaluation, Verdict
from evaluation.state.rechecks import draw_rechecks
from evaluation.state.references import reference_records
from evaluation.state.scheduling import finish_scoring, note_bases, refuse
from leaderboard.benchmarks.models import Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.mail.models import Event
from leaderboard.scores.boards import want_board
from leaderboard.scores.models import Score, Standing, TaskResult
from leaderboard.submissions.events import note_event
from leaderboard.submissions.models import Generation, Submission, Visibility, generation_key
from leaderboard.submissions.publishing import note_judging

# The columns that have the names of the engine's fields.
_OF_RESULT = ("metric", "n", "c", "open", "value", "overall")
_OF_SCORE = ("metric", "slice", "slice_value", "value", "low", "high", "n", "tasks", "note")


def score_evaluation(*, evaluation: Evaluation) -> bool:
    """Scores the evaluation's verdicts, with the guarantees of `end_scoring`."""
    submission, setting = evaluation.submission, evaluation.submission.setting
    revision = submission.revision
    family = revision.benchmark.family
    left_out = revision.left_out()
    tasks = {pk: task for pk, task in task_records(revision).items() if pk not in left_out}
    every = tuple(tasks.values())
    verdicts = judged(evaluation, tasks)
    transcripts = family.transcripts_in(setting, revision.prompts)
    departures: Mapping[records.TaskId, str] = {}
    if transcripts is None:
        results: Sequence[records.TaskResult] = family.results(every, setting, verdicts)
    else:
        rows = Generation.objects.filter(submission=submission, task__in=tasks)
        generations = rows.order_by("pk").defer("text").iterator(2000)
        questions = {row.key_of(tasks[row.task_id].id): row.asked for row in generations}
        held = transcripts.held(every, questions, verdicts)
        departures = held.departures
        results = [] if departures else held.results
    reference_results: Sequence[records.TaskResult] = []
    if family.reference_results is not None:
        # Only for tasks with references: projects that were never built have none.
        stored = reference_records(revision, evaluation.engine_version)
        with_references = {task.id: stored[pk] for pk, task in tasks.items() if pk in stored}
        every_tried = tuple(task for task in every if task.id in with_references)
        if every_tried:
            reference_results = family.reference_results(every_tried, with_references)
    return end_scoring(
        evaluation=evaluation,
        left_out=left_out,
        keys={record.id: pk for pk, record in tasks.items()},
        results=(*results, *reference_results),
        scores=(
            *score_rows(evaluation, results, every),
            *score_rows(evaluation, reference_results, every, of_references=True),
        ),
        departures=departures,
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
    """Writes results and scores, ends the evaluation, and notes a published board's change, in one
    transaction. `keys` are the tasks' primary keys. With `departures` by our verdicts the
    evaluation is refused instead. Returns False, with nothing written, if the claim to score was
    lost, or if the excluded tasks are no longer `left_out`: then it has to be scored again."""
    submission = evaluation.submission
    # A concurrent decision on tasks waits until this is over, or is visible below.
    Revision.objects.select_for_update(no_key=True).get(pk=submission.revision_id)
    # A board shows the results that it was made with until it is remade.
    shown = Standing.objects.filter(evaluation=evaluation, has_results=True, replaced=False).update(
        replaced=True
    )
    for model in (TaskResult, Score):
        before = model.objects.filter(evaluation=evaluation)
        if shown:
            before.update(replaced=True)
        else:
            before.delete()
    rows = (
        TaskResult(
            evaluation=evaluation,
            task_id=keys[result.task_id],
            category=result.category or "",
            turn=stored_turn(result.turn),
            samples=list(result.samples) if result.n > 1 else [],
            **{name: getattr(result, name) for name in _OF_RESULT},
        )
        for result in results
    )
    TaskResult.objects.bulk_create(rows, batch_size=1000)
    Score.objects.bulk_create(scores)
    note_bases(evaluation=evaluation)
    note_judging(submission=submission)
    unchanged = submission.revision.left_out() == left_out
    departed = {keys[task]: sentence for task, sentence in (departures or {}).items()}
    finish = partial(refuse, departures=departed) if departed else finish_scoring
    if not unchanged or not finish(evaluation=evaluation):
        transaction.set_rollback(True)
        return False
    draw_rechecks(evaluation=evaluation)
    # Read under a lock: a concurrent publication comes before this or after it.
    row = Submission.objects.select_for_update().get(pk=submission.pk)
    if row.visibility == Visibility.PUBLISHED:
        want_board(submission=row)
        if not departed and not evaluation.current:
            # Its former evaluation's result; `current` is as it was before.
            note_event(submission=row, event=Event.SUPERSEDED, by=row.public_id)
    return True


def judged(evaluation: Evaluation, tasks: Mapping[int, records.Task]) -> list[records.Verdict]:
    """Verdicts as engine records, in file order, without output and times."""
    place = ("generation__sample", "generation__requirement", "generation__turn")
    facts = ("status", "integrity", "tier", "flags")
    plain = ("test_set", "tests_passed", "tests_total", "dependencies")
    rows = Verdict.objects.filter(evaluation=evaluation).order_by("generation")
    verdicts = []
    for row in rows.values("generation__task", *place, *facts, *plain).iterator(5000):
        if task := tasks.get(row["generation__task"]):
            verdict = records.Verdict(
                generation_key(task.id, *(row[name] for name in place)),
                records.Status(row["status"]),
                integrity=records.Integrity(row["integrity"]),
                tier=records.Tier(row["tier"]),
                flags=tuple(row["flags"]),
                **{name: row[name] for name in plain},
            )
            verdicts.append(verdict)
    return verdicts


def score_rows(
    evaluation: Evaluation,
    results: Sequence[records.TaskResult],
    tasks: Sequence[records.Task],
    *,
    of_references: bool = False,
) -> Iterator[Score]:
    """The unsaved scores of a submission's results, or of its benchmark's references."""
    family = evaluation.submission.revision.benchmark.family
    metrics = family.metrics_in(evaluation.submission.setting)
    kinds = {metric.name: metric for metric in metrics}
    for score in computed(results, tasks, family.ks, SLICES, metrics, family.clusters):
        least, most = score.bounds or (None, None)
        error_tasks, error_runs = score.errors or (None, None)
        kind = kinds.get(score.metric)
        yield Score(
            evaluation=evaluation,
            **{name: getattr(score, name) for name in _OF_SCORE},
            least=least,
            most=most,
            lower_is_better=score.better == "lower",
            error_tasks=error_tasks,
            error_runs=error_runs,
            defined=score.defined,
            is_count=kind is not None and kind.summed,
            is_variant=kind is not None and kind.variant,
            of_references=of_references,
        )

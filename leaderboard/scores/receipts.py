"""Receipts: signed statements on published results, which anyone can check without this site
(docs/users/receipts.md)."""

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import islice
from operator import itemgetter
from typing import Any, TypeAlias

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from evaluation.engine import records
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.registry import result_metric
from evaluation.models import Chunk, Evaluation, EvaluationState, Verdict
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.benchmarks.public import public_record
from leaderboard.fields import stored_turn, turn_of
from leaderboard.scores.models import Board, Receipt, Score, TaskResult
from leaderboard.scores.receipt_keys import signed
from leaderboard.scores.scoring import judged
from leaderboard.submissions.models import Generation, Submission, Visibility

# --- The file that a receipt names ---------------------------------------------------------------

# What the scores are computed from, in canonical form: the same text for the same results, with
# public ids only. `evaluation.cli.receipts` computes the scores from it.
Line: TypeAlias = dict[str, Any]
_SLICE = ("metric", "slice", "slice_value")
_OF_SCORE = (*_SLICE, "value", "low", "high", "least", "most", "n", "tasks", "top")
_OF_TASK = ("language", "natural_language", "level", "domain", "category")


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), cls=DjangoJSONEncoder)


def order_of(key: records.Key) -> tuple[Any, ...]:
    """The order of lines: tasks whose ids are numbers, then those with texts."""
    turn = stored_turn(key.turn)
    return isinstance(key.task_id, str), key.task_id, key.sample, key.requirement or "", turn


def score_lines(evaluation: Evaluation) -> list[Line]:
    """The scores that everyone may see, without those of the benchmark's own programs."""
    rows = Score.objects.filter(evaluation=evaluation, of_references=False)
    return sorted(rows.values(*_OF_SCORE), key=itemgetter(*_SLICE))


def metrics_of_tests(submission: Submission) -> set[str]:
    """Metrics whose results by task tell how many tests passed."""
    family = submission.revision.benchmark.family
    return {metric.name for metric in family.metrics_in(submission.setting) if metric.of_tests}


def counted_tasks(revision: Revision) -> dict[int, records.Task]:
    """The public part of the tasks that count, by primary key."""
    rows = Task.objects.filter(revision=revision, exclusion=None)
    return {row.pk: public_record(row) for row in rows.iterator(2000)}


def counted_lines(evaluation: Evaluation, tasks: Mapping[int, records.Task]) -> list[Line]:
    """A line for each of the counted `tasks`, then its slots ("missing" without a generation;
    `value` counts in pass@k), then its results in other metrics. Leaves out results that would tell
    how many hidden tests passed. For people's marks: the scores, as they are published."""
    submission, scores = evaluation.submission, score_lines(evaluation)
    benchmark, setting = submission.revision.benchmark, submission.setting
    family = benchmark.family
    if family.is_rated:
        return scores
    metrics = {result_metric(score["metric"]) for score in scores}
    if not benchmark.shows_output:
        metrics -= metrics_of_tests(submission)
    passes: dict[tuple[records.TaskId, str, int], TaskResult] = {}
    lines: list[tuple[Any, Line]] = []
    results = TaskResult.objects.filter(evaluation=evaluation, metric__in=metrics, task__in=tasks)
    for result in results.iterator(5000):
        task, turn = tasks[result.task_id].id, turn_of(result.turn)
        if result.metric == PASS:
            passes[task, result.category, result.turn] = result
            continue
        fields = {name: getattr(result, name) for name in ("metric", "n", "c", "open", "value")}
        line = {"task_id": task, **fields, "overall": result.overall, "turn": turn}
        line["category"] = result.category or None
        order = order_of(records.Key(task, 0))[:2]
        lines.append(((*order, 2, result.metric, result.category, result.turn), line))
    by_id = {task.id: task for task in tasks.values()}
    units: list[tuple[records.Unit, Line, int | None]] = []
    for verdict in judged(evaluation, tasks):
        facts: Line = {name: getattr(verdict, name) for name in ("status", "integrity", "tier")}
        units.append((verdict.unit, facts, None if verdict.open else int(verdict.passed)))
    filled = {(key.task_id, key.requirement) for (key, _test_set), *_ in units}
    for record in by_id.values():
        for slot in family.slots(record, setting):
            if slot.required and (record.id, slot.requirement) not in filled:
                key = records.Key(record.id, 0, slot.requirement, slot.turn)
                units.append((records.Unit(key), {"status": "missing"}, 0))
        line = {"task_id": record.id, **{name: getattr(record, name) for name in _OF_TASK}}
        line["cluster"] = family.clusters.of(record) if family.clusters else record.id
        lines.append(((*order_of(records.Key(record.id, 0))[:2], 0), line))
    counted = set()
    for (key, test_set), facts, value in units:
        line = {**key._asdict(), "test_set": test_set, **facts}
        for category in (key.requirement or "", by_id[key.task_id].category or ""):
            place = key.task_id, category, stored_turn(key.turn)
            if place in passes and not test_set:
                counted.add(place)
                line |= {"value": value, "category": category or None}
                line["overall"] = passes[place].overall
                break
        order = order_of(key)
        lines.append(((*order[:2], 1, *order[2:], test_set), line))
    assert counted == set(passes), "every result of pass@k is that of a slot"
    return [line for _order, line in sorted(lines, key=lambda entry: entry[0])]


# --- Receipts ------------------------------------------------------------------------------------

# After a board's order until its missing receipts are made; between two further attempts.
RETRY, RETRY_AGAIN = timedelta(minutes=10), timedelta(hours=1)


def unsigned() -> QuerySet[Evaluation]:
    """Published results without a receipt of their last scoring that everyone may read."""
    present = Receipt.objects.readable().filter(
        evaluation=OuterRef("pk"), attempt=OuterRef("attempt"), superseded=None
    )
    return Evaluation.objects.filter(
        ~Exists(present),
        current=True,
        outdated=False,
        state=EvaluationState.DONE,
        submission__visibility=Visibility.PUBLISHED,
    )


def unsigned_boards() -> QuerySet[Board]:
    """Those with results without receipts, when it is time to try again: a worker died before it
    signed, the key is missing, or a file tells of tests that are hidden since."""
    results = unsigned().filter(
        submission__revision=OuterRef("revision"), submission__setting=OuterRef("setting")
    )
    due = Q(rung=None, made_at__lt=Now() - RETRY) | Q(rung__lt=Now() - RETRY_AGAIN)
    return Board.objects.filter(due, Exists(results), made=F("wanted"))


def make_receipts(board: Board) -> None:
    """Signs each published result of the board that was scored since its receipt was made. Safe to
    run again after a crash: the same result has the same statement. Raises ExceptionGroup after the
    other results are signed."""
    failures = []
    on_board = {"submission__revision": board.revision_id, "submission__setting": board.setting}
    refused = Evaluation.objects.filter(current=True, state=EvaluationState.REFUSED, **on_board)
    supersede(submission__in=refused.values("submission"))
    rows = unsigned().select_related("submission__entrant", "submission__revision__benchmark")
    evaluations = list(rows.filter(**on_board).order_by("pk"))
    tasks = counted_tasks(board.revision) if evaluations else {}
    for evaluation in evaluations:
        try:
            lines = counted_lines(evaluation, tasks)
            verdicts = "".join(f"{canonical(line)}\n" for line in lines).encode()
            payload = canonical(_statement(evaluation, lines, _sha256(verdicts))).encode()
            of_tests = metrics_of_tests(evaluation.submission)
            tells = any(line.get("metric") in of_tests for line in lines)
            _keep(evaluation, payload, verdicts, tells_of_tests=tells)
        except Exception as error:  # noqa: BLE001  # one result keeps no other from its receipt
            failures.append(error)
    if failures:
        raise ExceptionGroup("results without receipts", failures)


def supersede(*conditions: Q, **columns: Any) -> None:
    """Notes that the receipts which these describe are not of the present results."""
    Receipt.objects.filter(*conditions, superseded=None, **columns).update(superseded=Now())


@transaction.atomic
def _keep(evaluation: Evaluation, payload: bytes, verdicts: bytes, *, tells_of_tests: bool) -> None:
    """Stores nothing if the result changed meanwhile: then its board is due again."""
    attempt, done = evaluation.attempt, EvaluationState.DONE
    rows = Evaluation.objects.select_for_update(no_key=True).filter(current=True, outdated=False)
    if rows.filter(pk=evaluation.pk, attempt=attempt, state=done).order_by("pk").exists():
        digest = _sha256(payload)
        supersede(~Q(digest=digest), submission=evaluation.submission)
        scoring = {"evaluation": evaluation, "attempt": attempt, "made": Now(), "superseded": None}
        content = {
            "envelope": signed(payload),
            "verdicts": gzip.compress(verdicts),
            "tells_of_tests": tells_of_tests,
        }
        Receipt.objects.update_or_create(
            submission=evaluation.submission,
            digest=digest,
            defaults=scoring,
            create_defaults=scoring | content,
        )


def statement_in(envelope: dict[str, Any]) -> dict[str, Any]:
    statement: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return statement


def _statement(evaluation: Evaluation, lines: Sequence[Line], verdicts: str) -> dict[str, Any]:
    """Depends on nothing but the result: not on its readers, nor on the time."""
    submission, revision = evaluation.submission, evaluation.submission.revision
    left_out = Task.objects.filter(revision=revision, exclusion__isnull=False).order_by("number")
    chunks = Chunk.objects.filter(evaluation=evaluation).exclude(image_digest="")
    predicate = {
        "submission": submission.public_id,
        "entrant": submission.entrant.slug,
        "benchmark": revision.benchmark.slug,
        "family": revision.benchmark.family_slug,
        "setting": submission.setting,
        "revision": {
            "label": revision.label,
            "sha256": revision.sha256,
            "left_out": [task.id_in_dataset for task in left_out],
        },
        "engine_version": evaluation.engine_version,
        "metrics_version": METRICS_VERSION,
        "image": evaluation.image,
        "image_digests": sorted({*chunks.values_list("image_digest", flat=True)}),
        "limits": evaluation.limits,
        "verdicts": {"sha256": verdicts},
        "passes": Counter(line["tier"] for line in lines if "tier" in line and line.get("value")),
        "scores": score_lines(evaluation),
        "times": {
            "submitted": submission.created,
            "judging_began": evaluation.started,
            "judging_ended": evaluation.judging_ended,
        },
    }
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": _subjects(evaluation),
        "predicateType": "urn:assay:receipt:v1",
        "predicate": predicate,
    }


def _subjects(evaluation: Evaluation) -> list[dict[str, Any]]:
    submission = evaluation.submission
    last = submission.receipts.defer("verdicts").order_by("-made").first()
    subjects = statement_in(last.envelope)["subject"] if last else []
    # The upload may have been deleted since.
    digests = {row["name"]: row["digest"]["sha256"] for row in subjects}
    if submission.upload:
        digests["upload"] = submission.upload.sha256
    digests["generations"] = _generations_sha256(evaluation)
    return [{"name": name, "digest": {"sha256": text}} for name, text in digests.items()]


def _generations_sha256(evaluation: Evaluation) -> str:
    """Of the canonical JSON lines of the judged ones, in the order of the file of verdicts."""
    rows = Generation.objects.filter(submission=evaluation.submission).select_related("task")
    if not evaluation.submission.is_rated:
        # Base completions that arrive later are turn 0 of a later evaluation alone.
        judged = Verdict.objects.filter(evaluation=evaluation, generation=OuterRef("pk"))
        rows = rows.filter(Exists(judged))
    rows = rows.defer("text", "asked", "task__public")
    keys = {row.pk: row.key_of(row.task.id_in_dataset) for row in rows.iterator(5000)}
    digest, rest = hashlib.sha256(), iter(sorted(keys, key=lambda pk: order_of(keys[pk])))
    while part := list(islice(rest, 500)):
        texts = dict(Generation.objects.filter(pk__in=part).values_list("pk", "text"))
        for pk in part:
            digest.update(f"{canonical({**keys[pk]._asdict(), 'text': texts[pk]})}\n".encode())
    return digest.hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

"""Receipts: signed statements on published results, which anyone can check without this site
(docs/users/receipts.md)."""

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from evaluation.engine.metrics import METRICS_VERSION
from evaluation.models import Chunk, Evaluation, EvaluationState, Verdict
from leaderboard.benchmarks.models import Task
from leaderboard.scores.counted import (
    Line,
    canonical,
    counted_lines,
    counted_tasks,
    metrics_of_tests,
    order_of,
    score_lines,
)
from leaderboard.scores.models import Board, Receipt
from leaderboard.scores.receipt_keys import signed
from leaderboard.submissions.models import Generation, Visibility

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

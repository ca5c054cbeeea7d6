"""Receipts: signed statements on published results, which anyone can check without this site. Their
form is in docs/users/receipts.md."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from evaluation.engine.metrics import METRICS_VERSION
from evaluation.models import Chunk, Evaluation, EvaluationState
from leaderboard.benchmarks.models import Task
from leaderboard.scores.counted import Line, canonical, counted_lines, order_of, score_lines
from leaderboard.scores.models import Board, Receipt
from leaderboard.scores.receipt_keys import signing_key
from leaderboard.submissions.models import Generation, Submission, Visibility

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:assay:receipt:v1"
PAYLOAD = "application/vnd.in-toto+json"


def make_receipts(board: Board) -> None:
    """Signs each published result of the board that was scored since its receipt was made. Safe to
    run again after a crash: the same result has the same statement. Raises the errors of
    `signing_key`."""
    published = Evaluation.objects.filter(
        current=True,
        submission__revision=board.revision_id,
        submission__setting=board.setting,
        submission__visibility=Visibility.PUBLISHED,
    )
    refused = published.filter(state=EvaluationState.REFUSED)
    outdated = Receipt.objects.filter(superseded=None, submission__in=refused.values("submission"))
    outdated.update(superseded=Now())
    valid = Receipt.objects.filter(
        superseded=None, evaluation=OuterRef("pk"), attempt=OuterRef("attempt")
    )
    unsigned = published.filter(~Exists(valid), state=EvaluationState.DONE, outdated=False)
    rows = unsigned.select_related("submission__entrant", "submission__revision__benchmark")
    for evaluation in rows.order_by("pk"):
        _make_receipt(evaluation)


def _make_receipt(evaluation: Evaluation) -> None:
    submission = evaluation.submission
    lines = counted_lines(evaluation)
    verdicts = "".join(f"{canonical(line)}\n" for line in lines).encode()
    payload = canonical(_statement(evaluation, lines, hashlib.sha256(verdicts).hexdigest()))
    with transaction.atomic():
        # Scoring and publishing change these columns: then the next job makes the receipt.
        unchanged = Evaluation.objects.select_for_update(no_key=True).filter(
            pk=evaluation.pk,
            attempt=evaluation.attempt,
            current=True,
            state=EvaluationState.DONE,
            outdated=False,
        )
        if not unchanged.order_by("pk").exists():
            return
        now = {"made": Now(), "superseded": None}
        scoring = {"evaluation": evaluation, "attempt": evaluation.attempt}
        digest = hashlib.sha256(payload.encode()).hexdigest()
        former = Receipt.objects.filter(submission=submission, superseded=None)
        former.exclude(digest=digest).update(superseded=Now())
        signed = {"envelope": _envelope(payload.encode()), "verdicts": gzip.compress(verdicts)}
        Receipt.objects.update_or_create(
            submission=submission,
            digest=digest,
            defaults=now | scoring,
            create_defaults=now | scoring | signed,
        )


def _envelope(payload: bytes) -> dict[str, Any]:
    """DSSE (github.com/secure-systems-lab/dsse)."""
    keyid, private = signing_key()
    parts = len(PAYLOAD), PAYLOAD.encode(), len(payload), payload
    signature = private.sign(b"DSSEv1 %d %b %d %b" % parts)
    encoded = {"keyid": keyid, "sig": base64.b64encode(signature).decode()}
    text = base64.b64encode(payload).decode()
    return {"payload": text, "payloadType": PAYLOAD, "signatures": [encoded]}


def statement_in(envelope: dict[str, Any]) -> dict[str, Any]:
    statement: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return statement


def _statement(evaluation: Evaluation, lines: Sequence[Line], verdicts: str) -> dict[str, Any]:
    """Depends on nothing but the result: not on its readers, nor on the time."""
    submission = evaluation.submission
    revision = submission.revision
    left_out = Task.objects.filter(revision=revision, exclusion__isnull=False)
    chunks = Chunk.objects.filter(evaluation=evaluation).exclude(image_digest="")
    passes = Counter(line["tier"] for line in lines if "tier" in line and line.get("value"))
    predicate = {
        "submission": submission.public_id,
        "entrant": submission.entrant.slug,
        "benchmark": revision.benchmark.slug,
        "family": revision.benchmark.family_slug,
        "setting": submission.setting,
        "revision": {
            "label": revision.label,
            "sha256": revision.sha256,
            "left_out": sorted((task.id_in_dataset for task in left_out), key=str),
        },
        "engine_version": evaluation.engine_version,
        "metrics_version": METRICS_VERSION,
        "image": evaluation.image,
        "image_digests": sorted({*chunks.values_list("image_digest", flat=True)}),
        "limits": evaluation.limits,
        "verdicts": {"sha256": verdicts},
        "passes": dict(passes),
        "scores": score_lines(evaluation),
        "times": {
            "submitted": _moment(submission.created),
            "judging_began": _moment(evaluation.started),
            "judging_ended": _moment(evaluation.judging_ended),
        },
    }
    return {
        "_type": STATEMENT,
        "subject": _subjects(submission),
        "predicateType": PREDICATE,
        "predicate": predicate,
    }


def _moment(time: datetime | None) -> str | None:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}" if time else None


def _subjects(submission: Submission) -> list[dict[str, Any]]:
    """As in the submission's last receipt, because the upload may have been deleted since."""
    if last := submission.receipts.order_by("-made").first():
        subjects: list[dict[str, Any]] = statement_in(last.envelope)["subject"]
        return subjects
    digests = {"generations": _generations_sha256(submission)}
    if submission.upload:
        digests = {"upload": submission.upload.sha256, **digests}
    return [{"name": name, "digest": {"sha256": text}} for name, text in digests.items()]


def _generations_sha256(submission: Submission) -> str:
    """Of their canonical JSON lines, in the order of the file of verdicts."""
    rows = Generation.objects.filter(submission=submission)
    places = []
    for row in rows.select_related("task").defer("text", "asked", "task__public").iterator(5000):
        places.append((row.key_of(row.task.id_in_dataset), row.pk))
    places.sort(key=lambda place: order_of(place[0]))
    digest, rest = hashlib.sha256(), iter(places)
    while part := list(islice(rest, 500)):
        texts = dict(rows.filter(pk__in=[pk for _key, pk in part]).values_list("pk", "text"))
        for key, pk in part:
            digest.update(f"{canonical({**key._asdict(), 'text': texts[pk]})}\n".encode())
    return digest.hexdigest()

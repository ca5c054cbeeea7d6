"""The verdicts of a submission as JSON Lines, in the order of the upload."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from evaluation.models import Verdict
from leaderboard.fields import NO_TURN
from leaderboard.pages.submissions.views.rights import Rights
from leaderboard.pages.submissions.views.submission import visible_submission

ROWS_AT_ONCE = 2000
EVERYONES = ("status", "integrity", "tier", "duration_ms")
DETAILS = ("tests_passed", "tests_total", "control_ms", "peak_memory_kib", "flags")
PLACE = (
    "generation__task__external_id",
    "generation__task__id_is_number",
    "generation__sample",
    "generation__requirement",
    "generation__turn",
    "test_set",
)


@require_safe
def submission_verdicts(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Raises Http404 if there is no evaluation."""
    found = visible_submission(request, pk)
    evaluation = found.evaluations.filter(current=True).first()
    if evaluation is None:
        raise Http404
    columns = EVERYONES + (DETAILS if Rights.of(request.user, found).details else ())
    parts = (found.entrant.slug, found.revision.benchmark.slug, found.setting, str(found.pk))
    name = "-".join(slugify(part) or "x" for part in parts)
    rows = (
        Verdict.objects.filter(evaluation=evaluation)
        .order_by("generation", "test_set")
        .values(*PLACE, *columns)
    )
    return StreamingHttpResponse(
        (
            json.dumps(_record(row), ensure_ascii=False) + "\n"
            for row in rows.iterator(ROWS_AT_ONCE)
        ),
        content_type="application/jsonl; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}-verdicts.jsonl"',
            "Cache-Control": "private, no-store",
        },
    )


def _record(row: dict[str, Any]) -> dict[str, Any]:
    """The place of the verdict, without what it does not have, and its columns."""
    task, is_number, sample, requirement, turn, test_set = (row.pop(name) for name in PLACE)
    place: dict[str, Any] = {"task_id": int(task) if is_number else task, "sample": sample}
    if requirement:
        place["requirement"] = requirement
    if turn != NO_TURN:
        place["turn"] = turn
    if test_set:
        place["test_set"] = test_set
    return place | row

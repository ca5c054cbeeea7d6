"""The verdicts of a submission as JSON Lines, in the order of the upload."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from evaluation.models import Verdict
from leaderboard.fields import NO_TURN
from leaderboard.pages.submissions.views.rights import Rights, visible_submission

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
    submission = visible_submission(request, pk)
    evaluation = submission.evaluations.filter(current=True).first()
    if evaluation is None:
        raise Http404
    columns = EVERYONES + (DETAILS if Rights.of(request.user, submission).details else ())
    slug, setting = submission.revision.benchmark.slug, submission.setting
    parts = (submission.entrant.slug, slug, setting, str(submission.pk))
    name = "-".join(slugify(part) or "x" for part in parts)
    verdicts = Verdict.objects.filter(evaluation=evaluation).order_by("generation", "test_set")

    def lines() -> Iterator[str]:
        for row in verdicts.values(*PLACE, *columns).iterator(ROWS_AT_ONCE):
            task, is_number, sample, requirement, turn, test_set = map(row.pop, PLACE)
            place: dict[str, Any] = {"task_id": int(task) if is_number else task, "sample": sample}
            if requirement:
                place["requirement"] = requirement
            if turn != NO_TURN:
                place["turn"] = turn
            if test_set:
                place["test_set"] = test_set
            yield json.dumps(place | row, ensure_ascii=False) + "\n"

    return StreamingHttpResponse(
        lines(),
        content_type="application/jsonl; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}-verdicts.jsonl"',
            "Cache-Control": "private, no-store",
        },
    )

"""One page for operators: the state of queues, workers and stores, and what needs a decision."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy
from django.views.decorators.http import require_safe

from evaluation.engine.records import Integrity, Status
from evaluation.models import (
    Chunk,
    ChunkState,
    Evaluation,
    EvaluationState,
    ReferenceVerdict,
    Verdict,
    Worker,
)
from evaluation.state.progress import WORKER_SILENT_SECONDS
from leaderboard.accounts.models import Team
from leaderboard.scores.models import statistics_to_review
from leaderboard.submissions.models import Copy, CopyState, Upload, UploadState

QUEUES = {"python", "java", "repository"}
DAYS = 7
# Below this share of free space the disk needs attention.
LEAST_FREE = 0.1


LOST = ngettext_lazy("%(n)d chunk is lost.", "%(n)d chunks are lost.", "n")
UNSCORED = ngettext_lazy(
    "%(n)d evaluation could not be scored.", "%(n)d evaluations could not be scored.", "n"
)
SUSPECT = ngettext_lazy("%(n)d pass is under review.", "%(n)d passes are under review.", "n")
UNSOUND = ngettext_lazy(
    "%(n)d unsound task is not left out.", "%(n)d unsound tasks are not left out.", "n"
)
INVERTED = ngettext_lazy(
    "Weak entrants solve %(n)d task more often than strong ones: its tests may be wrong.",
    "Weak entrants solve %(n)d tasks more often than strong ones: their tests may be wrong.",
    "n",
)
COPIES = ngettext_lazy(
    "%(n)d submission has another team's answers.",
    "%(n)d submissions have another team's answers.",
    "n",
)
UPLOADS = ngettext_lazy(
    "%(n)d upload failed on our side and is tried again.",
    "%(n)d uploads failed on our side and are tried again.",
    "n",
)


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    waiting: int
    running: int
    oldest: datetime | None
    workers: int


@dataclass(frozen=True, slots=True)
class Point:
    """Something that needs an action, and the page where it is taken."""

    line: str
    action: str
    url: str


@admin.site.admin_view
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """A constant number of queries."""
    silent = timezone.now() - timedelta(seconds=WORKER_SILENT_SECONDS)
    workers = [(worker, worker.seen >= silent) for worker in Worker.objects.all()]
    queues = _queues([worker for worker, living in workers if living])
    usage = shutil.disk_usage(settings.DATA_DIR)
    context = {
        **admin.site.each_context(request),
        "title": _("Overview"),
        "points": [*_of_queues(queues), *_of_rows(), *_of_disk(usage.free, usage.total)],
        "queues": queues,
        "workers": workers,
        "teams": Team.objects.filter(created__gte=timezone.now() - timedelta(days=DAYS)).count(),
        "disk": filesizeformat(usage.free),
    }
    return render(request, "admin/overview.html", context)


def _queues(living: Sequence[Worker]) -> list[Queue]:
    rows = (
        Chunk.objects.filter(state__in=ChunkState.moving(), evaluation__state="judging")
        .order_by()
        .values("queue")
        .annotate(
            waiting=Count("pk", filter=Q(state=ChunkState.WAITING)),
            running=Count("pk", filter=Q(state=ChunkState.RUNNING)),
            oldest=Min("evaluation__created", filter=Q(state=ChunkState.WAITING)),
        )
    )
    found = {row["queue"]: row for row in rows}
    return [
        Queue(
            name,
            found[name]["waiting"] if name in found else 0,
            found[name]["running"] if name in found else 0,
            found[name]["oldest"] if name in found else None,
            sum(name in worker.queues for worker in living),
        )
        for name in sorted(QUEUES | found.keys())
    ]


def _of_queues(queues: Sequence[Queue]) -> Iterator[Point]:
    for queue in queues:
        if queue.waiting and not queue.workers:
            words = _("%(number)d chunks wait for a worker of the queue %(queue)s.")
            yield Point(
                words % {"number": queue.waiting, "queue": queue.name},
                _("Start a worker: manage.py worker"),
                reverse("admin:evaluation_worker_changelist"),
            )


def _of_rows() -> Iterator[Point]:
    """Chunks, evaluations, verdicts, references, tasks, copies and uploads to be decided on."""
    scoring = Evaluation.objects.filter(state__in=EvaluationState.moving())
    suspect = Verdict.objects.filter(
        kind=Verdict.Kind.JUDGED,
        status=Status.PASSED,
        integrity=Integrity.SUSPECT,
        evaluation__current=True,
    )
    unsound = ReferenceVerdict.objects.exclude(unsound="").filter(task__exclusion=None)
    uploads = Upload.objects.filter(state__in=UploadState.moving(), tries__gt=0)
    lost = Chunk.objects.filter(state=ChunkState.LOST)
    copies = Copy.objects.filter(state=CopyState.OPEN)
    counted = (
        (lost.count(), LOST, _("Run them again"), "evaluation_chunk", "state__exact=lost"),
        (
            scoring.exclude(cause="").count(),
            UNSCORED,
            _("See the causes"),
            "evaluation_evaluation",
            "",
        ),
        (suspect.count(), SUSPECT, _("Decide"), "evaluation_verdict", "integrity__exact=suspect"),
        (
            unsound.aggregate(tasks=Count("task", distinct=True))["tasks"],
            *(UNSOUND, _("Leave them out"), "evaluation_referenceverdict", "tasks=open"),
        ),
        (
            statistics_to_review().aggregate(tasks=Count("task", distinct=True))["tasks"],
            *(INVERTED, _("Review them"), "scores_taskstatistics", "tests=open"),
        ),
        (
            copies.aggregate(submissions=Count("submission", distinct=True))["submissions"],
            *(COPIES, _("Decide"), "submissions_copy", "state__exact=open"),
        ),
        (uploads.count(), UPLOADS, _("See the causes"), "submissions_upload", ""),
    )
    for number, words, action, model, query in counted:
        if number:
            url = reverse(f"admin:{model}_changelist")
            yield Point(words % {"n": number}, action, f"{url}?{query}" if query else url)


def _of_disk(free: int, total: int) -> Iterator[Point]:
    if free < LEAST_FREE * total:
        line = _("Only %(free)s of %(total)s are free for the site's data.")
        words = {"free": filesizeformat(free), "total": filesizeformat(total)}
        yield Point(line % words, _("Uploads"), reverse("admin:submissions_upload_changelist"))

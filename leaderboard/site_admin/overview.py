"""One page for operators: the state of queues, workers and stores, and what needs a decision."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum
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
from evaluation.state.expected_end import WORKER_SILENT_SECONDS
from evaluation.state.progress import queue_lengths
from evaluation.state.references import BUILD
from evaluation.state.scheduling import abandoned_chunks, returned_chunks, stuck_chunks
from evaluation.work.review import passes_to_review
from leaderboard.accounts.models import Team
from leaderboard.messages import in_readers_language
from leaderboard.scores.models import statistics_to_review
from leaderboard.site_admin.words import queue_words, served_words
from leaderboard.submissions.models import Copy, CopyState, Upload, UploadState

DAYS = 7
# Below this share of free space the disk needs attention.
LEAST_FREE = 0.1
# Maximum rows of running chunks and of new teams, and chunks that the speed is computed from.
MOST_ROWS, RECENT_CHUNKS = 50, 2000


LOST = ngettext_lazy("%(n)d chunk is lost.", "%(n)d chunks are lost.", "n")
STUCK_CHUNKS = ngettext_lazy(
    "%(n)d chunk runs and has no verdict yet.", "%(n)d chunks run and have no verdict yet.", "n"
)
LEFT = ngettext_lazy(
    "%(n)d chunk has lost its worker and is not taken back.",
    "%(n)d chunks have lost their worker and are not taken back.",
    "n",
)
RETURNED = ngettext_lazy(
    "%(n)d chunk waits after a failure.", "%(n)d chunks wait after a failure.", "n"
)
UNSCORED = ngettext_lazy(
    "%(n)d evaluation could not be scored.", "%(n)d evaluations could not be scored.", "n"
)
SUSPECT = ngettext_lazy("%(n)d pass is under review.", "%(n)d passes are under review.", "n")
SHARED = ngettext_lazy(
    "%(n)d pass of a shared process waits for a review.",
    "%(n)d passes of shared processes wait for a review.",
    "n",
)
UNBUILT = ngettext_lazy(
    "%(n)d project could not be built.", "%(n)d projects could not be built.", "n"
)
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
SILENT = ngettext_lazy("%(n)d worker is silent.", "%(n)d workers are silent.", "n")


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    waiting: int
    running: int
    oldest: datetime | None
    workers: int

    @property
    def words(self) -> str:
        return queue_words(self.name)


@dataclass(frozen=True, slots=True)
class Point:
    """Something that needs an action, its cause, and the page where the action is taken."""

    line: str
    reason: str
    action: str
    url: str


# The name of the work in a slot, and the key of its submission, if it has one.
Holder = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class Host:
    """`runs` were judged in the last hour, in `seconds` of its workers. `slots` are those of its
    last heartbeat."""

    name: str
    workers: int
    seen: datetime | None
    runs: int
    seconds: float
    slots: Mapping[str, Any]
    holders: Sequence[Holder]

    @property
    def per_run(self) -> float | None:
        return self.seconds / self.runs if self.runs else None


@dataclass(frozen=True, slots=True)
class Running:
    """A chunk at work. `holders` hold the slots that it waits for."""

    chunk: Chunk
    waits: str
    holders: Sequence[Holder]

    @classmethod
    def of(cls, chunk: Chunk) -> Running:
        wait = chunk.wait or {}
        holders = _holders(wait.get("shares", ()))
        return cls(chunk, in_readers_language(wait.get("said", "")), holders)

    @property
    def queue(self) -> str:
        return queue_words(self.chunk.queue)

    @property
    def holds(self) -> bool:
        """Whether it holds a slot. Before its first verdict, a chunk may be at work without one,
        for example during a build."""
        return bool(self.chunk.judged and not self.waits)


def _holders(shares: Sequence[str]) -> list[Holder]:
    found = ((one, re.fullmatch(r"submission (\d+)", one)) for one in shares)
    return [(one, int(match[1]) if match else None) for one, match in found]


@admin.site.admin_view
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """A constant number of queries. Causes and chunks only for staff who may see chunks."""
    now = timezone.now()
    silent = now - timedelta(seconds=WORKER_SILENT_SECONDS)
    workers = [(worker, worker.seen >= silent) for worker in Worker.objects.all()]
    queues = _queues([worker for worker, living in workers if living])
    usage = shutil.disk_usage(settings.DATA_DIR)
    shows = request.user.has_perm("evaluation.view_chunk")
    teams = Team.objects.filter(created__gte=now - timedelta(days=DAYS)).order_by("-created")
    points = (*_of_queues(queues), *_of_workers(workers), *_of_rows(request), *_of_disk(usage))
    context = {
        **admin.site.each_context(request),
        "title": _("Overview"),
        "points": points,
        "shows": shows,
        "queues": queues,
        "hosts": _hosts(workers, now),
        "workers": [(*pair, served_words(pair[0])) for pair in workers],
        "running": _running() if shows else [],
        "more_running": _more_running() if shows else 0,
        "teams": teams[:MOST_ROWS],
        "teams_count": teams.count(),
        "free": filesizeformat(usage.free),
        "total": filesizeformat(usage.total),
    }
    return render(request, "admin/overview.html", context)


def _queues(living: Sequence[Worker]) -> list[Queue]:
    found = {one.queue: one[1:] for one in queue_lengths()}
    return [
        Queue(name, *found.get(name, (0, 0, None)), sum(name in w.queues for w in living))
        for name in sorted({*settings.QUEUES, *found})
    ]


def _hosts(workers: Sequence[tuple[Worker, bool]], now: datetime) -> list[Host]:
    living: dict[str, int] = defaultdict(int)
    last: dict[str, Worker] = {}
    for worker, lives in workers:
        living[worker.host] += lives
        last[worker.host] = max(worker, last.get(worker.host, worker), key=lambda one: one.seen)
    recent = Chunk.objects.filter(state=ChunkState.DONE).order_by("-pk").values("pk")
    rows = Chunk.objects.filter(
        pk__in=recent[:RECENT_CHUNKS], finished__gt=now - timedelta(hours=1), worked__isnull=False
    ).order_by()
    speeds = {
        host: (runs, worked.total_seconds())
        for host, runs, worked in rows.values_list("host").annotate(Sum("runs"), Sum("worked"))
    }
    return [
        _host(name, living[name], last.get(name), *speeds.get(name, (0, 0.0)))
        for name in sorted({*last, *speeds})
    ]


def _host(name: str, living: int, last: Worker | None, runs: int, seconds: float) -> Host:
    seen = last.seen if last else None
    slots = last.slots if last and living and last.slots else {}
    holders = _holders(slots.get("shares", ()))
    return Host(name, living, seen, runs, seconds, slots, holders)


def _running() -> list[Running]:
    rows = Chunk.objects.filter(state=ChunkState.RUNNING).order_by("host", "claimed", "pk")
    related = rows.select_related(
        "evaluation__submission__entrant", "evaluation__submission__revision__benchmark"
    )
    return [Running.of(chunk) for chunk in related[:MOST_ROWS]]


def _more_running() -> int:
    return max(0, Chunk.objects.filter(state=ChunkState.RUNNING).count() - MOST_ROWS)


def _of_queues(queues: Sequence[Queue]) -> Iterator[Point]:
    for queue in queues:
        if queue.waiting and not queue.workers:
            words = _("Waiting in the queue %(queue)s: %(number)d.")
            yield Point(
                words % {"number": queue.waiting, "queue": queue.words},
                _("No living worker serves this queue."),
                _("Start a worker: manage.py worker"),
                reverse("admin:evaluation_worker_changelist"),
            )


def _of_workers(workers: Sequence[tuple[Worker, bool]]) -> Iterator[Point]:
    silent = [worker for worker, living in workers if not living]
    if silent:
        yield Point(
            SILENT % {"n": len(silent)},
            _("The process or the host has ended: %(workers)s.")
            % {"workers": ", ".join(worker.name for worker in silent)},
            _("Start them again, or read their logs"),
            reverse("admin:evaluation_worker_changelist"),
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows that need an action, on the change list of a model with a query. Without a `reason` it
    is the cause of the newest row."""

    number: int
    words: Any
    action: str
    model: str
    query: str = ""
    reason: str = ""
    rows: QuerySet[Any] | None = None
    page: str = "changelist"

    def point(self, request: HttpRequest) -> Point:
        app, name = self.model.split("_")
        url = reverse(f"admin:{self.model}_{self.page}")
        may = request.user.has_perm(f"{app}.view_{name}")
        return Point(
            self.words % {"n": self.number},
            self.reason or (_cause(self.rows) if may else ""),
            self.action,
            f"{url}?{self.query}" if self.query else url,
        )


def _cause(rows: QuerySet[Any] | None) -> str:
    row = None if rows is None else rows.order_by("-pk").first()
    if row is None:
        return ""
    if isinstance(row, ReferenceVerdict):
        return row.unsound
    return row.why if isinstance(row, Chunk) else in_readers_language(row.cause)


def _of_rows(request: HttpRequest) -> Iterator[Point]:
    counted = (*_of_chunks(), *_of_results(), *_of_tasks())
    yield from (one.point(request) for one in counted if one.number)


def _of_chunks() -> Iterator[Counted]:
    model = "evaluation_chunk"
    lost = Chunk.objects.filter(state=ChunkState.LOST)
    yield Counted(lost.count(), LOST, _("Run them again"), model, "state__exact=lost", rows=lost)
    stuck = stuck_chunks()
    yield Counted(
        stuck.count(),
        STUCK_CHUNKS,
        _("See what they wait for"),
        model,
        "state__exact=running",
        _waits_of(stuck)
        or _("It waits for a slot, for a project's build or for Docker, or its programs hang."),
    )
    yield Counted(
        abandoned_chunks().count(),
        LEFT,
        _("Start it: manage.py reconcile"),
        model,
        "state__exact=running",
        _("The reconciler does not run, or does not reach the database."),
    )
    returned = returned_chunks()
    yield Counted(
        returned.count(),
        *(RETURNED, _("See the causes"), model, "state__exact=waiting"),
        rows=returned,
    )


def _waits_of(stuck: QuerySet[Chunk]) -> str:
    """The reported reasons why the chunks wait."""
    told = (Running.of(chunk).waits for chunk in stuck.exclude(wait=None)[:MOST_ROWS])
    return " ".join(dict.fromkeys(one for one in told if one))


def _of_results() -> Iterator[Counted]:
    unscored = Evaluation.objects.filter(state__in=EvaluationState.moving()).exclude(cause="")
    yield Counted(
        unscored.count(), UNSCORED, _("See the causes"), "evaluation_evaluation", rows=unscored
    )
    suspect = Verdict.objects.filter(
        status=Status.PASSED,
        integrity=Integrity.SUSPECT,
        evaluation__current=True,
    )
    yield Counted(
        suspect.count(),
        *(SUSPECT, _("Decide"), "evaluation_verdict", "integrity__exact=suspect"),
        _("Passes that may be faked do not count until you decide."),
    )
    yield Counted(
        passes_to_review().count(),
        *(SHARED, _("Review them"), "evaluation_verdict"),
        reason=_("They count until you decide."),
        page="desk",
    )
    copies = Copy.objects.filter(state=CopyState.OPEN)
    yield Counted(
        copies.aggregate(submissions=Count("submission", distinct=True))["submissions"],
        *(COPIES, _("Decide"), "submissions_copy", "state__exact=open"),
        _("Publishing waits until you decide."),
    )
    uploads = Upload.objects.filter(state__in=UploadState.moving(), tries__gt=0)
    yield Counted(uploads.count(), UPLOADS, _("See the causes"), "submissions_upload", rows=uploads)


def _of_tasks() -> Iterator[Counted]:
    references = ReferenceVerdict.objects.filter(
        task__exclusion=None, task__revision=F("task__revision__benchmark__current")
    )
    later = ReferenceVerdict.objects.filter(task=OuterRef("task"), seen__gt=OuterRef("seen"))
    unbuilt = references.filter(~Exists(later), name=BUILD)
    yield Counted(
        unbuilt.aggregate(projects=Count("task__project", distinct=True))["projects"],
        *(UNBUILT, _("See the output"), "evaluation_referenceverdict", f"name={BUILD}"),
        rows=unbuilt,
    )
    unsound = ReferenceVerdict.objects.exclude(unsound="").filter(task__exclusion=None)
    yield Counted(
        unsound.aggregate(tasks=Count("task", distinct=True))["tasks"],
        *(UNSOUND, _("Leave them out"), "evaluation_referenceverdict", "tasks=open"),
        _("Tasks that cannot be judged correctly count until you decide."),
    )
    yield Counted(
        statistics_to_review().aggregate(tasks=Count("task", distinct=True))["tasks"],
        *(INVERTED, _("Review them"), "scores_taskstatistics", "tests=open"),
    )


def _of_disk(usage: Any) -> Iterator[Point]:
    if usage.free < LEAST_FREE * usage.total:
        line = _("Only %(free)s of %(total)s are free for the site's data.")
        words = {"free": filesizeformat(usage.free), "total": filesizeformat(usage.total)}
        yield Point(
            line % words,
            _("Superseded evaluations, excerpts, files and logs take room."),
            _("Make room: manage.py prune"),
            f"{reverse('admin:evaluation_evaluation_changelist')}?current__exact=0",
        )

"""One page for operators: the state of queues, workers and stores, and what needs a decision."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import admin
from django.db.models import Exists, F, OuterRef, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy
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
from evaluation.state.progress import QueueLength, queue_lengths
from evaluation.state.rechecks import differing_tasks
from evaluation.state.references import BUILD
from evaluation.state.scheduling import abandoned_chunks, returned_chunks, stuck_chunks
from evaluation.work.review import passes_to_review
from leaderboard.accounts.models import Entrant, Team
from leaderboard.mail.outbox import unsent_mail
from leaderboard.messages import in_readers_language
from leaderboard.scores.models import statistics_to_review
from leaderboard.scores.receipts import RETRY, unsigned
from leaderboard.site_admin.bases import queue_words, served_words
from leaderboard.submissions.models import Copy, Upload, UploadState

DAYS = 7
# Below this share of free space the disk needs attention.
LEAST_FREE = 0.1
# Maximum rows of running chunks and of new teams, and chunks that the speed is computed from.
MOST_ROWS, RECENT_CHUNKS = 50, 2000


class Point(NamedTuple):
    line: str
    reason: str
    action: str
    url: str


def holders_of(shares: Sequence[str]) -> list[tuple[str, int | None]]:
    """The names of the work in slots, with the keys of submissions."""
    matches = ((share, re.fullmatch(r"submission (\d+)", share)) for share in shares)
    return [(share, int(match[1]) if match else None) for share, match in matches]


def running_row(chunk: Chunk) -> dict[str, Any]:
    """A chunk at work, what it waits for, and the holders of the slots that it waits for."""
    wait = chunk.wait or {}
    waits = in_readers_language(wait.get("said", ""))
    return {
        "chunk": chunk,
        "queue": queue_words(chunk.queue),
        "waits": waits,
        "holders": holders_of(wait.get("shares", ())),
        # Before its first verdict, a chunk may be at work without a slot, for example in a build.
        "holds": bool(chunk.judged and not waits),
    }


@admin.site.admin_view
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """A constant number of queries. Causes and chunks only for staff who may see chunks."""
    now = timezone.now()
    silent = now - timedelta(seconds=WORKER_SILENT_SECONDS)
    workers = [(worker, worker.seen >= silent) for worker in Worker.objects.all()]
    lengths = {name: QueueLength(name, 0, 0, None) for name in settings.QUEUES}
    lengths |= {length.queue: length for length in queue_lengths()}
    queues = [
        {
            **length._asdict(),
            "words": queue_words(name),
            "workers": sum(living and name in worker.queues for worker, living in workers),
        }
        for name, length in sorted(lengths.items())
    ]
    usage = shutil.disk_usage(settings.DATA_DIR)
    shows = request.user.has_perm("evaluation.view_chunk")
    running = Chunk.objects.filter(state=ChunkState.RUNNING)
    rows = running.order_by("host", "claimed", "pk").select_related(
        "evaluation__submission__entrant", "evaluation__submission__revision__benchmark"
    )
    teams = Team.objects.filter(created__gte=now - timedelta(days=DAYS)).order_by("-created")
    if not request.user.has_perm("accounts.view_team"):
        teams = teams.none()
    waiting = (*_of_chunks(), *_of_results(), *_of_tasks(), *_of_mail())
    points = [
        *_of_machines(queues, [worker for worker, living in workers if not living]),
        *chain.from_iterable(rows.points(request) for rows in waiting),
    ]
    free, total = filesizeformat(usage.free), filesizeformat(usage.total)
    if usage.free < LEAST_FREE * usage.total:
        line = _("Only %(free)s of %(total)s are free for the site's data.")
        point = Point(
            line % {"free": free, "total": total},
            _("Superseded evaluations, excerpts, files and logs take room."),
            _("Make room: manage.py prune"),
            f"{reverse('admin:evaluation_evaluation_changelist')}?current__exact=0",
        )
        points.append(point)
    context = {
        **admin.site.each_context(request),
        "title": _("Overview"),
        "points": points,
        "shows": shows,
        "queues": queues,
        "hosts": _hosts(workers, now),
        "workers": [(*pair, served_words(pair[0])) for pair in workers],
        "running": [running_row(chunk) for chunk in rows[:MOST_ROWS]] if shows else [],
        "more_running": max(0, running.count() - MOST_ROWS) if shows else 0,
        "teams": teams[:MOST_ROWS],
        "teams_count": teams.count(),
        "free": free,
        "total": total,
    }
    return render(request, "admin/overview.html", context)


def _hosts(workers: Sequence[tuple[Worker, bool]], now: datetime) -> list[dict[str, Any]]:
    """By host what its workers did in the last hour, and the slots of the last heartbeat."""
    living = Counter(worker.host for worker, lives in workers if lives)
    last = {row.host: row for row, _lives in sorted(workers, key=lambda pair: pair[0].seen)}
    recent = Chunk.objects.filter(state=ChunkState.DONE).order_by("-pk").values("pk")
    rows = Chunk.objects.filter(
        pk__in=recent[:RECENT_CHUNKS], finished__gt=now - timedelta(hours=1), worked__isnull=False
    ).order_by()
    speeds = {
        host: (runs, worked.total_seconds())
        for host, runs, worked in rows.values_list("host").annotate(Sum("runs"), Sum("worked"))
    }
    hosts = []
    for name in sorted({*last, *speeds}):
        newest = last.get(name)
        slots = (newest and living[name] and newest.slots) or {}
        runs, seconds = speeds.get(name, (0, 0.0))
        hosts.append(
            {
                "name": name,
                "workers": living[name],
                "seen": newest.seen if newest else None,
                "runs": runs,
                "per_run": seconds / runs if runs else None,
                "slots": slots,
                "holders": holders_of(slots.get("shares", ())),
            }
        )
    return hosts


def _of_machines(queues: Sequence[Mapping[str, Any]], silent: Sequence[Worker]) -> Iterator[Point]:
    url = reverse("admin:evaluation_worker_changelist")
    for queue in queues:
        if queue["waiting"] and not queue["workers"]:
            words = _("Waiting in the queue %(queue)s: %(number)d.")
            yield Point(
                words % {"number": queue["waiting"], "queue": queue["words"]},
                _("No living worker serves this queue."),
                _("Start a worker: manage.py worker"),
                url,
            )
    if silent:
        line = ngettext("%(n)d worker is silent.", "%(n)d workers are silent.", len(silent))
        ended = _("The process or the host has ended: %(workers)s.")
        yield Point(
            line % {"n": len(silent)},
            ended % {"workers": ", ".join(worker.name for worker in silent)},
            _("Start them again, or read their logs"),
            url,
        )


@dataclass(frozen=True, slots=True)
class WaitingRows:
    """Rows that need an action, on the change list of a model with a query. They are counted by
    the values of `distinct`, if it is set. Without a `reason` it is the cause of the newest row."""

    rows: QuerySet[Any]
    words: Any
    action: str
    model: str
    query: str = ""
    reason: str | None = None
    distinct: str = ""
    page: str = "changelist"

    def points(self, request: HttpRequest) -> Iterator[Point]:
        rows = self.rows.order_by().values(self.distinct).distinct() if self.distinct else self.rows
        if not (number := rows.count()):
            return
        app, name = self.model.split("_")
        reason = self.reason or ""
        if self.reason is None and request.user.has_perm(f"{app}.view_{name}"):
            row = self.rows.order_by("-pk").first()
            if isinstance(row, ReferenceVerdict):
                reason = row.unsound
            elif row is not None:
                reason = row.why if isinstance(row, Chunk) else in_readers_language(row.cause)
        url = reverse(f"admin:{self.model}_{self.page}")
        url = f"{url}?{self.query}" if self.query else url
        yield Point(self.words % {"n": number}, reason, self.action, url)


def _of_chunks() -> Iterator[WaitingRows]:
    model = "evaluation_chunk"
    yield WaitingRows(
        Chunk.objects.filter(state=ChunkState.LOST),
        ngettext_lazy("%(n)d chunk is lost.", "%(n)d chunks are lost.", "n"),
        *(_("Run them again"), model, "state__exact=lost"),
    )
    stuck = stuck_chunks()
    waits = (running_row(chunk)["waits"] for chunk in stuck.exclude(wait=None)[:MOST_ROWS])
    yield WaitingRows(
        stuck,
        ngettext_lazy(
            "%(n)d chunk runs and has no verdict yet.",
            "%(n)d chunks run and have no verdict yet.",
            "n",
        ),
        *(_("See what they wait for"), model, "state__exact=running"),
        " ".join(dict.fromkeys(filter(None, waits)))
        or _("It waits for a slot, for a project's build or for Docker, or its programs hang."),
    )
    yield WaitingRows(
        abandoned_chunks(),
        ngettext_lazy(
            "%(n)d chunk has lost its worker and is not taken back.",
            "%(n)d chunks have lost their worker and are not taken back.",
            "n",
        ),
        *(_("Start it: manage.py reconcile"), model, "state__exact=running"),
        _("The reconciler does not run, or does not reach the database."),
    )
    yield WaitingRows(
        returned_chunks(),
        ngettext_lazy(
            "%(n)d chunk waits after a failure.", "%(n)d chunks wait after a failure.", "n"
        ),
        *(_("See the causes"), model, "state__exact=waiting"),
    )


def _of_results() -> Iterator[WaitingRows]:
    yield WaitingRows(
        Evaluation.objects.filter(state__in=EvaluationState.moving()).exclude(cause=""),
        ngettext_lazy(
            "%(n)d evaluation could not be scored.", "%(n)d evaluations could not be scored.", "n"
        ),
        *(_("See the causes"), "evaluation_evaluation"),
    )
    yield WaitingRows(
        Verdict.objects.filter(
            status=Status.PASSED, integrity=Integrity.SUSPECT, evaluation__current=True
        ),
        ngettext_lazy("%(n)d pass is under review.", "%(n)d passes are under review.", "n"),
        *(_("Decide"), "evaluation_verdict", "integrity__exact=suspect"),
        _("Passes that may be faked do not count until you decide."),
    )
    yield WaitingRows(
        passes_to_review(),
        ngettext_lazy(
            "%(n)d pass of a shared process waits for a review.",
            "%(n)d passes of shared processes wait for a review.",
            "n",
        ),
        *(_("Review them"), "evaluation_verdict", "", _("They count until you decide.")),
        page="desk",
    )
    yield WaitingRows(
        Entrant.objects.waiting().filter(submissions__evaluations__state=EvaluationState.DONE),
        ngettext_lazy(
            "%(n)d name looks like a published one.", "%(n)d names look like published ones.", "n"
        ),
        *(_("Decide"), "accounts_entrant", "name=waits", _("Publishing waits until you decide.")),
        distinct="pk",
    )
    yield WaitingRows(
        Copy.objects.waiting(),
        ngettext_lazy(
            "%(n)d submission may be a copy of another team's.",
            "%(n)d submissions may be copies of other teams'.",
            "n",
        ),
        *(_("Decide"), "submissions_copy", "decision=waits"),
        _("Those that are held are not published until you decide."),
        distinct="submission",
    )
    yield WaitingRows(
        unsigned().filter(finished__lt=timezone.now() - RETRY),
        ngettext_lazy(
            "%(n)d published result has no receipt.",
            "%(n)d published results have no receipt.",
            "n",
        ),
        *(_("See the results"), "evaluation_evaluation", "current__exact=1&state__exact=done"),
        _("The workers' log says why, for example that this host lacks the key of receipts."),
    )
    yield WaitingRows(
        Upload.objects.filter(state__in=UploadState.moving(), tries__gt=0),
        ngettext_lazy(
            "%(n)d upload failed on our side and is tried again.",
            "%(n)d uploads failed on our side and are tried again.",
            "n",
        ),
        *(_("See the causes"), "submissions_upload"),
    )


def _of_tasks() -> Iterator[WaitingRows]:
    model = "evaluation_referenceverdict"
    references = ReferenceVerdict.objects.filter(task__exclusion=None)
    later = ReferenceVerdict.objects.filter(task=OuterRef("task"), seen__gt=OuterRef("seen"))
    current = references.filter(task__revision=F("task__revision__benchmark__current"))
    yield WaitingRows(
        current.filter(~Exists(later), name=BUILD),
        ngettext_lazy(
            "%(n)d project could not be built.", "%(n)d projects could not be built.", "n"
        ),
        *(_("See the output"), model, f"name={BUILD}"),
        distinct="task__project",
    )
    yield WaitingRows(
        references.exclude(unsound=""),
        ngettext_lazy(
            "%(n)d unsound task is not left out.", "%(n)d unsound tasks are not left out.", "n"
        ),
        *(_("Leave them out"), model, "tasks=open"),
        _("Tasks that cannot be judged correctly count until you decide."),
        distinct="task",
    )
    yield WaitingRows(
        differing_tasks(),
        ngettext_lazy(
            "Verdicts on %(n)d task differ when they are given again.",
            "Verdicts on %(n)d tasks differ when they are given again.",
            "n",
        ),
        *(_("See the tasks"), "evaluation_recheckedtask", ""),
        _("Tests that depend on chance, time or order count until you leave the task out."),
    )
    yield WaitingRows(
        statistics_to_review(),
        ngettext_lazy(
            "Weak entrants solve %(n)d task more often than strong ones: its tests may be wrong.",
            "Weak entrants solve %(n)d tasks more often than strong ones: their tests may be "
            "wrong.",
            "n",
        ),
        *(_("Review them"), "scores_taskstatistics", "tests=open", ""),
        distinct="task",
    )


def _of_mail() -> Iterator[WaitingRows]:
    yield WaitingRows(
        unsent_mail(),
        ngettext_lazy("%(n)d message was not sent.", "%(n)d messages were not sent.", "n"),
        *(_("See the causes"), "mail_outgoingmail", ""),
        _("The notifier does not run, its settings are wrong, or the mail server refuses them."),
    )


urlpatterns = [path("overview/", overview, name="admin-overview")]

"""`manage.py prune`: finds and removes data that no page shows any more: superseded evaluations,
expired excerpts and files of uploads, and the older part of long logs."""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.template.defaultfilters import filesizeformat

from evaluation.models import Chunk, Evaluation, EvaluationState, Forecast, Verdict, VerdictOutput
from evaluation.work.chunks import forget_outputs
from leaderboard.scores.models import Score, Standing, TaskResult
from leaderboard.submissions.intake import expired_uploads, forget_files

DAYS = 30
# Rows deleted in one transaction, so that nobody waits long.
PART = 5_000
LOG_BYTES, LOG_KEPT_BYTES = 10 * 2**20, 2**20


class Command(BaseCommand):
    help = (
        "Lists superseded evaluations, expired excerpts and files, and long logs, with their room. "
        "Removes them with --yes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=int, default=DAYS,
            help="keep evaluations that were superseded in the last DAYS; default: %(default)s",
        )  # fmt: skip
        parser.add_argument("--yes", action="store_true", help="remove them; there is no way back")

    def handle(self, *_args: Any, **options: Any) -> None:
        removals = removable(options["days"])
        for removal in removals:
            room = "" if removal.room is None else f", about {filesizeformat(removal.room)}"
            self.stdout.write(f"{removal.number:,} {removal.kind}{room}")
        room = filesizeformat(sum(removal.room or 0 for removal in removals))
        self.stdout.write(f"Together about {room}.")
        if not options["yes"]:
            self.stdout.write("Nothing was removed. Run it again with --yes to remove all this.")
            return
        for sentence in remove(options["days"]):
            self.stdout.write(sentence)
        self.stdout.write(
            "Done. New rows use the room again; only VACUUM FULL returns it to the disk."
        )


@dataclass(frozen=True, slots=True)
class Removal:
    """The `room` is in bytes; None if the database does not report it."""

    kind: str
    number: int
    room: int | None


def superseded(days: int) -> QuerySet[Evaluation]:
    """Evaluations that another one replaced, or that were cancelled next to one, `days` ago."""
    over = (*EvaluationState.scored(), EvaluationState.CANCELLED)
    shown = Standing.objects.values("evaluation")
    old = Evaluation.objects.filter(finished__lt=Now() - timedelta(days=days))
    return old.filter(current=False, state__in=over).exclude(pk__in=shown)


def removable(days: int) -> list[Removal]:
    evaluations = superseded(days)
    # Excerpts go with their verdicts, also before they expire.
    with_verdicts = Q(verdict__evaluation__in=evaluations)
    outputs = VerdictOutput.objects.filter(VerdictOutput.EXPIRED | with_verdicts)
    # The uploads of a zip share its file.
    by_name = {upload.file.name: upload.file for upload in expired_uploads()}
    files = [file.size for name, file in by_name.items() if file.storage.exists(name or "")]
    logs = _long_logs()
    return [
        Removal("superseded evaluations", evaluations.count(), None),
        *(_counted(rows) for rows in _parts_of(evaluations)),
        _counted(outputs),
        Removal("expired files of uploads", len(files), sum(files)),
        Removal("long logs", len(logs), sum(p.stat().st_size - LOG_KEPT_BYTES for p in logs)),
    ]


def remove(days: int) -> Iterator[str]:
    """Removes what `removable` lists, in short transactions. Yields a sentence after each step.
    Safe to interrupt and to run again."""
    for evaluation in superseded(days).order_by("pk"):
        for rows in _parts_of(Evaluation.objects.filter(pk=evaluation.pk)):
            while part := list(rows.order_by("pk").values_list("pk", flat=True)[:PART]):
                with transaction.atomic():
                    rows.model._default_manager.filter(pk__in=part).delete()
        Evaluation.objects.filter(pk=evaluation.pk).delete()
        yield f"Removed the superseded evaluation {evaluation.pk}."
    yield f"Removed {forget_outputs()} expired excerpts and {forget_files()} files of uploads."
    for path in _long_logs():
        # Keeps the end of the log. Programs append to their logs, so they continue after the kept
        # part.
        with path.open("r+b") as log:
            log.seek(-LOG_KEPT_BYTES, 2)
            rest = log.read().partition(b"\n")[2]
            log.seek(0)
            log.write(rest)
            log.truncate()
        yield f"Kept the last {LOG_KEPT_BYTES:,} bytes of {path.name}."


def _parts_of(evaluations: QuerySet[Evaluation]) -> list[QuerySet[models.Model]]:
    """The rows that are deleted before their evaluations."""
    results = (TaskResult.with_replaced, Score.with_replaced)
    managers = (Verdict.objects, *results, Chunk.objects, Forecast.objects)
    return [manager.filter(evaluation__in=evaluations) for manager in managers]


def _counted(rows: QuerySet[models.Model]) -> Removal:
    meta, number, every = rows.model._meta, rows.count(), rows.model._base_manager.count()
    # Bytes of the table with its indexes.
    query = "SELECT pg_total_relation_size(%s)"
    if connection.vendor == "sqlite":
        query = "SELECT SUM(pgsize) FROM dbstat JOIN sqlite_schema USING (name) WHERE tbl_name = %s"
    try:
        with connection.cursor() as cursor:
            cursor.execute(query, [meta.db_table])
            size = int(cursor.fetchone()[0] or 0)
        room = round(size * number / every) if every else 0
    except DatabaseError:  # SQLite may be built without dbstat.
        room = None
    return Removal(str(meta.verbose_name_plural), number, room)


def _long_logs() -> list[Path]:
    logs = sorted(settings.LOG_DIR.glob("*.log"))
    return [path for path in logs if path.stat().st_size > LOG_BYTES]

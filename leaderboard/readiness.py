"""`/ready/`: whether the site can serve people now, for load balancers and monitors."""

import logging
from datetime import timedelta
from pathlib import Path

import redis
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.models import Worker
from evaluation.state.expected_end import WORKER_SILENT_SECONDS
from leaderboard.healthy import storage_is_writable

log = logging.getLogger(__name__)

QUEUE_SECONDS = 2
# Seconds for which a process repeats its answer, because anyone may ask.
REPEATED_SECONDS = 5


def _works(part: str) -> bool:
    if part == "queue":
        url = str(settings.RQ_QUEUES["intake"]["URL"])
        with redis.Redis.from_url(url, socket_timeout=QUEUE_SECONDS) as client:
            return bool(client.ping())
    if part == "storage":
        return storage_is_writable(Path(settings.MEDIA_ROOT))
    if part == "worker":
        since = timezone.now() - timedelta(seconds=WORKER_SILENT_SECONDS)
        return Worker.objects.filter(seen__gt=since).exists()
    if part == "database":
        return bool(connection.introspection.table_names())
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _failed_parts() -> list[str]:
    failed = []
    for part in ("database", "queue", "migrations", "storage", "worker"):
        try:
            works = _works(part)
        except Exception:  # Whatever a part raises, it does not work.
            log.exception("The check of the %s failed", part)
            works = False
        if not works:
            failed.append(part)
    return failed


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - every view has one
    """Returns 200, or 503 with a line for each part that fails. The log has the reasons."""
    failed = cache.get_or_set("ready", _failed_parts, REPEATED_SECONDS)
    text = "".join(f"{part}: failed\n" for part in failed or []) or "ok\n"
    return HttpResponse(text, content_type="text/plain", status=503 if failed else 200)

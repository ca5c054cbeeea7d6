"""`/ready/`: whether the site can serve people now, for load balancers and monitors."""

from __future__ import annotations

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
from leaderboard.healthy import storage_is_writable

log = logging.getLogger(__name__)

WORKER_SECONDS, QUEUE_SECONDS = 60, 2
# Seconds for which a process repeats its answer, because anyone may ask.
REPEATED_SECONDS = 5


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - every view has one
    """Returns 200, or 503 with a line for each part that fails. The log has the reasons."""
    failed = cache.get_or_set("ready", _failed_parts, REPEATED_SECONDS)
    text = "".join(f"{part}: failed\n" for part in failed or []) or "ok\n"
    return HttpResponse(text, content_type="text/plain", status=503 if failed else 200)


def _failed_parts() -> list[str]:
    def database() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True

    def queue() -> bool:
        url = str(settings.RQ_QUEUES["intake"]["URL"])
        with redis.Redis.from_url(url, socket_timeout=QUEUE_SECONDS) as client:
            return bool(client.ping())

    def migrations() -> bool:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())

    def storage() -> bool:
        return storage_is_writable(Path(settings.MEDIA_ROOT))

    def worker() -> bool:
        since = timezone.now() - timedelta(seconds=WORKER_SECONDS)
        return Worker.objects.filter(seen__gt=since).exists()

    failed = []
    for check in (database, queue, migrations, storage, worker):
        try:
            works = check()
        except Exception:  # Whatever a part raises, it does not work.
            log.exception("The check of the %s failed", check.__name__)
            works = False
        if not works:
            failed.append(check.__name__)
    return failed

"""The processes of an installation, and how each is started."""

import socket
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from evaluation.models import Worker
from evaluation.state.expected_end import WORKER_SILENT_SECONDS
from evaluation.supervision import Program
from evaluation.valkey import embedded_valkey
from evaluation.work.bells import GENERATION, INTAKE, SCORING
from leaderboard.healthy import healthy

# Time for a stopping worker to give back its work.
WORKER_GRACE_SECONDS = 20.0
# The threads of the pages and of a desk's other uploads, the reconciler, the supervisor. A worker
# holds one connection, and for a moment a second one when it renews its lease. Each host's
# supervisor holds one.
SITE_CONNECTIONS, CONNECTIONS_PER_WORKER = 17, 2
# Queues of site work, with a process each: neither waits behind generations or behind the other.
DESK = {"desk": (INTAKE,), "scorer": (SCORING,)}
_MANAGE = (sys.executable, str(settings.BASE_DIR / "manage.py"))


def worker_queues(processes: int, *, desk: bool = True) -> dict[str, tuple[str, ...]]:
    """Queues by worker. With several workers, at least one skips the long repository work. Without
    `desk` no worker reads or writes the uploads directory."""
    site_work = (INTAKE, SCORING, GENERATION)
    judging = tuple(queue for queue in settings.QUEUES if queue not in site_work)
    quick = tuple(queue for queue in judging if queue != "repository")
    names = {f"worker-{number}": judging for number in range(1, processes + 1)}
    if processes > 1:
        names["worker-1"] = quick
    if not desk:
        return names
    # Askers spend nearly all their time waiting for remote endpoints and need no processor each. If
    # they judge turns, they share the host's slots.
    asking = {f"asker-{number + 1}": (GENERATION,) for number in range(settings.ENDPOINT_RUNS)}
    return DESK | names | asking


def worker_programs(queues: Mapping[str, Sequence[str]]) -> list[Program]:
    return [
        Program(
            name=name,
            command=[*_MANAGE, "queue_worker", name, *listened],
            grace_seconds=WORKER_GRACE_SECONDS,
        )
        for name, listened in queues.items()
    ]


def site_programs(queues: Mapping[str, Sequence[str]], bind: str, port: int) -> list[Program]:
    """Starts the embedded queue unless the settings name another. Raises ValkeyError."""
    embedded = [embedded_valkey(settings.VALKEY_DIR)] if settings.EMBEDDED_QUEUE else []
    host = "127.0.0.1" if bind == "0.0.0.0" else bind  # noqa: S104
    web = Program(
        name="web",
        command=web_command(bind, port),
        ready_seconds=60,
        ready=lambda: healthy(host, port, settings.ALLOWED_HOSTS),
    )
    reconciler = Program(name="reconciler", command=[*_MANAGE, "reconcile"])
    notifier = Program(name="notifier", command=[*_MANAGE, "notifier"], grace_seconds=20)
    return [*embedded, reconciler, notifier, *worker_programs(queues), web]


def web_command(bind: str, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "leaderboard.wsgi"),
        *("--bind", f"{bind}:{port}"),
        *("--worker-class", "gthread", "--workers", "2", "--threads", "4"),
        # Large uploads take time; a stuck thread ends with its worker.
        *("--timeout", "300", "--graceful-timeout", "10", "--worker-tmp-dir", "/dev/shm"),  # noqa: S108
        # Longer than clients reuse an idle connection: a request that meets its end is lost.
        *("--keep-alive", "15"),
        # The control socket would be in the user's home, the same for every installation.
        "--no-control-socket",
        *("--config", "python:leaderboard.settings"),  # reads logconfig_dict alone
        *("--chdir", str(settings.BASE_DIR)),
    ]


def too_few_connections(workers: int) -> str:
    """A warning if PostgreSQL's connections may not suffice with this host's workers."""
    if connection.vendor != "postgresql":
        return ""
    others = Worker.objects.exclude(host=socket.gethostname())
    live_workers = others.filter(seen__gt=Now() - timedelta(seconds=WORKER_SILENT_SECONDS))
    hosts = live_workers.values("host").distinct().count() + 1
    need = SITE_CONNECTIONS + hosts + CONNECTIONS_PER_WORKER * (live_workers.count() + workers)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('max_connections')::int"
            " - current_setting('superuser_reserved_connections')::int"
        )
        (allowed,) = cursor.fetchone()
    if need <= allowed:
        return ""
    return (
        f"PostgreSQL allows {allowed} connections, and the workers of {hosts} hosts with the pages "
        f"may need {need}. Raise max_connections, or start fewer workers with --processes. See "
        "docs/operators/hosts.md."
    )

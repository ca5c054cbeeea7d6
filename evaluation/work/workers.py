"""The rq worker of an installation, the jobs that it runs, and the heartbeats by which pages count
workers."""

import os
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import rq
from django.db import close_old_connections
from django.utils import timezone
from rq.job import Job
from rq.worker import DequeueStrategy

from evaluation.engine.sandbox.slots import Slots
from evaluation.models import Worker
from leaderboard.logs import Lines

_NAMES = "check_upload store_upload generate chunk recheck score campaign board sign"
JOBS = frozenset(f"evaluation.jobs.{name}" for name in _NAMES.split())


class HorseWorker(rq.Worker):
    """Passes a shutdown request on to its work horse, which gives its work back."""

    def work(self, *args: Any, **options: Any) -> bool:
        """In turn: with fixed priorities, function jobs could block projects for ever."""
        options["dequeue_strategy"] = DequeueStrategy.ROUND_ROBIN
        return super().work(*args, **options)

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]  # rq has none
        if self.horse_pid:
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)


def worker_name(program: str) -> str:
    return f"{socket.gethostname()}-{program}"


def note_living(programs: Sequence[str], queues: Mapping[str, Sequence[str]]) -> None:
    """A supervisor's tick. `queues` is by program name."""
    close_old_connections()
    now, host = timezone.now(), socket.gethostname()
    try:
        slots: Any = dict(zip(("count", "used", "shares"), Slots().in_use(), strict=True))
    except OSError:
        slots = None
    for program in programs:
        if listened := queues.get(program):
            columns = {"host": host, "queues": list(listened), "seen": now, "slots": slots}
            Worker.objects.update_or_create(
                name=worker_name(program),
                defaults=columns,
                create_defaults={**columns, "started": now},
            )


class ForeignJob(Exception):
    """The queue holds a job that this site never enqueues."""


class SiteJob(Job):
    @property
    def func(self) -> Callable[..., Any]:
        if self.func_name not in JOBS or self.instance is not None:
            raise ForeignJob(f"{self.func_name!r} is no job of this site.")
        function: Callable[..., Any] = super().func
        return function

    def perform(self) -> Any:
        """Lines of the log carry the id of the request that led to the job."""
        Lines.of_job = str(self.meta.get("request", ""))
        return super().perform()

    def restore(self, raw_data: Any) -> None:
        """Drops callbacks, which name further functions, and webhooks, which name any address."""
        super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = None
        self._stopped_callback_name, self.webhooks = None, []

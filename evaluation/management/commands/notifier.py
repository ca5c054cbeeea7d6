"""`manage.py notifier`: sends the site's mail, and teams' events to their webhooks."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connections

from leaderboard.mail.outbox import send_waiting
from leaderboard.mail.webhooks import deliver_waiting

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0


class Command(BaseCommand):
    help = "Sends the mail and the events that wait in the database, until it is stopped."

    def handle(self, *_args: Any, **_options: Any) -> None:
        stop = threading.Event()
        # What is being sent is sent and noted first.
        for which in (signal.SIGTERM, signal.SIGINT):
            signal.signal(which, lambda *_: stop.set())
        # In a thread of its own: a receiver that hangs must not hold up mail.
        events = threading.Thread(target=_repeat, args=(deliver_waiting, stop))
        events.start()
        _repeat(partial(send_waiting, stop), stop)
        events.join()


def _repeat(step: Callable[[], int], stop: threading.Event) -> None:
    try:
        while not stop.is_set():
            try:
                step()
            except DatabaseError:
                log.exception("The database does not answer")
                connections.close_all()
            close_old_connections()
            stop.wait(LOOK_SECONDS)
    finally:
        # After a fault in one of both, the process ends, and is started again.
        stop.set()

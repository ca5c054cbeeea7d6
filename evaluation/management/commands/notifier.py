"""`manage.py notifier`: sends the site's mail."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connections

from leaderboard.mail.outbox import send_waiting

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0


class Command(BaseCommand):
    help = "Sends the mail that waits in the database, until it is stopped."

    def handle(self, *_args: Any, **_options: Any) -> None:
        stop = threading.Event()
        # The message at hand is sent and deleted first.
        for which in (signal.SIGTERM, signal.SIGINT):
            signal.signal(which, lambda *_: stop.set())
        while not stop.is_set():
            try:
                send_waiting(stop)
            except DatabaseError:
                log.exception("The database does not answer")
                connections.close_all()
            close_old_connections()
            stop.wait(LOOK_SECONDS)

"""`manage.py notifier`: sends the site's mail, and teams' events to their webhooks."""

import logging
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connections

from leaderboard.mail.outbox import send_waiting
from leaderboard.mail.webhooks import deliver_waiting

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
ENDS = (signal.SIGTERM, signal.SIGINT)


class Command(BaseCommand):
    help = "Sends the mail and the events that wait in the database, until it is stopped."

    def handle(self, *_args: Any, **_options: Any) -> None:
        stop = threading.Event()

        def repeat(step: Callable[[], int]) -> None:
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

        # Waited for, not handled: a handler that sets an event may interrupt the thread that holds
        # the event's lock, and then waits for ever. The threads below start with this mask.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        # Each in a thread of its own: a receiver that hangs must not hold up mail.
        with ThreadPoolExecutor() as threads:
            steps = (partial(send_waiting, stop), deliver_waiting)
            loops = [threads.submit(repeat, step) for step in steps]
            while not (stop.is_set() or signal.sigtimedwait(ENDS, LOOK_SECONDS)):
                pass
            # What is being sent is sent and noted first.
            stop.set()
        for loop in loops:
            loop.result()

"""`manage.py reconcile`: the reconciler, which repairs dropped work."""

import logging
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone

from evaluation.work.chunks import forget_outputs
from evaluation.work.reconciling import forget_sessions, forget_workers, reconcile
from leaderboard.accounts.teams import forget_invitations
from leaderboard.api.once import forget_answers
from leaderboard.boards.means import store_means
from leaderboard.generation.runs import forget_journals
from leaderboard.mail.outbox import forget_given_up
from leaderboard.mail.webhooks import forget_deliveries
from leaderboard.pages.boards.stored_charts import outdated_boards
from leaderboard.pages.caching import public_changes
from leaderboard.submissions.intake import forget_files, forget_orphans

log = logging.getLogger(__name__)

TIDY_SECONDS = 3600
# Seconds between two searches for outdated charts.
CHARTS_SECONDS = 60
_CHECKED = "reconcile.charts"


class Command(BaseCommand):
    help = "Finds work that stopped half-way, again and again, and restarts it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="look once and exit")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(f"{reconcile()} jobs announced")
            list(storing_charts())
            return
        tidied, looked = 0.0, 0.0
        charts: Iterator[None] = iter(())
        while True:
            try:
                reconcile()
                if next(charts, "ended") == "ended" and time.monotonic() - looked > CHARTS_SECONDS:
                    charts, looked = storing_charts(), time.monotonic()
                if time.monotonic() - tidied > TIDY_SECONDS or not tidied:
                    tidied = time.monotonic()
                    tidy()
            except DatabaseError:
                # It may be restarting; all waiting rows are found again at the next pass.
                log.exception("The database does not answer")
                connections.close_all()
            close_old_connections()
            time.sleep(settings.RECONCILE_SECONDS)


def tidy() -> None:
    """Deletes what nobody needs any more."""
    forget_files()
    forget_given_up()
    forget_deliveries()
    forget_orphans()
    forget_journals()
    forget_outputs()
    forget_invitations()
    forget_answers()
    forget_sessions()
    forget_workers()


def storing_charts() -> Iterator[None]:
    """Stores the means, and the charts of boards that changed without being made again, so that no
    request computes them; yields after each board. Looks only after a public change, and daily."""
    changes = (public_changes(), timezone.localdate())
    if cache.get(_CHECKED) == changes:
        return

    def steps() -> Iterator[tuple[str, Callable[[], object]]]:
        yield "The means", store_means
        for board in outdated_boards():
            # Imports pandas and plotly, which nothing else here needs.
            from leaderboard.pages.boards.board_charts import store

            yield f"The charts of board {board.pk}", partial(store, board)

    for what, step in steps():
        try:
            step()
        except DatabaseError:
            raise
        except Exception:  # A fault in one step must not hold up the others.
            log.exception("%s could not be stored", what)
        yield
    cache.set(_CHECKED, changes, None)

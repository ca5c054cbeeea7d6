"""`manage.py reconcile`: the reconciler, which repairs dropped work."""

from __future__ import annotations

import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connections

from evaluation.work.chunks import forget_outputs
from evaluation.work.reconciling import forget_workers, reconcile
from leaderboard.generation.runs import forget_journals
from leaderboard.submissions.intake import forget_files

log = logging.getLogger(__name__)

TIDY_SECONDS = 3600


class Command(BaseCommand):
    help = "Finds work that stopped half-way, again and again, and restarts it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="look once and exit")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(f"{reconcile()} jobs announced")
            return
        tidied = 0.0
        while True:
            try:
                reconcile()
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
    forget_files()
    forget_journals()
    forget_outputs()
    forget_workers()

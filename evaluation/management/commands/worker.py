"""`manage.py worker`: workers on a further machine."""

import sys
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from evaluation.supervision import Supervisor
from evaluation.valkey import answers
from evaluation.work import installation
from evaluation.work.workers import note_living


class Command(BaseCommand):
    help = "Runs workers on this machine for an installation on another host until you stop it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--processes", type=int, default=settings.WORKERS,
            help="the number of workers; default: %(default)s",
        )  # fmt: skip
        parser.add_argument(
            "--no-desk", action="store_true",
            help="only judge: this machine then shares no uploads directory with the pages",
        )  # fmt: skip

    def handle(self, *_args: Any, **options: Any) -> None:
        embedded = settings.EMBEDDED_QUEUE and answers(settings.VALKEY_SOCKET)
        if connection.vendor == "sqlite" and not embedded:
            raise CommandError(
                "SQLite is a file of one machine: a worker on another machine cannot use it. Set "
                "DATABASE_URL to the installation's PostgreSQL and ASSAY_VALKEY_URL to its queue; "
                "on the same machine, start `manage.py up` first. See docs/operators/hosts.md."
            )
        queues = installation.worker_queues(options["processes"], desk=not options["no_desk"])
        if warning := installation.too_few_connections(len(queues)):
            self.stderr.write(warning)
        programs, tick = installation.worker_programs(queues), partial(note_living, queues=queues)
        sys.exit(Supervisor(programs, tick=tick).wait())

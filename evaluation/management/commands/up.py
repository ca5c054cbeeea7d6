"""`manage.py up`: a whole installation on one machine."""

import fcntl
import os
import sys
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from evaluation.supervision import Supervisor
from evaluation.valkey import ValkeyError
from evaluation.work import installation
from evaluation.work.workers import note_living
from leaderboard.healthy import port_is_free


class Command(BaseCommand):
    help = "Runs the pages, the queue, the workers and the reconciler until you stop it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1", help="address; default: %(default)s")
        parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")
        parser.add_argument(
            "--processes", type=int, default=settings.WORKERS,
            help="workers that judge; default: %(default)s, one more than processors",
        )  # fmt: skip

    def handle(self, *_args: Any, **options: Any) -> None:
        settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Held until this process ends, even if it is killed.
        lock = os.open(settings.DATA_DIR / "up.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"An installation already runs in {settings.DATA_DIR}. Stop it, or set "
                "ASSAY_DATA_DIR to another directory."
            ) from None
        if not port_is_free(options["bind"], options["port"]):
            raise CommandError(
                f"Another program listens on {options['bind']}:{options['port']}. Choose another "
                "port with --port."
            )
        self._say("bringing the database up to date")
        call_command("migrate", interactive=False, verbosity=0)
        self._say("collecting static files")
        call_command("collectstatic", interactive=False, verbosity=0)
        queues = installation.worker_queues(options["processes"])
        if warning := installation.too_few_connections(len(queues)):
            self.stderr.write(warning)
        try:
            programs = installation.site_programs(queues, options["bind"], options["port"])
        except ValkeyError as error:
            raise CommandError(str(error)) from None
        self._say(f"starting; the logs are in {settings.LOG_DIR}")
        self._say(f"the pages: http://{options['bind']}:{options['port']}/ (stop with Ctrl-C)")
        tick = partial(note_living, queues=queues)
        status = Supervisor(programs, logs=settings.LOG_DIR, tick=tick).wait()
        os.close(lock)
        sys.exit(status)

    def _say(self, text: str) -> None:
        self.stdout.write(f"up: {text}")
        self.stdout.flush()

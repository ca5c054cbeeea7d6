"""One worker process; `up` and `worker` run as many as there are to be."""

from __future__ import annotations

import gc
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections
from django_rq.workers import get_worker

# Imported before work horses are forked, so that none has to do so again.
from evaluation import jobs as _jobs  # noqa: F401
from evaluation.work.workers import HorseWorker, worker_name


class Command(BaseCommand):
    help = "Runs one worker on some queues. Use `up` or `worker`, which keep it running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="of this process among those of the host")
        parser.add_argument("queues", nargs="+", help="in order of precedence")

    def handle(self, *_args: Any, **options: Any) -> None:
        # django-rq gives a queue's serializer to the queue alone.
        serializer = settings.RQ_QUEUES[options["queues"][0]]["SERIALIZER"]
        worker = get_worker(*options["queues"], worker_class=HorseWorker, serializer=serializer)
        # A name that its predecessor, killed, still seems to hold would be refused.
        worker.name = f"{worker_name(options['name'])}-{worker.name[:8]}"
        # What forks must not share a connection.
        connections.close_all()
        # What is imported stays: no work horse searches it for garbage, which takes it 0.2 s of
        # processor time, at times in a transaction that others wait for.
        gc.freeze()
        worker.work(logging_level="WARNING")

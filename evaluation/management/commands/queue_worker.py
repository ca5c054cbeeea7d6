"""`manage.py queue_worker`: one worker process, as `up` and `worker` start it."""

import gc
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections
from django_rq.workers import get_worker

# Imported before work horses are forked, so that none of them has to import it.
from evaluation import jobs as _jobs  # noqa: F401
from evaluation.work.workers import HorseWorker, worker_name


class Command(BaseCommand):
    help = "Runs one worker on some queues. Use `up` or `worker`, which keep it running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the number of this process among the host's workers")
        parser.add_argument("queues", nargs="+", help="the queues, which take turns")

    def handle(self, *_args: Any, **options: Any) -> None:
        # django-rq passes a queue's serializer to the queue, but not to the worker.
        serializer = settings.RQ_QUEUES[options["queues"][0]]["SERIALIZER"]
        worker = get_worker(*options["queues"], worker_class=HorseWorker, serializer=serializer)
        # rq rejects a name that a killed predecessor still seems to hold.
        worker.name = f"{worker_name(options['name'])}-{worker.name[:8]}"
        # Forked processes must not share a connection.
        connections.close_all()
        # Imported objects stay: this exempts them from work horses' garbage collection, which takes
        # 0.2 s of processor time, sometimes in a transaction that other processes wait for.
        gc.freeze()
        worker.work(logging_level="WARNING")

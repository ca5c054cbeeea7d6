"""`manage.py web`: only the pages, for an installation that starts its processes one by one."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from evaluation.work import installation


class Command(BaseCommand):
    help = "Serves only the pages until you stop it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1", help="address; default: %(default)s")
        parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")

    def handle(self, *_args: Any, **options: Any) -> None:
        command = installation.web_command(options["bind"], options["port"])
        os.execv(command[0], command)  # noqa: S606 - signals are to reach gunicorn itself

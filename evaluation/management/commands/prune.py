"""`manage.py prune`: removes data that no page shows any more."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.template.defaultfilters import filesizeformat

from evaluation.work import retention

DAYS = 30


class Command(BaseCommand):
    help = (
        "Lists superseded evaluations, expired excerpts and files, and long logs, with their room. "
        "Removes them with --yes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=int, default=DAYS,
            help="keep evaluations that were superseded in the last DAYS; default: %(default)s",
        )  # fmt: skip
        parser.add_argument("--yes", action="store_true", help="remove them; there is no way back")

    def handle(self, *_args: Any, **options: Any) -> None:
        found = retention.removable(options["days"])
        for one in found:
            room = "" if one.room is None else f", about {filesizeformat(one.room)}"
            self.stdout.write(f"{one.number:,} {one.kind}{room}")
        known = sum(one.room or 0 for one in found)
        self.stdout.write(f"Together about {filesizeformat(known)}.")
        if not options["yes"]:
            self.stdout.write("Nothing was removed. Run it again with --yes to remove all this.")
            return
        for sentence in retention.remove(options["days"]):
            self.stdout.write(sentence)
        self.stdout.write(
            "Done. New rows use the room again; only VACUUM FULL returns it to the disk."
        )

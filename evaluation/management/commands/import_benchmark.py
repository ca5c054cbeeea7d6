"""`manage.py import_benchmark`: stores a dataset's files as a revision on the site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.registry import FAMILIES
from evaluation.work.actions import order_boards
from leaderboard.benchmarks.importing import SHOWS_OUTPUT, import_revision
from leaderboard.submissions.publishing import anything_published


class Command(BaseCommand):
    help = "Imports a revision of a benchmark from its files. Reports all problems at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("family", choices=sorted(FAMILIES), metavar="FAMILY")
        add(
            "path", type=Path, metavar="PATH",
            help="the tasks file, or the folder of a dataset in several files",
        )  # fmt: skip
        add("--revision", required=True, metavar="LABEL")
        add(
            "--answers", type=Path, metavar="PATH",
            help="the private answers, or the file that the family's README names",
        )  # fmt: skip
        add(
            "--prompts", type=Path, metavar="FILE.json",
            help="the wording of the questions, if the tasks have none and you do not use ours",
        )  # fmt: skip
        add(
            "--dates", type=Path, metavar="FILE.csv",
            help="the days on which the tasks became public: columns id and date",
        )  # fmt: skip
        add("--slug", help="the benchmark's name in addresses (default: its family's name)")
        words = "everyone sees the benchmark at once, not only staff"
        add("--list", action="store_true", help=words)
        add("--not-current", action="store_true", help="boards keep showing the previous revision")

    def handle(self, *_args: Any, **options: Any) -> None:
        files = {name: options[name] for name in ("answers", "prompts", "dates")}
        try:
            imported = import_revision(
                family_slug=options["family"],
                slug=options["slug"],
                label=options["revision"],
                tasks=options["path"],
                **files,
                listed=options["list"],
                make_current=not options["not_current"],
                counts=not anything_published(),
            )
        except BenchmarkError as error:
            lines = ["Nothing was imported.", *(f"  {problem}" for problem in error.problems)]
            if error.more:
                lines.append(f"  and {error.more:,} more")
            raise CommandError("\n".join(lines)) from error
        if options["list"] and not imported.benchmark.listed:
            imported.benchmark.listed = True
            imported.benchmark.save(update_fields=["listed"])
        if options["dates"]:
            order_boards(boards=imported.revision.boards.all())
        name = f"{imported.benchmark.title} {imported.revision.label}"
        if imported.already:
            line = f"{name} was already imported from the same files: {imported.tasks:,} tasks."
        else:
            line = f"{name} imported: {imported.tasks:,} tasks."
            if imported.benchmark.shows_output:
                line += f" {SHOWS_OUTPUT}"
        if not imported.benchmark.listed:
            line += " Only staff see the benchmark, until one lists it on its page."
        self.stdout.write(line)

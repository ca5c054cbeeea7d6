"""`manage.py seed_scale`: fills an empty installation with invented results, to measure pages."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.jobs import show_board
from evaluation.work.scale import PREFIX, Scale, seed
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import Submission

# Minimum seconds between lines about the same step.
SAY_SECONDS = 5.0


class Command(BaseCommand):
    help = (
        "Fills an empty installation with invented published results: with the default sizes "
        "1,000 submissions on 5 benchmarks and 5 million verdicts, in 10 minutes on PostgreSQL. "
        "Choose smaller sizes for SQLite."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--submissions", type=int, default=1_000)
        parser.add_argument("--verdicts", type=int, default=5_000_000)
        parser.add_argument("--benchmarks", type=int, default=5)
        parser.add_argument(
            "--yes",
            action="store_true",
            help="seed an installation that has data of its own; no command removes it again",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        scale = Scale(options["submissions"], options["verdicts"], options["benchmarks"])
        if scale.benchmarks < 1 or scale.submissions < scale.benchmarks:
            raise CommandError(
                "Each benchmark needs a submission: give --submissions a larger number."
            )
        if scale.verdicts < scale.submissions:
            raise CommandError("Each submission needs a verdict: give --verdicts a larger number.")
        if Benchmark.objects.filter(slug__startswith=f"{PREFIX}-").exists():
            raise CommandError("This installation is seeded already. Use an empty database.")
        rows = {"benchmarks": Benchmark, "entrants": Entrant, "submissions": Submission}
        counts = {name: model._default_manager.count() for name, model in rows.items()}
        listed = ", ".join(f"{name}: {number:,}" for name, number in counts.items() if number)
        if listed and not options["yes"]:
            raise CommandError(
                f"This installation has data of its own ({listed}). Invented results would be "
                "public next to them, and no command removes them. Use an empty database, or "
                "repeat the command with --yes."
            )
        began = said = time.monotonic()
        last_step = ""

        def say(step: str, done: int, of: int) -> None:
            nonlocal last_step, said
            if step != last_step or done == of or time.monotonic() >= said + SAY_SECONDS:
                last_step, said = step, time.monotonic()
                self.stdout.write(f"{step}: {done:,} of {of:,}")
                self.stdout.flush()

        seed(scale, say, show_board)
        self.stdout.write(
            f"Seeded in {time.monotonic() - began:.0f} s: {scale.entrants * scale.benchmarks:,} "
            f"submissions of {scale.entrants:,} entrants on {scale.benchmarks} benchmarks."
        )

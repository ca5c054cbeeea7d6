"""`manage.py submit`: a submission without the browser."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.engine.errors import UploadError
from evaluation.engine.registry import FAMILIES
from evaluation.management.named import named_revision
from evaluation.models import Evaluation, EvaluationState
from evaluation.work import actions
from evaluation.work.sending import send, submit_checked, wait_for_scores
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.boards.scores import read_on
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import UploadState


def refusal(evaluation: Evaluation) -> str:
    tasks = Task.objects.in_bulk([task for task, _ in evaluation.departures])
    parts = [f"task {tasks[pk].external_id}: {sentence}" for pk, sentence in evaluation.departures]
    if evaluation.more_departures:
        parts.append(f"and {evaluation.more_departures} more")
    return f"The transcripts break the rules: {'; '.join(parts)}"


class Command(BaseCommand):
    help = (
        "Submits a prediction file, or the files of a zip for several boards, as the pages do. "
        "Workers must be running."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("benchmark", help="the benchmark's name in addresses, such as rucodeeval")
        add("file", type=Path)
        add("--entrant", required=True, help="the entrant's name, or its name in addresses")
        add("--setting", help="default: the benchmark's first setting")
        add("--revision", help="the revision's label; default: the current revision")
        add("--wait", action="store_true", help="wait until it is scored, then print the scores")
        add("--publish", action="store_true", help="publish it when it is scored")

    def handle(self, *_args: Any, **options: Any) -> None:
        revision = named_revision(options["benchmark"], options["revision"])
        benchmark = revision.benchmark
        setting = options["setting"] or benchmark.setting
        name, file = options["entrant"], options["file"]
        entrants = list(Entrant.objects.filter(slug=name) or Entrant.objects.filter(name=name))
        if not entrants:
            raise CommandError(f"There is no entrant {name!r}. Create it on its team's page.")
        if len(entrants) > 1:
            raise CommandError(f"Several teams have an entrant {name!r}: name it as in addresses.")
        try:
            submit: partial[Any]
            if options["revision"]:
                submit = partial(actions.submit_file, revision=revision, setting=setting)
            else:
                open_ = Benchmark.objects.filter(accepts=True, current__isnull=False)
                benchmarks = [*open_.filter(family_slug__in=FAMILIES).select_related("current")]
                chosen = Destination(benchmark, setting)
                submit = partial(actions.submit_zip, chosen=chosen, benchmarks=benchmarks)
            uploads = send(file, partial(submit, user=None, entrant=entrants[0]))
        except (UploadError, OSError) as error:
            raise CommandError(str(error)) from None
        for upload in uploads:
            understood = Understood.of(upload)
            name = f"{upload.member}: " if upload.member else ""
            for line in (*understood.problems, *understood.cautions):
                self.stderr.write(f"{name}{line}")
            if understood.more:
                self.stderr.write(f"{name}and {understood.more:,} more problems")
        refused = sum(upload.state != UploadState.CHECKED for upload in uploads)
        for name, why in uploads[0].left_out or ():
            self.stderr.write(f"{name} is not used: {why}")
        if refused and len(uploads) == 1:
            raise CommandError("The file was not submitted. Correct it and send it again.")
        submissions = []
        for upload in uploads:
            if upload.state == UploadState.CHECKED:
                try:
                    submissions.append(submission := submit_checked(upload))
                except UploadError as error:
                    raise CommandError(str(error)) from None
                name = f" {upload.member}" if upload.member else ""
                number = f"{submission.generations_count:,}"
                self.stdout.write(f"submission {submission.pk}{name}: {number}")
        if options["wait"] or options["publish"]:
            for submission in submissions:
                self._print_scores(wait_for_scores(submission, self.stderr.write))
                if options["publish"]:
                    actions.publish_submission(submission=submission)
                    self.stdout.write("published")
        if refused:
            raise CommandError(
                f"{refused} of {len(uploads)} files were not submitted. Correct them and send "
                "them again."
            )

    def _print_scores(self, evaluation: Evaluation) -> None:
        if evaluation.state == EvaluationState.REFUSED:
            raise CommandError(refusal(evaluation))
        if evaluation.state != EvaluationState.DONE:
            raise CommandError("The evaluation was cancelled.")
        scores = list(evaluation.scores.filter(slice="overall").order_by("pk"))
        if not scores:
            self.stdout.write("There is no score yet.")
        for score in scores:
            mean, low, high = (read_on(x, score.top) for x in (score.value, score.low, score.high))
            interval = "" if low is None or high is None else f" [{low:.4f}, {high:.4f}]"
            value = "-" if mean is None else f"{mean:.5f}"
            self.stdout.write(f"{score.metric}: {value}{interval} {score.note}".rstrip())

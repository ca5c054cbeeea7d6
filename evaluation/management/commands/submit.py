"""`manage.py submit`: a submission without the browser."""

from argparse import ArgumentParser
from collections.abc import Mapping
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
from leaderboard.submissions.models import Submission, Upload, UploadState


def refusal(evaluation: Evaluation) -> str:
    departures = evaluation.departures
    tasks = Task.objects.in_bulk([task for task, _ in departures])
    parts = [f"task {tasks[pk].external_id}: {sentence}" for pk, sentence in departures]
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
        words = "submit it also if it fits another benchmark better or covers few tasks"
        add("--confirmed", action="store_true", help=words)
        add("--wait", action="store_true", help="wait until it is scored, then print the scores")
        add("--publish", action="store_true", help="publish it when it is scored")

    def handle(self, *_args: Any, **options: Any) -> None:
        uploads = self._checked(options)
        submissions, unconfirmed = list[Submission](), list[str]()
        for upload in uploads:
            if upload.state != UploadState.CHECKED:
                continue
            try:
                submission = submit_checked(upload, confirmed=options["confirmed"])
            except UploadError as error:
                raise CommandError(str(error)) from None
            if submission is None:
                unconfirmed.append(upload.member or upload.name)
                continue
            submissions.append(submission)
            name = f" {upload.member}" if upload.member else ""
            self.stdout.write(f"submission {submission.pk}{name}: {submission.generations_count:,}")
        if options["wait"] or options["publish"]:
            for submission in submissions:
                self._print_scores(wait_for_scores(submission, self.stderr.write))
                if options["publish"]:
                    actions.publish_submission(submission=submission)
                    self.stdout.write("published")
        faults = list[str]()
        if refused := [upload for upload in uploads if upload.state == UploadState.REFUSED]:
            faults.append(
                "The file was not submitted. Correct it and send it again."
                if len(uploads) == 1
                else f"{len(refused)} of {len(uploads)} files were not submitted. Correct them and "
                "send them again."
            )
        if unconfirmed:
            faults.append(
                f"Not submitted: {', '.join(unconfirmed)}. If what is said above is right, send "
                "the file again with --confirmed."
            )
        if faults:
            raise CommandError(" ".join(faults))

    def _checked(self, options: Mapping[str, Any]) -> list[Upload]:
        revision = named_revision(options["benchmark"], options["revision"])
        setting = options["setting"] or revision.benchmark.setting
        name = options["entrant"]
        entrants = list(Entrant.objects.filter(slug=name) or Entrant.objects.filter(name=name))
        if not entrants:
            raise CommandError(f"There is no entrant {name!r}. Create it on its team's page.")
        if len(entrants) > 1:
            raise CommandError(f"Several teams have an entrant {name!r}: name it as in addresses.")
        submit: partial[Any]
        if options["revision"]:
            submit = partial(actions.submit_file, revision=revision, setting=setting)
        else:
            open_ = Benchmark.objects.filter(accepts=True, current__isnull=False)
            benchmarks = [*open_.filter(family_slug__in=FAMILIES).select_related("current")]
            chosen = Destination(revision.benchmark, setting)
            submit = partial(actions.submit_zip, chosen=chosen, benchmarks=benchmarks)
        try:
            uploads = send(options["file"], partial(submit, user=None, entrant=entrants[0]))
        except (UploadError, OSError) as error:
            raise CommandError(str(error)) from None
        for upload in uploads:
            understood = Understood.from_upload(upload)
            name = f"{upload.member}: " if upload.member else ""
            for line in (*understood.problems, *understood.cautions):
                self.stderr.write(f"{name}{line}")
            if understood.more:
                self.stderr.write(f"{name}and {understood.more:,} more problems")
        for name, why in uploads[0].left_out or ():
            self.stderr.write(f"{name} is not used: {why}")
        return uploads

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

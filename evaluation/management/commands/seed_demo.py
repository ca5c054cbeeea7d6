"""`manage.py seed_demo`: imports, judges and publishes the samples that ship with Assay.

Verdicts, scores, ranks and their times are real. Dates are not: uploads, publications and editions
of boards are dated back by the `age_days` of the invented model, so that charts over time have
something to show."""

import csv
import io
import secrets
import shutil
import tempfile
import time
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from evaluation.engine.errors import BenchmarkError, UploadError
from evaluation.engine.family import ByExecution
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import (
    demo_folder,
    sample_answers,
    sample_tasks,
    sample_trees,
    samples,
)
from evaluation.models import ChunkState, EvaluationState
from evaluation.state.projects import options as project_options
from evaluation.state.scheduling import to_be_scored
from evaluation.work import actions
from evaluation.work.sending import LOOK_SECONDS, send, submit_checked, wait_for_scores
from leaderboard.accounts.models import Entrant, Membership, Team, User, confirm_address
from leaderboard.annotation import campaigns
from leaderboard.annotation.importing import import_ratings
from leaderboard.annotation.models import Campaign, Trial
from leaderboard.annotation.results import stale_campaigns
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Revision
from leaderboard.scores.boards import stale_boards
from leaderboard.scores.models import Edition
from leaderboard.submissions import publishing
from leaderboard.submissions.models import Licence, Submission, Upload, UploadState, Visibility

RATINGS, KNOWN = "ratings.csv", "qualification.csv"
TITLE = "Sample marks (invented)"
_RATERS = "sample-{}"
# Another label for other tasks: a revision's files never change.
LABEL = "sample-2"
OPERATOR = "operator"
# Minimum seconds between lines about the same submission.
SAY_SECONDS = 5.0
BOARDS_SECONDS = 180.0
# Models that are published together, from the oldest on. Each such step leaves an edition.
MODELS_OF_AN_EDITION = 2


class Command(BaseCommand):
    help = (
        "Imports the sample tasks of every family, submits sample predictions of invented "
        "models, publishes the results, and imports invented marks for benchmarks that people "
        "rate. Workers must be running. Safe to run twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--family", action="append", choices=sorted(FAMILIES))
        parser.add_argument(
            "--site", default="", help="address of the site, for the lines that name boards"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        self._site, self._now = options["site"], timezone.now()
        self._began = time.monotonic()
        # Days, by the models' names in addresses.
        self._ages: dict[str, int] = {}
        operator, new = User.objects.get_or_create(
            username=OPERATOR,
            defaults={"email": "operator@localhost", "is_staff": True, "is_superuser": True},
        )
        if new:
            password = secrets.token_urlsafe(12)
            operator.set_password(password)
            operator.save()
            confirm_address(operator)
            path = settings.DATA_DIR / "operator-password"
            path.touch(mode=0o600)
            path.write_text(password + "\n")
        team, _ = Team.objects.get_or_create(
            slug="assay-samples", defaults={"name": "Assay samples"}
        )
        Membership.objects.get_or_create(
            team=team, user=operator, defaults={"role": Membership.Role.OWNER}
        )
        # The first board is ready before the rest begins; projects, which take minutes, come last.
        first, *rest = options["family"] or FAMILIES
        for slugs in ([first], sorted(rest, key=in_projects)):
            try:
                sent = {slug: self._sent(slug, team, operator) for slug in slugs}
            except (BenchmarkError, UploadError, OSError) as error:
                raise CommandError(str(error)) from error
            for slug, rows in sent.items():
                self._finish(slug, rows, team, operator)

    def _sent(self, slug: str, team: Team, operator: User) -> list[Submission]:
        """Imports the family's samples and submits them. Returns the submissions that were not
        published before, to wait for. Raises BenchmarkError, UploadError, OSError."""
        folder = demo_folder(slug)
        if folder is None or not samples(folder):
            return []
        put_source_trees(folder)
        tasks, answers = sample_tasks(folder), sample_answers(folder)
        imported = import_revision(family_slug=slug, tasks=tasks, answers=answers, label=LABEL)
        benchmark, revision = imported.benchmark, imported.revision
        self._say(f"{benchmark}: {imported.tasks} tasks")
        # Fields of an entrant, and `age_days`, by model name.
        models: dict[str, dict[str, Any]] = tomllib.loads((folder / "models.toml").read_text())
        for model, fields in models.items():
            self._ages[f"sample-{model}"] = fields.pop("age_days")
        sent = list[Submission]()
        for sample in samples(folder):
            entrant, _ = Entrant.objects.get_or_create(
                team=team, slug=f"sample-{sample.model}", defaults=models[sample.model]
            )
            there = entrant.submissions.filter(revision=revision, setting=sample.setting)
            if there.exists():
                sent += there.filter(visibility=Visibility.PRIVATE)
                continue
            self._say(f"{benchmark}, {sample.setting}: submitting {entrant}")
            with tempfile.TemporaryDirectory(prefix="assay-sample-") as place:
                board: dict[str, Any] = {"revision": revision, "setting": sample.setting}
                submit = partial(actions.submit_file, user=operator, entrant=entrant, **board)
                (upload,) = send(sample.sent_from(Path(place)), submit)
            if upload.state != UploadState.CHECKED:
                raise CommandError(f"{sample.path} was refused: {upload.report['problems'][:1]}")
            # A sample may cover few tasks.
            if submission := submit_checked(upload, confirmed=True):
                sent.append(submission)
        return sent

    def _finish(self, slug: str, sent: Sequence[Submission], team: Team, operator: User) -> None:
        judged = []
        for submission in sent:
            name = f"{submission.entrant}, {submission.revision.benchmark} ({submission.setting})"
            evaluation = wait_for_scores(submission, self._now_and_then(name))
            lost = evaluation.chunks.filter(state=ChunkState.LOST).first()
            if evaluation.state == EvaluationState.DONE and lost is None:
                judged.append(submission)
                self._say(f"{name}: judged")
            else:
                self._say(f"{name}: not judged: {lost.cause if lost else evaluation.cause}")
        # Results that people rate can be published once they have marks.
        folder = demo_folder(slug)
        if folder is not None and (folder / RATINGS).exists():
            rows = Submission.objects.select_related("entrant").filter(
                entrant__team=team, revision__label=LABEL, revision__benchmark__family_slug=slug
            )
            by_model = {row.entrant.slug.removeprefix("sample-"): row for row in rows}
            if marks := rate_samples(folder=folder, submissions=by_model, user=operator):
                self._say(f"{FAMILIES[slug].title}: {marks} invented marks imported")
        if not judged:
            return
        revision = judged[0].revision
        self._wait_for_boards(revision)
        by_age: dict[str, list[Submission]] = {}
        for submission in sorted(judged, key=lambda row: -self._ages[row.entrant.slug]):
            by_age.setdefault(submission.entrant.slug, []).append(submission)
        models = iter(by_age.values())
        while group := list(chain.from_iterable(islice(models, MODELS_OF_AN_EDITION))):
            self._publish(group, revision, operator)
        address = f"{self._site}{revision.benchmark.get_absolute_url()}"
        seconds = time.monotonic() - self._began
        self._say(f"{revision.benchmark}: see {address} (after {seconds:.0f} s)")

    def _publish(
        self, submissions: Sequence[Submission], revision: Revision, operator: User
    ) -> None:
        """Publishes them and their generations at once, dated back, and waits for their boards."""
        began = timezone.now()
        with transaction.atomic():
            for row in submissions:
                date = self._now - timedelta(days=self._ages[row.entrant.slug])
                actions.publish_submission(submission=row)
                # The samples have the licence of this repository.
                publishing.show_generations(submission=row, licence=Licence.APACHE, user=operator)
                Submission.objects.filter(pk=row.pk).update(created=date, published=date)
                Upload.objects.filter(submissions=row).update(created=date)
        self._wait_for_boards(revision)
        # The last one is of the newest model.
        Edition.objects.filter(board__revision=revision, made_at__gte=began).update(made_at=date)

    def _now_and_then(self, name: str) -> Callable[[str], None]:
        said = time.monotonic()

        def say(line: str) -> None:
            nonlocal said
            if time.monotonic() - said > SAY_SECONDS:
                said = time.monotonic()
                self._say(f"{name}: {line}")

        return say

    def _wait_for_boards(self, revision: Revision) -> None:
        deadline = time.monotonic() + BOARDS_SECONDS
        while (
            stale_boards().filter(revision=revision).exists()
            or stale_campaigns().filter(revision=revision).exists()
            or to_be_scored().filter(submission__revision=revision).exists()
        ):
            if time.monotonic() > deadline:
                raise CommandError("The boards are not ready. Are the workers running?")
            time.sleep(LOOK_SECONDS)

    def _say(self, text: str) -> None:
        self.stdout.write(f"demo: {text}")
        self.stdout.flush()


def in_projects(slug: str) -> bool:
    judged = FAMILIES[slug].judged
    return isinstance(judged, ByExecution) and judged.projects is not None


def put_source_trees(folder: Path) -> None:
    """Puts the trees of a sample's projects where an operator would. Raises OSError."""
    trees = project_options().source_trees
    assert trees is not None
    for name, tree in sample_trees(folder).items():
        shutil.copytree(tree, trees / name, dirs_exist_ok=True)


@transaction.atomic
def rate_samples(*, folder: Path, submissions: Mapping[str, Submission], user: User) -> int:
    """Creates a campaign with the marks of `ratings.csv`; `submissions` are by model name. Returns
    the number of marks, 0 if the campaign already exists. Raises RatingsRefused."""
    first = next(iter(submissions.values()), None)
    if first is None or Campaign.objects.filter(revision=first.revision, title=TITLE).exists():
        return 0
    lines = _lines(folder / RATINGS)
    names = sorted({line["rater"] for line in lines})
    campaign = campaigns.create_campaign(
        revision=first.revision, title=TITLE, user=user, per_item=len(names), trial=Trial.AMONG
    )
    rows = Submission.objects.filter(pk__in=[row.pk for row in submissions.values()])
    campaigns.add_submissions(campaign=campaign, submissions=rows, user=user)
    for line in _lines(folder / KNOWN):
        task = campaign.revision.tasks.get(external_id=line["task_id"])
        marks = {criterion.name: int(line[criterion.name]) for criterion in campaign.criteria}
        campaigns.add_known_item(campaign=campaign, task=task, text=line["code"], marks=marks)
    for name in names:
        username = _RATERS.format(name)
        rater, new = User.objects.get_or_create(
            username=username, defaults={"email": f"{username}@localhost"}
        )
        if new:
            rater.set_unusable_password()
            rater.save(update_fields=["password"])
        campaigns.add_rater(campaign=campaign, user=rater)
    campaigns.open_campaign(campaign=campaign)
    # The site takes submissions instead of models, and accounts instead of raters.
    out = io.StringIO()
    columns = ["submission", *(name for name in lines[0] if name != "model")]
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for line in lines:
        submission, rater_name = submissions[line.pop("model")], _RATERS.format(line["rater"])
        writer.writerow({**line, "submission": submission.pk, "rater": rater_name})
    imported = import_ratings(
        campaign=campaign,
        content=out.getvalue().encode(),
        user=user,
        reason="The sample's own marks: invented, not given by people.",
    )
    return imported.new


def _lines(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))

"""`manage.py seed_demo`: imports, judges and publishes the samples that ship with Assay."""

from __future__ import annotations

import secrets
import tempfile
import time
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.engine.errors import BenchmarkError, UploadError
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_answers, sample_folder, sample_tasks, samples
from evaluation.models import EvaluationState
from evaluation.state.scheduling import to_be_scored
from evaluation.work import actions
from evaluation.work.sample_ratings import RATINGS, rate_samples
from evaluation.work.sending import LOOK_SECONDS, send_file, submit_checked, wait_for_scores
from leaderboard.accounts.models import Entrant, Membership, Team, User
from leaderboard.annotation.results import stale_campaigns
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores.boards import stale_boards
from leaderboard.submissions.models import Submission, UploadState, Visibility

LABEL = "sample"
OPERATOR = "operator"
# Minimum seconds between lines about the same submission.
SAY_SECONDS = 5.0
BOARDS_SECONDS = 60.0


class Command(BaseCommand):
    help = (
        "Imports the sample tasks of every family, submits sample predictions of invented "
        "models, publishes the results, and imports invented marks for benchmarks that people "
        "rate. Workers must be running. Safe to run twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--family", action="append", choices=sorted(FAMILIES))

    def handle(self, *_args: Any, **options: Any) -> None:
        operator = self._operator()
        team, _ = Team.objects.get_or_create(
            slug="assay-samples", defaults={"name": "Assay samples"}
        )
        Membership.objects.get_or_create(
            team=team, user=operator, defaults={"role": Membership.Role.OWNER}
        )
        sent: list[Submission] = []
        try:
            for slug in options["family"] or FAMILIES:
                folder = sample_folder(slug)
                if folder is not None and samples(folder):
                    benchmark = self._benchmark(slug, folder)
                    sent += self._send_all(team, operator, benchmark, folder)
        except (BenchmarkError, UploadError) as error:
            raise CommandError(str(error)) from error
        for submission in sent:
            name = f"{submission.entrant}, {submission.revision.benchmark} ({submission.setting})"
            evaluation = wait_for_scores(submission, self._now_and_then(name))
            if evaluation.state == EvaluationState.DONE:
                actions.publish_submission(submission=submission)
                self._say(f"{name}: judged and published")
        for slug in options["family"] or FAMILIES:
            self._rate(slug, team, operator)
        self._wait_for_boards()

    def _operator(self) -> User:
        operator, new = User.objects.get_or_create(
            username=OPERATOR,
            defaults={"email": "operator@localhost", "is_staff": True, "is_superuser": True},
        )
        if new:
            password = secrets.token_urlsafe(12)
            operator.set_password(password)
            operator.save()
            path = password_file()
            path.touch(mode=0o600)
            path.write_text(password + "\n")
        return operator

    def _benchmark(self, slug: str, folder: Path) -> Benchmark:
        imported = import_revision(
            family_slug=slug,
            tasks=sample_tasks(folder),
            answers=sample_answers(folder),
            label=LABEL,
        )
        self._say(f"{imported.benchmark}: {imported.tasks} tasks")
        return imported.benchmark

    def _send_all(
        self, team: Team, user: User, benchmark: Benchmark, folder: Path
    ) -> Iterator[Submission]:
        """Yields the submissions that were not published before, to wait for."""
        assert benchmark.current is not None
        models = described_models(folder)
        for sample in samples(folder):
            entrant, _ = Entrant.objects.get_or_create(
                team=team, slug=f"sample-{sample.model}", defaults=models[sample.model]
            )
            there = entrant.submissions.filter(revision=benchmark.current, setting=sample.setting)
            if there.exists():
                yield from there.filter(visibility=Visibility.PRIVATE)
                continue
            self._say(f"{benchmark}, {sample.setting}: submitting {entrant}")
            with tempfile.TemporaryDirectory(prefix="assay-sample-") as place:
                upload = send_file(
                    sample.sent_from(Path(place)),
                    entrant=entrant,
                    revision=benchmark.current,
                    setting=sample.setting,
                    user=user,
                )
            if upload.state != UploadState.CHECKED:
                raise CommandError(f"{sample.path} was refused: {upload.report['problems'][:1]}")
            yield submit_checked(upload)

    def _rate(self, slug: str, team: Team, user: User) -> None:
        folder = sample_folder(slug)
        if folder is None or not (folder / RATINGS).exists():
            return
        rows = Submission.objects.filter(
            entrant__team=team, revision__label=LABEL, revision__benchmark__family_slug=slug
        )
        by_model = {
            row.entrant.slug.removeprefix("sample-"): row for row in rows.select_related("entrant")
        }
        marks = rate_samples(folder=folder, submissions=by_model, user=user)
        if marks:
            self._say(f"{FAMILIES[slug].title}: {marks} invented marks imported")

    def _now_and_then(self, name: str) -> Callable[[str], None]:
        said = time.monotonic()

        def say(line: str) -> None:
            nonlocal said
            if time.monotonic() - said > SAY_SECONDS:
                said = time.monotonic()
                self._say(f"{name}: {line}")

        return say

    def _wait_for_boards(self) -> None:
        deadline = time.monotonic() + BOARDS_SECONDS
        while stale_boards().exists() or stale_campaigns().exists() or to_be_scored().exists():
            if time.monotonic() > deadline:
                raise CommandError("The boards are not ready. Are the workers running?")
            time.sleep(LOOK_SECONDS)

    def _say(self, text: str) -> None:
        self.stdout.write(f"demo: {text}")
        self.stdout.flush()


def password_file() -> Path:
    """The file exists once there is an operator."""
    folder: Path = settings.DATA_DIR
    return folder / "operator-password"


def described_models(folder: Path) -> dict[str, dict[str, Any]]:
    """Fields of an entrant by model name, from `models.toml`."""
    described: dict[str, dict[str, Any]] = tomllib.loads((folder / "models.toml").read_text())
    return described

"""A site in which every secret is a unique text, so that it is recognised wherever it appears.

Northwood (alice owns it, bob is a member) has a published result, a private one, one that is being
judged, one that is being stored, and uploads; Fenland (charlie) has a private result; a benchmark
is not listed."""

import json
from functools import cached_property
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from evaluation import jobs
from evaluation.engine import ENGINE_VERSION
from evaluation.engine.records import Reference, Status
from evaluation.models import (
    Chunk,
    ProjectBuild,
    ProjectTimes,
    Recheck,
    RecheckedTask,
    Review,
    Verdict,
    Worker,
)
from evaluation.state.references import keep_references
from evaluation.work import actions
from evaluation.work.actions import submit_file
from leaderboard.accounts import teams
from leaderboard.accounts.models import Entrant, Membership, OrganisationDomain, Scope, User
from leaderboard.accounts.tokens import make_token
from leaderboard.annotation import assigning, campaigns, rating
from leaderboard.annotation.models import Assignment, Campaign, Rater
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark, Task, TaskExclusion, TaskHidden
from leaderboard.benchmarks.records import task_records
from leaderboard.mail.webhooks import make_webhook
from leaderboard.scores.models import Board, Receipt
from leaderboard.scores.receipts import make_receipts
from leaderboard.submissions.declaring import declare
from leaderboard.submissions.models import Consent, Copy, CopyState, Licence, Submission, Upload
from tests.support.cast import FAMILIES, Cast, confirmed_user, predictions
from tests.support.conversations import multi_turn, passing
from tests.support.in_projects import prepared
from tests.support.ordering import ordered

STRANGER, OTHER, MEMBER, OWNER, STAFF = ROLES = ("stranger", "other", "member", "owner", "staff")
TEAM = frozenset({MEMBER, OWNER, STAFF})
NOBODY: frozenset[str] = frozenset()

# The roles that may see each of the texts below. One page, in the admin, shows the content of
# TaskHidden.
HIDDEN = ("veiled-expected", "veiled-canonical", "veiled-tests", "veiled-unit-tests")
SEEN_BY: dict[str, frozenset[str]] = {
    **dict.fromkeys(HIDDEN, frozenset({STAFF})),
    "veiled-evidence": frozenset({STAFF}),
    "veiled-reference": frozenset({STAFF}),
    "veiled-output": frozenset({STAFF}),
    "veiled-published-text": TEAM,
    "veiled-private-text": TEAM,
    "veiled-private-entrant": TEAM,
    "veiled-upload-name": TEAM,
    "veiled-refused-name": TEAM,
    "veiled-report": TEAM,
    "veiled-alice": TEAM,
    "veiled-bob": TEAM,
    "veiled-machinery": frozenset({STAFF}),
    # Not even staff may know whose endpoints are asked, and nobody may see the key.
    "veiled-endpoint": frozenset({MEMBER, OWNER}),
    "veiled-model": frozenset({MEMBER, OWNER}),
    "sk-veiled-key": NOBODY,
    "veiled-fenland-text": frozenset({OTHER, STAFF}),
    "veiled-fenland-entrant": frozenset({OTHER, STAFF}),
    "veiled-fenland-team": frozenset({OTHER, STAFF}),
    "veiled-fenland-upload": frozenset({OTHER, STAFF}),
    "veiled-charlie": frozenset({OTHER, STAFF}),
    "veiled-invited": frozenset({OWNER, STAFF}),
    "veiled-webhook": frozenset({OWNER}),
    # Bob's.
    "veiled-token": frozenset({MEMBER}),
    # A team that has a result there keeps it, with the benchmark's name.
    "veiled-unlisted-title": TEAM,
    # Staff read it in the admin.
    "veiled-declared-model": frozenset({MEMBER, OWNER}),
    "veiled-unlisted-task": frozenset({STAFF}),
    # Raters rate without seeing names, and nobody reads what is not saved.
    "veiled-campaign": frozenset({STAFF}),
    "veiled-rater": frozenset({STAFF}),
    "veiled-mark": frozenset({STAFF}),
    "veiled-skip": frozenset({STAFF}),
    "veiled-review": frozenset({STAFF}),
    "veiled-decision": TEAM,
    "veiled-draft": NOBODY,
    # Nobody sees it until all generations are stored.
    "veiled-unfinished-text": NOBODY,
}


def text(mark: str) -> str:
    return f"    return {mark!r}\n"


class Site:
    """Everything on the site is made when it is constructed."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self._name_people()
        self.benchmark = cast.rucodeeval
        self._hide(self.benchmark)
        self._refer()
        self.larch = cast.entrant("Larch", weights="open", parameters=32.0)
        self.secret = self._entrant("veiled-private-entrant", "alder")
        self.published = cast.judged_submission(
            self.larch, text=text("veiled-published-text"), output="veiled-output"
        )
        self.private = cast.judged_submission(
            self.secret, publish=False, text=text("veiled-private-text"), output="veiled-output"
        )
        Verdict.objects.update(evidence="veiled-evidence", flags=["ended_early"])
        reviewed = Verdict.objects.order_by("pk")[0]
        Review.objects.create(verdict=reviewed, fine=True, reason="veiled-review")
        self.judging = self._judging()
        self.unfinished = self._unfinished()
        self.upload = self._upload("veiled-upload-name.jsonl", predictions(self.benchmark))
        self.upload.batch, self.upload.member = self.upload, "veiled-upload-name"
        self.upload.left_out = [["veiled-upload-name", "veiled-upload-name"]]
        self.upload.save()
        self.refused = self._upload("veiled-refused-name.jsonl", wrong("veiled-report"))
        self.run = ordered(cast, entrant=self.larch)
        assert self.benchmark.current is not None
        self.declaration = declare(
            user=cast.alice, entrant=self.larch, revision=self.benchmark.current, setting="base",
            samples=1, model="veiled-declared-model",
        )  # fmt: skip
        self.token, self.token_text = make_token(
            membership=self.membership, name="veiled-token", scopes=Scope.values, days=90
        )
        self.webhook, _secret = make_webhook(
            team=cast.northwood, url="https://veiled-webhook.example.org/"
        )
        self.invitation, _addresses = teams.invite(
            team=cast.northwood, typed="veiled-invited@example.org", role="member"
        )
        self._fenland()
        self.unlisted = self._unlisted()
        self.talk = self._talk(self.larch, "veiled-published-text")
        self.private_talk = self._talk(self.secret, "veiled-private-text", publish=False)
        self.campaign = self._campaign()
        self._show()
        for board in Board.objects.all():
            make_receipts(board)
        self.receipt, self.unlisted_receipt = (
            Receipt.objects.get(submission__revision__benchmark=benchmark)
            for benchmark in (self.benchmark, self.unlisted)
        )
        Copy.objects.create(
            submission=self.private, other=self.theirs, state=CopyState.ALLOWED, held=True,
            reason="veiled-decision", tasks=12, share=1.0, rare_tasks=12, rare_share=1.0,
        )  # fmt: skip
        OrganisationDomain.objects.create(domain="example.net", organisation="Larch")
        Worker.objects.create(
            name="veiled-machinery",
            host="veiled-machinery",
            started=timezone.now(),
            seen=timezone.now(),
        )
        chunk = Chunk.objects.filter(evaluation__submission=self.private)[0]
        Recheck.objects.get_or_create(chunk=chunk, defaults={"host": "veiled-machinery"})
        task = self.benchmark.current.tasks.earliest("number")
        RecheckedTask.objects.get_or_create(task=task, engine_version=ENGINE_VERSION)
        seconds = dict.fromkeys(("cpu_seconds", "wall_seconds", "pause_seconds"), 1.0)
        ProjectTimes.objects.create(key="0" * 64, project="veiled-machinery", **seconds)
        ProjectBuild.objects.create(
            key="0" * 64, project="veiled-machinery", digest="veiled-machinery", record={}
        )

    def user(self, role: str) -> User | None:
        cast = self.cast
        people = (None, cast.charlie, cast.bob, cast.alice, cast.dora)
        return dict(zip(ROLES, people, strict=True))[role]

    def _name_people(self) -> None:
        """Replaces names and e-mail addresses by marks, which only the accounts' teams may see."""
        assert self.cast.northwood and self.cast.dora
        for person in (self.cast.alice, self.cast.bob, self.cast.charlie):
            person.email = f"veiled-{person.username}@example.org"
            person.username = f"veiled-{person.username}"
            person.save()

    def _refer(self) -> None:
        """Gives the first task an unsound reference and excludes the last one."""
        tasks = task_records(self.benchmark.current)
        first, *_, last = tasks
        mark = "veiled-reference"
        found = Reference(
            "oracle", Status.FAILED, (mark,), facts={mark: mark}, unsound=mark, output=mark
        )
        image = prepared(tasks[first], remains=(mark,))
        keep_references(prepared=image, found={first: {"oracle": found}})
        TaskExclusion.objects.create(
            task_id=last, reason="It is broken.", decided_by=self.cast.dora
        )

    def _show(self) -> None:
        """Stores rows that no command makes: they show private answers, and a private
        submission."""
        for submission in (self.published, self.private_talk):
            Consent.objects.create(submission=submission, licence=Licence.MIT)

    @cached_property
    def membership(self) -> Membership:
        return Membership.objects.get(team=self.cast.northwood, user=self.cast.bob)

    def _entrant(self, name: str, slug: str, **more: Any) -> Entrant:
        """An entrant whose address does not contain its name."""
        entrant = self.cast.entrant(name, **more)
        entrant.slug = slug
        entrant.save()
        return entrant

    def _judging(self) -> Submission:
        """A submission under way, with a chunk that the machinery gave back."""
        submission = self.cast.submission(self.larch, text=text("veiled-private-text"))
        evaluation = actions.open_evaluation(submission=submission)
        self.cast.judge(evaluation, least=7, output="veiled-output")
        Chunk.objects.filter(evaluation=evaluation).update(
            given_back=timezone.now(), owner="veiled-machinery", host="veiled-machinery"
        )
        return submission

    def _unfinished(self) -> Submission:
        """A submission whose generations are still being stored."""
        submission = self.cast.submission(self.larch, text=text("veiled-unfinished-text"))
        submission.storing = 1
        submission.save()
        return submission

    def _upload(self, name: str, content: bytes, entrant: Entrant | None = None) -> Upload:
        return uploaded(entrant or self.larch, self.benchmark, name, content)

    def _fenland(self) -> None:
        team = self.cast.fenland
        team.name = "veiled-fenland-team"
        team.save()
        entrant = self._entrant("veiled-fenland-entrant", "birch", team=team)
        self.theirs = self.cast.judged_submission(
            entrant, publish=False, text=text("veiled-fenland-text")
        )
        self.theirs.user = self.cast.charlie
        self.theirs.save()
        self.their_upload = self._upload(
            "veiled-fenland-upload.jsonl", wrong("veiled-fenland-upload"), entrant
        )

    def _unlisted(self) -> Benchmark:
        """A benchmark that is not listed, with a published result from before it was taken off the
        list."""
        benchmark = self.cast.codeif
        self._hide(benchmark)
        self.cast.judged_submission(self.larch, benchmark=benchmark, samples=1)
        Task.objects.filter(revision=benchmark.current).update(
            public={"prompt": "veiled-unlisted-task", "requirements": {}, "turns": []}
        )
        Benchmark.objects.filter(pk=benchmark.pk).update(
            listed=False, title="veiled-unlisted-title"
        )
        benchmark.refresh_from_db()
        return benchmark

    def _talk(self, entrant: Entrant, mark: str, *, publish: bool = True) -> Submission:
        """A result of conversations, on a separate benchmark."""
        benchmark = import_revision(
            family_slug="codeif_function",
            tasks=FAMILIES / "codeif_function/sample/tasks.jsonl",
            answers=None,
            label="sample",
            slug="conversations",
        ).benchmark
        self._hide(benchmark)
        fares = passing(("ppppp", "fpppp"))
        return multi_turn(
            self.cast, entrant, fares, publish=publish, benchmark=benchmark, text=text(mark)
        )

    def _campaign(self) -> Campaign:
        """A campaign on published generations. A rater without a team has rated one item, skipped
        one and begun one."""
        campaign = campaigns.create_campaign(
            revision=self.published.revision,
            title="veiled-campaign",
            user=self.cast.dora,
            family_slug="aixbench_nl",
            per_item=1,
        )
        rows = Submission.objects.filter(pk=self.published.pk)
        campaigns.add_submissions(campaign=campaign, submissions=rows)
        campaigns.open_campaign(campaign=campaign)
        user = confirmed_user("veiled-rater", "veiled-rater@example.org")
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
        rater = campaigns.add_rater(campaign=campaign, user=user)
        marks = {one.name: 1 for one in campaign.criteria}
        self.assignment, skipped, begun = (self._taken(rater, marks, how) for how in range(3))
        assert skipped and begun
        return campaign

    @staticmethod
    def _taken(rater: Rater, marks: dict[str, int], how: int) -> Assignment:
        row = assigning.take_next(rater=rater, owner="a test")
        assert row is not None
        if how == 0:
            rating.save_ratings(
                assignment=row, marks=marks, comments=dict.fromkeys(marks, "veiled-mark")
            )
        elif how == 1:
            rating.skip_item(assignment=row, reason="veiled-skip")
        else:
            comments = dict.fromkeys(marks, "veiled-draft")
            rating.save_draft(assignment=row, version=0, marks=marks, comments=comments)
        return row

    @staticmethod
    def _hide(benchmark: Benchmark) -> None:
        """Replaces everything hidden by marks, in the family's own fields."""
        rows = list(TaskHidden.objects.filter(task__revision=benchmark.current))
        for row in rows:
            row.hidden = {name: _mark(name, value) for name, value in row.hidden.items()}
        TaskHidden.objects.bulk_update(rows, ["hidden"])


def _mark(name: str, value: Any) -> Any:
    """The value with the mark of its field in every text."""
    marks = {
        "outputs": "veiled-expected",
        "canonical_solution": "veiled-canonical",
        "code": "veiled-canonical",
        "unit_tests": "veiled-unit-tests",
    }
    mark = marks.get(name, "veiled-tests")
    if isinstance(value, list) and name == "outputs":
        return [mark for _ in value]
    if isinstance(value, dict):
        return dict.fromkeys(value, mark)
    return [{"word": mark}] if isinstance(value, list) else mark


def wrong(mark: str) -> bytes:
    """A file that is rejected because of its task id, which is the mark."""
    return json.dumps({"task_id": mark, "completion": "x"}).encode()


def uploaded(entrant: Entrant, benchmark: Benchmark, name: str, content: bytes) -> Upload:
    """An upload that the intake job has checked."""
    assert benchmark.current is not None
    upload = submit_file(
        user=entrant.team.memberships.all()[0].user,
        entrant=entrant,
        revision=benchmark.current,
        setting=benchmark.setting,
        file=SimpleUploadedFile(name, content),
    )
    jobs.check_upload(upload.pk)
    upload.refresh_from_db()
    return upload

"""The cast of the page tests: people, teams, benchmarks, and results without containers.

Generations and verdicts are stored by the ORM; scores and boards are computed as in production."""

import json
from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone
from django.utils.text import slugify

from evaluation.engine.records import Status
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict, VerdictOutput
from evaluation.state import scheduling
from evaluation.state.units import sets_of
from evaluation.work import actions
from leaderboard.accounts.models import Entrant, Membership, Team, User, confirm_address
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.scoring import score_evaluation
from leaderboard.submissions.models import Generation, Submission, Visibility

FAMILIES = Path(__file__).parents[2] / "evaluation/engine/families"
PASSWORD = "correct horse battery"
# One status per sample; shorter patterns are repeated over the generations of a submission.
GOOD = ("passed", "passed", "failed")


def confirmed_user(name: str, email: str, password: str | None = None, **rights: Any) -> User:
    user = User.objects.create_user(name, email, password, **rights)
    confirm_address(user)
    return user


def clerk(*permissions: str) -> Client:
    """The browser of staff with these permissions and no others."""
    user, _ = User.objects.get_or_create(
        username="clerk", defaults={"email": "clerk@example.org", "is_staff": True}
    )
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


class Cast:
    """alice owns Northwood and bob is a member of it, charlie owns Fenland, dora is staff."""

    @cached_property
    def alice(self) -> User:
        return self._person("alice")

    @cached_property
    def bob(self) -> User:
        return self._person("bob")

    @cached_property
    def charlie(self) -> User:
        return self._person("charlie")

    @cached_property
    def dora(self) -> User:
        return self._person("dora", is_staff=True, is_superuser=True)

    @cached_property
    def northwood(self) -> Team:
        team = self.team("Northwood", owner=self.alice)
        Membership.objects.create(team=team, user=self.bob)
        return team

    @cached_property
    def fenland(self) -> Team:
        return self.team("Fenland", owner=self.charlie)

    @cached_property
    def rucodeeval(self) -> Benchmark:
        sample = FAMILIES / "rucodeeval/sample"
        return import_revision(
            family_slug="rucodeeval",
            tasks=sample / "tasks.jsonl",
            answers=sample / "answers.jsonl",
            label="sample",
        ).benchmark

    @cached_property
    def codeif(self) -> Benchmark:
        return import_revision(
            family_slug="codeif_function",
            tasks=FAMILIES / "codeif_function/sample/tasks.jsonl",
            answers=None,
            label="sample",
        ).benchmark

    def _person(self, name: str, **rights: bool) -> User:
        return confirmed_user(name, f"{name}@example.org", PASSWORD, **rights)

    def team(self, name: str, *, owner: User) -> Team:
        team = Team.objects.create(name=name, slug=slugify(name))
        Membership.objects.create(team=team, user=owner, role=Membership.Role.OWNER)
        return team

    def entrant(
        self, name: str = "Larch Coder 32B", team: Team | None = None, **more: Any
    ) -> Entrant:
        team = team or self.northwood
        more.setdefault("organisation", team.name)
        return Entrant.objects.create(team=team, name=name, slug=slugify(name), **more)

    def submission(
        self,
        entrant: Entrant,
        *,
        benchmark: Benchmark | None = None,
        setting: str = "base",
        samples: int = 3,
        text: str = "    return None\n",
    ) -> Submission:
        """Stored generations for every required slot, nothing judged yet."""
        benchmark = benchmark or self.rucodeeval
        assert benchmark.current is not None
        submission = Submission.objects.create(
            entrant=entrant,
            revision=benchmark.current,
            setting=setting,
            user=self.alice,
            generations_count=0,
            digest="0" * 64,
        )
        rows = [
            Generation(
                submission=submission,
                task_id=pk,
                sample=sample,
                requirement=slot.requirement or "",
                turn=stored_turn(slot.turn),
                text=text,
            )
            for pk, task in task_records(benchmark.current).items()
            for slot in benchmark.family.slots(task, setting)
            if slot.required
            for sample in range(samples)
        ]
        Generation.objects.bulk_create(rows)
        submission.generations_count = len(rows)
        submission.save()
        return submission

    def judged_submission(
        self,
        entrant: Entrant,
        pattern: Sequence[str] = GOOD,
        *,
        publish: bool = True,
        output: str = "",
        integrity: str = "clean",
        tier: str = "outside",
        **more: Any,
    ) -> Submission:
        """A scored submission whose generations have the statuses of the pattern; on its board if
        published. Every pass has `integrity`."""
        submission = self.submission(entrant, **more)
        evaluation = actions.open_evaluation(submission=submission)
        self.judge(evaluation, pattern, output=output, integrity=integrity, tier=tier)
        self.score(evaluation)
        if publish:
            self.publish(submission)
        return submission

    def judge(
        self,
        evaluation: Evaluation,
        pattern: Sequence[str] = GOOD,
        *,
        output: str = "",
        integrity: str = "clean",
        tier: str = "outside",
        least: int | None = None,
    ) -> None:
        """Stores verdicts for the first `least` generations, by default for all; then the chunks
        are done too. A generation has the same status under each of its sets of tests."""
        generations = evaluation.submission.generations.order_by("pk")[:least]
        sets = sets_of(evaluation.submission)
        verdicts = Verdict.objects.bulk_create(
            Verdict(
                evaluation=evaluation,
                generation=generation,
                test_set=test_set,
                status=Status(pattern[number % len(pattern)]).value,
                integrity=integrity if pattern[number % len(pattern)] == "passed" else "clean",
                tier=tier,
                tests_passed=4,
                tests_total=5,
                duration_ms=20 + number % 7,
                peak_memory_kib=12_000,
            )
            for number, generation in enumerate(generations)
            for test_set in sets(generation)
        )
        if output:
            expires = timezone.now() + timedelta(days=1)
            VerdictOutput.objects.bulk_create(
                VerdictOutput(verdict=verdict, text=output, expires=expires) for verdict in verdicts
            )
        if least is None:
            Chunk.objects.filter(evaluation=evaluation).update(
                state=ChunkState.DONE, judged=100, finished=timezone.now()
            )
            Evaluation.objects.filter(pk=evaluation.pk).update(started=timezone.now())

    def score(self, evaluation: Evaluation) -> None:
        claimed = scheduling.claim_scoring(pk=evaluation.pk, owner="the cast")
        assert claimed is not None
        assert score_evaluation(evaluation=claimed)
        assert Evaluation.objects.get(pk=evaluation.pk).state == EvaluationState.DONE

    def publish(self, submission: Submission) -> None:
        submission.visibility = Visibility.PUBLISHED
        submission.published = timezone.now()
        submission.save()
        make_board(board=want_board(submission=submission))


def predictions(benchmark: Benchmark, *, setting: str = "base", text: str = "    pass\n") -> bytes:
    """A JSONL file with one generation for every required slot."""
    assert benchmark.current is not None
    lines = [
        {
            "task_id": task.id,
            "completion": text,
            **({"requirement": slot.requirement} if slot.requirement else {}),
        }
        for task in task_records(benchmark.current).values()
        for slot in benchmark.family.slots(task, setting)
        if slot.required
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()

"""Finds submissions whose answers equal those of another team, by digests of their normal forms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count

from evaluation.engine.metrics.copies import (
    FEWEST_IDENTICAL,
    FEWEST_RARE,
    HELD,
    NOTED,
    SHORT,
    Overlap,
    is_common,
    overlap,
)
from evaluation.engine.normal_form import normal_form
from leaderboard.benchmarks.models import Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.submissions.models import AnswerDigest, Copy, Generation, Submission, Visibility
from leaderboard.submissions.parts import Write, in_parts, paced

ROWS_READ = 100
# Number of digests in one query.
ASKED = 500


class _Rival(NamedTuple):
    """A submission of another team. `independent`: it is published and was never found to be a
    copy, so its answers are evidence of what teams answer by themselves."""

    team: int
    independent: bool


def compare(*, submission: Submission, write: Write = transaction.atomic) -> None:
    """Stores the digests of the submission's answers, and records the submissions of other teams
    that it equals. The later submission of two is the copy. Safe to repeat, and to run
    concurrently: the last one finds the digests of all others."""
    for rows in paced(in_parts(_digests(submission), lambda _row: 0)):
        with write():
            AnswerDigest.objects.bulk_create(rows, ignore_conflicts=True)
    found = _Comparison.of(submission).noted()
    with write():
        for other, one in found.items():
            first, second = sorted((submission.pk, other))
            Copy.objects.get_or_create(
                submission_id=second,
                other_id=first,
                defaults={
                    "tasks": one.tasks,
                    "share": one.share,
                    "rare_tasks": one.rare_tasks,
                    "rare_share": one.rare_share,
                    "held": one.held,
                },
            )


def equal_tasks(copy: Copy) -> list[int]:
    """The numbers of the tasks with an equal answer."""
    theirs = AnswerDigest.objects.filter(submission=copy.other_id).values("digest")
    rows = AnswerDigest.objects.filter(submission=copy.submission_id, digest__in=theirs)
    return sorted(set(rows.values_list("task__number", flat=True)))


def _digests(submission: Submission) -> Iterator[AnswerDigest]:
    family = submission.revision.benchmark.family
    tasks = task_records(submission.revision)
    rows = Generation.with_unfinished.filter(submission=submission).defer("asked").order_by("pk")
    last = 0
    # In pages: with a query open, SQLite refuses our writes once another connection has written.
    while page := list(rows.filter(pk__gt=last)[:ROWS_READ]):
        last = page[-1].pk
        for row in page:
            task = tasks[row.task_id]
            form = normal_form(family.code(task, row.text), task.language)
            if form.size:
                yield AnswerDigest(
                    submission=submission,
                    task_id=row.task_id,
                    digest=_digest(row.task_id, row.requirement, row.turn, form.text),
                    short=form.size < SHORT,
                )


def references_given(
    revision: Revision, setting: str, submissions: Collection[int]
) -> tuple[set[int], dict[tuple[int, int], float]]:
    """The primary keys of the tasks whose hidden reference is not short; and by submission and
    task, the share of its different answers that equal the reference, if any does."""
    digests = _reference_digests(revision, setting)
    rows = AnswerDigest.objects.filter(submission__in=submissions).order_by()
    answers = rows.values_list("submission", "task").annotate(Count("pk"))
    counts = {(submission, task): count for submission, task, count in answers}
    equal = rows.filter(digest__in=list(digests)).values_list("submission", "task")
    return set(digests.values()), {slot: 1 / counts[slot] for slot in equal}


def _reference_digests(revision: Revision, setting: str) -> dict[bytes, int]:
    """The digests of the references, each with the primary key of the task whose own prompt it
    answers."""
    family = revision.benchmark.family
    found: dict[bytes, int] = {}
    for key, task in task_records(revision).items():
        slots = [slot for slot in family.slots(task, setting) if slot.requirement is None]
        texts = family.solutions(task) if slots else ()
        forms = [normal_form(family.code(task, text), task.language) for text in texts]
        if forms and min(form.size for form in forms) >= SHORT:
            turn = stored_turn(slots[0].turn)
            found |= {_digest(key, "", turn, form.text): key for form in forms}
    return found


@dataclass(frozen=True)
class _Comparison:
    """A submission, its digests by task, the short ones among them, the other teams' submissions to
    the same board by primary key, and the digests that it shares with each of them."""

    submission: Submission
    answers: Mapping[int, set[bytes]]
    short: frozenset[bytes]
    rivals: Mapping[int, _Rival]
    shared: Mapping[int, set[bytes]]

    @classmethod
    def of(cls, submission: Submission) -> _Comparison:
        rows = AnswerDigest.objects.filter(submission=submission)
        own = {bytes(digest): short for digest, short in rows.values_list("digest", "short")}
        rivals = _rivals(submission)
        return cls(
            submission,
            _answers(submission.pk),
            frozenset(digest for digest, short in own.items() if short),
            rivals,
            _shared(list(own), rivals),
        )

    def noted(self) -> dict[int, Overlap]:
        """The greatest overlap with each team, by the other submission; only overlaps that are
        `noted`."""
        teams, own = self._independent_teams(), set().union(*self.answers.values())
        best: dict[int, tuple[float, int, Overlap]] = {}
        for other, digests in sorted(self.shared.items()):
            team = self.rivals[other].team
            common = {one for one in digests if self._is_common(teams, one, team)}
            identical = digests == own and bool(own - common) and self._has_different_answers
            rare = len(digests - common - self.short) >= FEWEST_RARE * NOTED
            if not (rare or identical or self._may_be_nearly_all(other)):
                continue
            common = {one for one in own if self._is_common(teams, one, team)}
            theirs = _answers(other)
            found = overlap(self.answers, theirs, common | self.short)
            found = replace(found, identical=identical and theirs == self.answers)
            if found.noted and found.share > best.get(team, (0.0,))[0]:
                best[team] = found.share, other, found
        return {other: found for _share, other, found in best.values()}

    def _may_be_nearly_all(self, other: int) -> bool:
        """A quick check, without reading all of the other's answers."""
        least = len(self.answers) + self._answered.get(other, 0) - self._tasks
        return self._equal(other) >= HELD * max(FEWEST_RARE, least)

    def _equal(self, other: int) -> int:
        return sum(not own.isdisjoint(self.shared[other]) for own in self.answers.values())

    @cached_property
    def _tasks(self) -> int:
        return self.submission.revision.tasks.count()

    @cached_property
    def _answered(self) -> Mapping[int, int]:
        """The number of tasks with an answer, by other submission; only for those that share
        enough."""
        many = [other for other in self.shared if self._equal(other) >= HELD * FEWEST_RARE]
        rows = AnswerDigest.objects.filter(submission__in=many).order_by()
        counts = rows.values_list("submission").annotate(Count("task", distinct=True))
        return dict(counts)

    @cached_property
    def _has_different_answers(self) -> bool:
        """Whether it has enough generations, and not the same trivial text for all tasks."""
        if self.submission.generations_count < FEWEST_IDENTICAL:
            return False
        rows = Generation.with_unfinished.filter(submission=self.submission).exclude(text="")
        return len(rows.order_by().values("text").distinct()[:2]) > 1

    def _independent_teams(self) -> Mapping[bytes, set[int]]:
        """The independent teams with an answer, by digest; under b"" all independent teams."""
        teams: dict[bytes, set[int]] = defaultdict(set)
        teams[b""] = {rival.team for rival in self.rivals.values() if rival.independent}
        for other, digests in self.shared.items():
            if self.rivals[other].independent:
                for digest in digests:
                    teams[digest].add(self.rivals[other].team)
        return teams

    def _is_common(self, teams: Mapping[bytes, set[int]], digest: bytes, team: int) -> bool:
        givers = teams[digest] - {team} if digest in teams else set()
        return is_common(len(givers), len(teams[b""] - {team}))


def _rivals(submission: Submission) -> dict[int, _Rival]:
    """Includes unfinished submissions: of two that are stored at the same time, one then finds the
    other."""
    rows = Submission.with_unfinished.filter(
        revision=submission.revision_id, setting=submission.setting
    ).exclude(entrant__team=submission.entrant.team_id)
    copies = set(Copy.objects.filter(submission__in=rows).values_list("submission", flat=True))
    return {
        pk: _Rival(team, visibility == Visibility.PUBLISHED and pk not in copies)
        for pk, team, visibility in rows.values_list("pk", "entrant__team", "visibility")
    }


def _shared(digests: Sequence[bytes], rivals: Mapping[int, _Rival]) -> Mapping[int, set[bytes]]:
    shared: dict[int, set[bytes]] = defaultdict(set)
    for start in range(0, len(digests), ASKED):
        rows = AnswerDigest.objects.filter(digest__in=digests[start : start + ASKED])
        for other, digest in rows.values_list("submission", "digest"):
            if other in rivals:
                shared[other].add(bytes(digest))
    return shared


def _answers(submission: int) -> dict[int, set[bytes]]:
    answers: dict[int, set[bytes]] = defaultdict(set)
    rows = AnswerDigest.objects.filter(submission=submission)
    for task, digest in rows.values_list("task", "digest"):
        answers[task].add(bytes(digest))
    return answers


def _digest(task: int, requirement: str, turn: int, form: str) -> bytes:
    key = f"{task}\0{requirement}\0{turn}\0{form}"
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()

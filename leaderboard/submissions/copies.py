"""Finds submissions whose answers equal those of another team, by digests of their normal forms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from django.db import transaction
from django.db.models import Count, QuerySet

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
from leaderboard.submissions.parts import Write, in_pages, in_parts, paced

# Number of digests in one query.
ASKED = 500


def compare(*, submission: Submission, write: Write = transaction.atomic) -> None:
    """Stores the digests of the submission's answers, and records the submissions of other teams
    that it equals. The later submission of two is the copy. Safe to repeat, and to run
    concurrently: the last one finds the digests of all others."""
    family = submission.revision.benchmark.family
    tasks = task_records(submission.revision)

    def digests() -> Iterator[AnswerDigest]:
        generations = Generation.with_unfinished.filter(submission=submission)
        for row in in_pages(generations.defer("asked")):
            task = tasks[row.task_id]
            form = normal_form(family.code(task, row.text), task.language)
            if form.size:
                yield AnswerDigest(
                    submission=submission,
                    task_id=row.task_id,
                    digest=_digest(row.task_id, row.requirement, row.turn, form.text),
                    short=form.size < SHORT,
                )

    for rows in paced(in_parts(digests(), lambda _row: 0)):
        with write():
            AnswerDigest.objects.bulk_create(rows, ignore_conflicts=True)
    overlaps = _overlaps(submission)
    with write():
        for other, their_overlap in overlaps.items():
            first, second = sorted((submission.pk, other))
            columns = ("tasks", "share", "rare_tasks", "rare_share", "held")
            values = {name: getattr(their_overlap, name) for name in columns}
            Copy.objects.get_or_create(submission_id=second, other_id=first, defaults=values)


def _overlaps(submission: Submission) -> dict[int, Overlap]:
    """The greatest overlap with each other team, by submission; only `noted` ones."""
    rows = AnswerDigest.objects.filter(submission=submission, short=True)
    short = {bytes(digest) for digest in rows.values_list("digest", flat=True)}
    answers = _answers(submission.pk)
    digests: set[bytes] = set().union(*answers.values())
    # The other teams' submissions, also unfinished ones: of two that are stored at the same time,
    # one then finds the other.
    rivals = Submission.with_unfinished.filter(
        revision=submission.revision_id, setting=submission.setting
    ).exclude(entrant__team=submission.entrant.team_id)
    team_of = dict(rivals.values_list("pk", "entrant__team"))
    shared = _shared(list(digests), team_of)
    published = rivals.filter(visibility=Visibility.PUBLISHED, copies=None)
    givers = _independent_teams(published, shared)

    def common(some: set[bytes], team: int) -> set[bytes]:
        others = len(givers[b""] - {team})
        return {one for one in some if is_common(len(givers.get(one, set()) - {team}), others)}

    equal_tasks = {
        other: sum(not texts.isdisjoint(equal) for texts in answers.values())
        for other, equal in shared.items()
    }
    # The number of tasks with an answer, by other submission; only for those that share enough.
    many = [other for other, number in equal_tasks.items() if number >= HELD * FEWEST_RARE]
    counted = AnswerDigest.objects.filter(submission__in=many).order_by().values_list("submission")
    answered = dict(counted.annotate(Count("task", distinct=True)))
    spare = len(answers) - submission.revision.tasks.count()
    best: dict[int, tuple[int, Overlap]] = {}
    for other, equal in sorted(shared.items()):
        team = team_of[other]
        unusual = equal - common(equal, team)
        identical = equal == digests and bool(unusual) and _has_different_answers(submission)
        # Quick checks, without reading all of the other's answers.
        rare = len(unusual - short) >= FEWEST_RARE * NOTED
        nearly_all = HELD * max(FEWEST_RARE, spare + answered.get(other, 0))
        if not (rare or identical or equal_tasks[other] >= nearly_all):
            continue
        theirs = _answers(other)
        their_overlap = overlap(answers, theirs, common(digests, team) | short)
        their_overlap = replace(their_overlap, identical=identical and theirs == answers)
        if their_overlap.noted and (team not in best or their_overlap.share > best[team][1].share):
            best[team] = other, their_overlap
    return dict(best.values())


def _independent_teams(
    published: QuerySet[Submission], shared: Mapping[int, set[bytes]]
) -> dict[bytes, set[int]]:
    """The teams with an answer, by digest; under b"" all teams. What is published and was never
    found to be a copy is evidence of what teams answer by themselves."""
    teams: dict[bytes, set[int]] = defaultdict(set, {b"": set()})
    for other, team in published.values_list("pk", "entrant__team"):
        for digest in (b"", *shared.get(other, ())):
            teams[digest].add(team)
    return teams


def _has_different_answers(submission: Submission) -> bool:
    """Whether it has enough generations, and not the same trivial text for all tasks."""
    if submission.generations_count < FEWEST_IDENTICAL:
        return False
    rows = Generation.with_unfinished.filter(submission=submission).exclude(text="")
    return len(rows.order_by().values("text").distinct()[:2]) > 1


def _shared(digests: Sequence[bytes], rivals: Container[int]) -> dict[int, set[bytes]]:
    shared: dict[int, set[bytes]] = defaultdict(set)
    for start in range(0, len(digests), ASKED):
        rows = AnswerDigest.objects.filter(digest__in=digests[start : start + ASKED])
        for other, digest in rows.values_list("submission", "digest"):
            if other in rivals:
                shared[other].add(bytes(digest))
    return shared


def equal_tasks(copy: Copy) -> list[int]:
    """The numbers of the tasks with an equal answer."""
    theirs = AnswerDigest.objects.filter(submission=copy.other_id).values("digest")
    rows = AnswerDigest.objects.filter(submission=copy.submission_id, digest__in=theirs)
    return sorted(set(rows.values_list("task__number", flat=True)))


def references_given(
    revision: Revision, setting: str, submissions: Collection[int]
) -> tuple[set[int], dict[tuple[int, int], float]]:
    """The primary keys of the tasks whose hidden reference is not short; and by submission and
    task, the share of its different answers that equal the reference, if any does."""
    family = revision.benchmark.family
    # The digests of the references, each with the primary key of the task whose own prompt it
    # answers.
    digests: dict[bytes, int] = {}
    for key, task in task_records(revision).items():
        slots = [slot for slot in family.slots(task, setting) if slot.requirement is None]
        texts = family.solutions(task) if slots else ()
        forms = [normal_form(family.code(task, text), task.language) for text in texts]
        if forms and min(form.size for form in forms) >= SHORT:
            turn = stored_turn(slots[0].turn)
            digests |= {_digest(key, "", turn, form.text): key for form in forms}
    rows = AnswerDigest.objects.filter(submission__in=submissions).order_by()
    answers = rows.values_list("submission", "task").annotate(Count("pk"))
    counts = {(submission, task): count for submission, task, count in answers}
    equal = rows.filter(digest__in=list(digests)).values_list("submission", "task")
    return set(digests.values()), {slot: 1 / counts[slot] for slot in equal}


def _answers(submission: int) -> dict[int, set[bytes]]:
    answers: dict[int, set[bytes]] = defaultdict(set)
    rows = AnswerDigest.objects.filter(submission=submission)
    for task, digest in rows.values_list("task", "digest"):
        answers[task].add(bytes(digest))
    return answers


def _digest(task: int, requirement: str, turn: int, form: str) -> bytes:
    key = f"{task}\0{requirement}\0{turn}\0{form}"
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()

"""Finds submissions whose answers are like those of another team, by sketches of what they run."""

import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import islice, product
from operator import itemgetter

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.crypto import salted_hmac

from evaluation.engine.family import Family
from evaluation.engine.metrics.copies import (
    FEWEST_IDENTICAL,
    FEWEST_RARE,
    MOST_COMPARED,
    SHORT,
    Answers,
    Hashes,
    Overlap,
    alike,
    alike_share,
    is_common,
    overlap,
)
from evaluation.engine.normal_form import normal_form
from evaluation.engine.records import Task
from evaluation.engine.sketches import Sketch, sketch
from leaderboard.benchmarks.models import Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.submissions.models import AnswerDigest, Copy, Generation, Submission, Visibility
from leaderboard.submissions.parts import Write, in_pages, in_parts, paced

# Number of hashes in one query.
ASKED = 500
# The share of tasks on which the smallest hashes are equal, from which answers are read. Those of
# answers that are alike are equal with a probability of at least metrics.copies.ALIKE.
QUICK = 0.15
# Other teams by whose answers common ones are recognised.
MOST_TEAMS = 30
_DEFINED = re.compile(r"\bdef\s+(\w+)")


def compare(*, submission: Submission, write: Write = transaction.atomic) -> None:
    """Stores digests and sketches of the submission's answers, and records the submissions of other
    teams that it is like. The later submission of two is the copy. Safe to repeat, and to run
    concurrently: the last one finds the digests of all others."""
    family = submission.revision.benchmark.family
    tasks = task_records(submission.revision)

    def digests() -> Iterator[AnswerDigest]:
        generations = Generation.with_unfinished.filter(submission=submission)
        for row in in_pages(generations.defer("asked")):
            task = tasks[row.task_id]
            code = family.code(task, row.text)
            form = normal_form(code, task.language)
            if form.size:
                answer = _sketch(family, task, row, code)
                yield AnswerDigest(
                    submission=submission,
                    task_id=row.task_id,
                    digest=_digest(row.task_id, row.requirement, row.turn, form.text),
                    hashes=array("I", answer.hashes).tobytes(),
                    least=answer.hashes[0],
                    short=answer.size < SHORT,
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


def _sketch(family: Family, task: Task, row: Generation, code: str) -> Sketch:
    name, prompt = task.public.get("entry_point"), f"{task.id} {task.public.get('prompt', '')}"
    # Of the solution's functions, the one that the prompt names; or those that the prompt defines.
    solved = {*_DEFINED.findall("\n".join(family.solutions(task)))}
    named = solved.intersection(re.findall(r"\w+", prompt)) or {*_DEFINED.findall(prompt)}
    slot = f"{row.task_id}\0{row.requirement}\0{row.turn}"
    # The site's secret keeps copiers from choosing which hashes are the smallest.
    slot = salted_hmac(__name__, slot).hexdigest()
    return sketch(code, task.language, {name} if name else named, slot)


def _overlaps(submission: Submission) -> dict[int, Overlap]:
    """The greatest overlap with each other team, by submission; only `noted` ones."""
    answers = _answers(submission.pk)
    short = set[Hashes]().union(*_answers(submission.pk, short=True).values())
    # Also unfinished ones: of two that are stored at the same time, one then finds the other.
    team = submission.entrant.team_id
    # A team may send its answers again after another team copied them.
    copied = Copy.objects.filter(held=True, other__entrant__team=team).values("submission")
    rivals = Submission.with_unfinished.filter(
        revision=submission.revision_id, setting=submission.setting
    ).exclude(Q(entrant__team=team) | Q(pk__in=copied))
    team_of = dict(rivals.values_list("pk", "entrant__team"))
    # By other submission, the number of tasks with an answer whose smallest hash is equal.
    digests = AnswerDigest.objects.filter(submission=submission)
    least, tasks = [*set(digests.values_list("least", flat=True))], set[tuple[int, int]]()
    for start in range(0, len(least), ASKED):
        equal = AnswerDigest.objects.filter(least__in=least[start : start + ASKED])
        tasks |= {row for row in equal.values_list("submission", "task") if row[0] in team_of}
    shared = Counter(other for other, _task in tasks)
    # The number of tasks with an answer, by other submission; only for those that share enough.
    many = [other for other, number in shared.items() if number >= QUICK * FEWEST_RARE]
    counted = AnswerDigest.objects.filter(submission__in=many).order_by().values_list("submission")
    answered = dict(counted.annotate(Count("task", distinct=True)))
    spare = len(answers) - submission.revision.tasks.count()
    rival_answers = {
        other: _answers(other)
        for other in sorted(many)
        if shared[other] >= QUICK * max(FEWEST_RARE, spare + answered[other])
    }
    published = rivals.filter(visibility=Visibility.PUBLISHED, copies=None)
    givers, teams = _independent_teams(answers, published) if rival_answers else ({}, set())
    best: dict[int, tuple[int, Overlap]] = {}
    for other, theirs in rival_answers.items():
        team = team_of[other]
        others = len(teams - {team})
        common = {a for a, gave in givers.items() if is_common(len(gave - {team}), others)}
        has_unusual = any(not of_task <= common for of_task in answers.values())
        identical = theirs == answers and has_unusual and _has_different_answers(submission)
        their_overlap = replace(overlap(answers, theirs, common | short), identical=identical)
        if their_overlap.noted and (team not in best or their_overlap.share > best[team][1].share):
            best[team] = other, their_overlap
    return dict(best.values())


def _independent_teams(
    answers: Answers, published: QuerySet[Submission]
) -> tuple[dict[Hashes, set[int]], set[int]]:
    """By answer, the teams with one like it; and all teams. What is published and was never found
    to be a copy is evidence of what teams answer by themselves."""
    every = dict(published.order_by("pk").values_list("entrant__team", "pk"))
    latest = dict(islice(reversed(every.items()), MOST_TEAMS))
    givers: dict[Hashes, set[int]] = defaultdict(set)
    # Answers that are alike mostly have the same smallest hashes: they are near in this order.
    mine = {task: [(sorted(answer), answer) for answer in answers[task]] for task in answers}
    for team, pk in latest.items():
        theirs = _answers(pk)
        for task in answers.keys() & theirs.keys():
            ordered = sorted((sorted(other), other) for other in theirs[task])
            for hashes, answer in mine[task]:
                at = bisect_left(ordered, hashes, key=itemgetter(0))
                near = ordered[max(0, at - MOST_COMPARED) : at + MOST_COMPARED]
                if any(alike(answer, other) for _hashes, other in near):
                    givers[answer].add(team)
    return givers, set(latest)


def _has_different_answers(submission: Submission) -> bool:
    """Whether it has enough generations, and not the same trivial text for all tasks."""
    if submission.generations_count < FEWEST_IDENTICAL:
        return False
    rows = Generation.with_unfinished.filter(submission=submission).exclude(text="")
    return len(rows.order_by().values("text").distinct()[:2]) > 1


def tasks_alike(copy: Copy) -> list[int]:
    """The primary keys of the tasks with answers that are alike; those with long answers first."""
    if copy.other_id is None:
        return []
    mine, theirs = _answers(copy.submission_id), _answers(copy.other_id)
    longest = {
        task: max(map(len, mine[task]))
        for task in mine.keys() & theirs.keys()
        if alike_share(mine[task], theirs[task])
    }
    return sorted(longest, key=lambda task: (-longest[task], task))


def pairs_alike(copy: Copy, tasks: Collection[int]) -> Iterator[tuple[Generation, Generation]]:
    """Of each of the tasks, the first two generations that are alike."""
    revision = copy.submission.revision
    family, records = revision.benchmark.family, task_records(revision)
    rows: dict[tuple[int, int], list[tuple[Generation, Hashes]]] = defaultdict(list)
    both = Generation.objects.filter(submission__in=[copy.submission_id, copy.other_id])
    for row in both.filter(task__in=tasks).select_related("task").order_by("pk"):
        task = records[row.task_id]
        answer = _sketch(family, task, row, family.code(task, row.text))
        rows[row.task_id, row.submission_id].append((row, frozenset(answer.hashes)))
    for key in tasks:
        pairs = product(rows[key, copy.submission_id], rows[key, copy.other_id or 0])
        yield from islice(((row, other) for (row, a), (other, b) in pairs if alike(a, b)), 1)


def references_given(
    revision: Revision, setting: str, submissions: Collection[int]
) -> tuple[set[int], dict[tuple[int, int], float]]:
    """The primary keys of the tasks whose hidden reference is not short; and by submission and
    task, the share of its different answers that equal the reference, if any does."""
    family = revision.benchmark.family
    # By digest of a reference: the key of the task whose own prompt it answers.
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


def _answers(submission: int, **which: bool) -> dict[int, set[Hashes]]:
    answers: dict[int, set[Hashes]] = defaultdict(set)
    rows = AnswerDigest.objects.filter(submission=submission, **which)
    for task, hashes in rows.values_list("task", "hashes"):
        answers[task].add(frozenset(array("I", bytes(hashes))))
    return answers


def _digest(task: int, requirement: str, turn: int, form: str) -> bytes:
    key = f"{task}\0{requirement}\0{turn}\0{form}"
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()

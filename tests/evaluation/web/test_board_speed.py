"""Boards with many entrants are made in bounded time and memory."""

import json
import resource
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from random import Random

import pytest
from django.db import transaction
from django.db.models import F

from evaluation.management.commands.seed_scale import Scale, seed
from evaluation.models import Evaluation, EvaluationState
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.records import task_records
from leaderboard.scores.boards import make_board
from leaderboard.scores.models import Board, Score, TaskResult
from leaderboard.submissions.copies import compare
from leaderboard.submissions.models import AnswerDigest, Submission, Visibility
from tests.support.stack import Stack

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(1800)]

TASKS, SAMPLES, MOST_BYTES = 164, 10, 500 * 2**20
# The share of slots on which an entrant gives the reference.
KNOWN = 0.1


@pytest.mark.parametrize(("entrants", "seconds"), [(200, 15), (1000, 180)])
def test_a_large_board_is_made_in_time_and_memory(
    entrants: int, seconds: int, tmp_path: Path
) -> None:
    stack, module = Stack(tmp_path), "from tests.evaluation.web import test_board_speed as own;"
    stack.manage("migrate", "-v0")
    filled = f"{module} own.fill({entrants - 1}, {SAMPLES})"
    stack.manage("shell", "-v0", "-c", filled, seconds=1200)
    # A separate process, because the memory peak of this one may come from an earlier test.
    told = stack.manage("shell", "-v0", "-c", f"{module} own.tell()", seconds=1200)
    used, held, ranked = json.loads(told)
    assert ranked == entrants
    assert used <= seconds
    assert held <= MOST_BYTES


def tell() -> None:
    """Makes the only board. Prints the seconds of processor time (without the database's own on
    PostgreSQL), the peak memory of the process in bytes, and the number of ranked rows."""
    Board.objects.update(wanted=F("wanted") + 1)
    board, began = Board.objects.get(), time.process_time()
    assert make_board(board=board)
    used, held = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ranked = board.standings.filter(place__isnull=False).count()
    print(json.dumps([used, held * 1024, ranked]))


def fill(more: int, samples: int) -> None:
    """Makes a board with `more` entrants besides its first one."""
    seed(Scale(submissions=1, verdicts=TASKS * samples, benchmarks=1), lambda *_progress: None)
    Task.objects.filter(number__lt=TASKS // 2).update(dated=date(2024, 3, 1))
    Task.objects.filter(dated=None).update(dated=date(2026, 3, 1))
    with transaction.atomic():
        _with_more(Submission.objects.get(), more, samples)


def _with_more(first: Submission, number: int, samples: int) -> None:
    """Publishes `number` results like the first one, with answers."""
    entrants = Entrant.objects.bulk_create(
        Entrant(
            team=first.entrant.team,
            name=f"Copy {row}",
            slug=f"copy-{row}",
            cutoff=date(2025, 1, row % 28 + 1),
        )
        for row in range(number)
    )
    submissions = Submission.objects.bulk_create(
        Submission(
            entrant=entrant,
            revision=first.revision,
            setting=first.setting,
            generations_count=first.generations_count,
            digest=f"{entrant.pk:064x}",
            visibility=Visibility.PUBLISHED,
            published=first.published,
        )
        for entrant in entrants
    )
    old = first.evaluations.get()
    evaluations = Evaluation.objects.bulk_create(
        Evaluation(
            submission=one,
            state=EvaluationState.DONE,
            engine_version=old.engine_version,
            limits=old.limits,
        )
        for one in submissions
    )
    tasks = list(first.revision.tasks.order_by("number").values_list("pk", flat=True))
    _store_results(evaluations, tasks, samples)
    _store_answers(first, submissions, tasks, samples)


def _store_results(evaluations: Sequence[Evaluation], tasks: Sequence[int], samples: int) -> None:
    random, scores, results = Random(5), [], []
    for row, evaluation in enumerate(evaluations):
        ability = 0.2 + 0.6 * row / len(evaluations)
        right = [
            sum(random.random() < ability + 0.3 * (n / len(tasks) - 0.5) for _ in range(samples))
            for n in range(len(tasks))
        ]
        results += [
            TaskResult(evaluation=evaluation, task_id=task, metric="pass", n=samples, c=c)
            for task, c in zip(tasks, right, strict=True)
        ]
        score = sum(right) / samples / len(tasks)
        counts = {"n": samples * len(tasks), "tasks": len(tasks)}
        scores.append(Score(evaluation=evaluation, metric="pass@1", value=score, **counts))
    Score.objects.bulk_create(scores)
    TaskResult.objects.bulk_create(results, batch_size=5000)


def _store_answers(
    first: Submission, submissions: Sequence[Submission], tasks: Sequence[int], samples: int
) -> None:
    """The first one gives every reference, the others give some of them."""
    random = Random(6)
    family, known = first.revision.benchmark.family, task_records(first.revision)
    for answer in first.generations.filter(sample=0):
        answer.text = next(iter(family.solutions(known[answer.task_id])))
        answer.save()
    first.generations.exclude(sample=0).delete()
    compare(submission=first)
    given = dict(first.answer_digests.values_list("task", "digest"))
    for one in submissions:
        rows = []
        for task in tasks:
            digests = [random.randbytes(16) for _ in range(samples)]
            if random.random() < KNOWN and task in given:
                digests[0] = bytes(given[task])
            rows += [
                AnswerDigest(submission=one, task_id=task, digest=digest, least=0, short=False)
                for digest in digests
            ]
        AnswerDigest.objects.bulk_create(rows, batch_size=5000)

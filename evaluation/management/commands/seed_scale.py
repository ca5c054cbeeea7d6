"""`manage.py seed_scale`: fills an empty installation with invented results, to measure pages.

Generations and verdicts are written by SQL, scores and boards by the ordinary code."""

import time
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import cycle, islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections, transaction
from django.utils import timezone

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.family import ByExecution
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_answers, sample_folder, sample_tasks
from evaluation.jobs import show_board
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict
from evaluation.state.scheduling import claim_scoring, limits_of
from leaderboard.accounts.models import Entrant, Team
from leaderboard.benchmarks.importing import family_texts, store_tasks
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.scores.boards import make_board, stale_boards
from leaderboard.scores.scoring import score_evaluation
from leaderboard.submissions.models import Generation, Submission, Visibility

# Minimum seconds between lines about the same step.
SAY_SECONDS = 5.0
LABEL = PREFIX = "scale"
OWNER = "seed_scale"
# Generations per task of each benchmark.
_SAMPLES = (5, 10, 20)
_ENTRANTS_OF_TEAM = 10
_LEVELS = ("easy", "medium", "hard")
_CATEGORIES = ("dates", "graphs", "numbers", "parsing", "strings", "trees")
_ORGANISATIONS = ("Northwood", "Fenland", "Longmoor", "Westmere", "")
# Billions of parameters.
_SIZES = (1.5, 7.0, 14.0, 32.0, 70.0, None)
_TEXT = b"    return sorted(values)[len(values) // 2]\n"

_GENERATIONS = """
    WITH RECURSIVE samples(number) AS (
        SELECT 0 UNION ALL SELECT number + 1 FROM samples WHERE number + 1 < %s
    )
    INSERT INTO {generations} (submission_id, task_id, sample, requirement, turn, text, asked)
    SELECT %s, task.id, samples.number, '', -1, %s, %s
    FROM {tasks} task CROSS JOIN samples WHERE task.revision_id = %s
    ORDER BY task.number, samples.number
"""
# `luck` and `ease` are 0..999. An entrant passes easy tasks more often than hard ones.
_VERDICTS = """
    INSERT INTO {verdicts} (
        evaluation_id, generation_id, test_set, status, integrity, tier, tests_passed,
        tests_total, duration_ms, peak_memory_kib, flags, evidence
    )
    SELECT %s, id, '',
        CASE WHEN passes THEN 'passed' WHEN luck %% 10 < 7 THEN 'failed'
            WHEN luck %% 10 < 9 THEN 'runtime_error' ELSE 'timeout' END,
        'clean', 'outside', CASE WHEN passes THEN 8 ELSE luck %% 8 END, 8, 20 + luck,
        12000 + luck, '[]', %s
    FROM (
        SELECT id, luck, 6 * luck < 10 * %s + 4 * ease - 4000 AS passes FROM (
            SELECT generation.id, generation.id * 48271 %% 2147483647 %% 1000 AS luck,
                task.number * 7919 %% 1000 AS ease
            FROM {generations} generation JOIN {tasks} task ON task.id = generation.task_id
            WHERE generation.submission_id = %s
        ) known
    ) judged
"""


class Command(BaseCommand):
    help = (
        "Fills an empty installation with invented published results: with the default sizes "
        "1,000 submissions on 5 benchmarks and 5 million verdicts, in 10 minutes on PostgreSQL. "
        "Choose smaller sizes for SQLite."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--submissions", type=int, default=1_000)
        parser.add_argument("--verdicts", type=int, default=5_000_000)
        parser.add_argument("--benchmarks", type=int, default=5)
        words = "seed an installation that has data of its own; no command removes it again"
        parser.add_argument("--yes", action="store_true", help=words)

    def handle(self, *_args: Any, **options: Any) -> None:
        scale = Scale(options["submissions"], options["verdicts"], options["benchmarks"])
        if scale.benchmarks < 1 or scale.submissions < scale.benchmarks:
            raise CommandError(
                "Each benchmark needs a submission: give --submissions a larger number."
            )
        if scale.verdicts < scale.submissions:
            raise CommandError("Each submission needs a verdict: give --verdicts a larger number.")
        if Benchmark.objects.filter(slug__startswith=f"{PREFIX}-").exists():
            raise CommandError("This installation is seeded already. Use an empty database.")
        rows = {"benchmarks": Benchmark, "entrants": Entrant, "submissions": Submission}
        counts = {name: model._default_manager.count() for name, model in rows.items()}
        listed = ", ".join(f"{name}: {number:,}" for name, number in counts.items() if number)
        if listed and not options["yes"]:
            raise CommandError(
                f"This installation has data of its own ({listed}). Invented results would be "
                "public next to them, and no command removes them. Use an empty database, or "
                "repeat the command with --yes."
            )
        began = said = time.monotonic()
        last_step = ""

        def say(step: str, done: int, of: int) -> None:
            nonlocal last_step, said
            if step != last_step or done == of or time.monotonic() >= said + SAY_SECONDS:
                last_step, said = step, time.monotonic()
                self.stdout.write(f"{step}: {done:,} of {of:,}")
                self.stdout.flush()

        seed(scale, say)
        self.stdout.write(
            f"Seeded in {time.monotonic() - began:.0f} s: {scale.entrants * scale.benchmarks:,} "
            f"submissions of {scale.entrants:,} entrants on {scale.benchmarks} benchmarks."
        )


@dataclass(frozen=True, slots=True)
class Scale:
    """`submissions` and `verdicts` are totals for the installation."""

    submissions: int
    verdicts: int
    benchmarks: int

    @property
    def entrants(self) -> int:
        """Each has a result on every benchmark."""
        return self.submissions // self.benchmarks

    def samples(self, number: int) -> int:
        return min(_SAMPLES[number % len(_SAMPLES)], self.verdicts // self.submissions)

    def tasks(self, number: int) -> int:
        return self.verdicts // self.submissions // self.samples(number)


def seed(scale: Scale, say: Callable[[str, int, int], None]) -> None:
    """Stores and publishes the results and makes their boards. `say` gets the name of a step, the
    number of its finished parts, and the number of its parts."""
    entrants, now = _entrants(scale.entrants), timezone.now()
    revisions = [_benchmark(scale, number) for number in range(scale.benchmarks)]
    by_revision = [
        Submission.objects.bulk_create(
            Submission(
                entrant=entrant,
                revision=revision,
                setting=revision.benchmark.setting,
                generations_count=scale.tasks(number) * scale.samples(number),
                digest=f"{number:032x}{place:032x}",
                visibility=Visibility.PUBLISHED,
                published=now - timedelta(days=place * 7 % 360, minutes=number),
            )
            for place, entrant in enumerate(entrants)
        )
        for number, revision in enumerate(revisions)
    ]
    # Neighbours are of different benchmarks, because scoring locks the revision.
    work = [
        (submission.pk, scale.samples(number), place * scale.benchmarks + number)
        for place, same_entrant in enumerate(zip(*by_revision, strict=True))
        for number, submission in enumerate(same_entrant)
    ]
    # One process per processor. On SQLite only one can write, and no other process sees what an
    # open transaction has written.
    alone = connection.vendor == "sqlite" or connection.in_atomic_block
    if not alone:
        connections.close_all()
    with nullcontext() if alone else ProcessPoolExecutor() as pool:
        for done, _none in enumerate(pool.map(_fill, work) if pool else map(_fill, work), 1):
            say("stored and scored", done, len(work))
    with connection.cursor() as cursor:
        # Fresh statistics: without them, the database reads whole tables for a page.
        cursor.execute("ANALYZE")
    for done, board in enumerate(stale_boards().filter(revision__in=revisions), 1):
        if make_board(board=board):
            board.refresh_from_db()
            show_board(board)
        say("boards made", done, len(revisions))


def _fill(work: tuple[int, int, int]) -> None:
    """`work` is a submission without generations, its samples, and its number among all."""
    key, samples, place = work
    submission = Submission.objects.select_related("revision__benchmark").get(pk=key)
    evaluation = claim_scoring(pk=_judged(submission, samples, place), owner=OWNER)
    # A worker may have claimed it.
    if evaluation is not None:
        score_evaluation(evaluation=evaluation)


@transaction.atomic
def _benchmark(scale: Scale, number: int) -> Revision:
    """A benchmark with the family's own tasks, repeated under other ids."""
    # Families that ship sample tasks, use no projects and judge each generation once.
    families = [
        family
        for slug, family in FAMILIES.items()
        if isinstance(family.judged, ByExecution)
        and family.judged.projects is None
        and family.judged.test_sets is None
        and sample_folder(slug)
    ]
    family = families[number % len(families)]
    benchmark = Benchmark.objects.create(
        slug=f"{PREFIX}-{number + 1}",
        family_slug=family.slug,
        setting=family.settings[0],
        title=f"{family.title} at scale {number + 1}",
        **family_texts(family.slug),
    )
    revision = benchmark.revisions.create(label=LABEL, sha256="")
    folder = sample_folder(family.slug)
    assert folder is not None
    samples = family.load_tasks(sample_tasks(folder), sample_answers(folder))
    tasks = [
        replace(
            task,
            id=n if isinstance(task.id, int) else f"{task.id}/{n}",
            level=task.level or _LEVELS[n % len(_LEVELS)],
            category=task.category or _CATEGORIES[n % len(_CATEGORIES)],
        )
        for n, task in enumerate(islice(cycle(samples), scale.tasks(number)))
    ]
    store_tasks(revision, tasks, {})
    benchmark.current = revision
    benchmark.save(update_fields=["current"])
    return revision


@transaction.atomic
def _entrants(count: int) -> list[Entrant]:
    teams = Team.objects.bulk_create(
        Team(name=f"Scale team {number + 1}", slug=f"{PREFIX}-team-{number + 1}")
        for number in range(-(-count // _ENTRANTS_OF_TEAM))
    )
    weights = Entrant.Weights.values
    return Entrant.objects.bulk_create(
        Entrant(
            team=teams[number // _ENTRANTS_OF_TEAM],
            name=f"Scale model {number + 1:03}",
            slug=f"{PREFIX}-model-{number + 1}",
            organisation=_ORGANISATIONS[number % len(_ORGANISATIONS)],
            parameters=_SIZES[number % len(_SIZES)],
            weights=weights[number % len(weights)],
        )
        for number in range(count)
    )


@transaction.atomic
def _judged(submission: Submission, samples: int, place: int) -> int:
    """Stores generations and verdicts. Returns the primary key of an evaluation to score."""
    benchmark, now = submission.revision.benchmark, timezone.now()
    _write(_GENERATIONS, samples, submission.pk, _TEXT, b"", submission.revision_id)
    evaluation = Evaluation.objects.create(
        submission=submission,
        state=EvaluationState.JUDGING,
        engine_version=ENGINE_VERSION,
        limits=limits_of(benchmark, submission.setting).stored(),
        started=now,
    )
    keys = submission.generations.order_by("pk").values_list("pk", flat=True)
    first, last, size = keys.first(), keys.last(), submission.generations_count
    assert first is not None and last is not None
    Chunk.objects.create(
        evaluation=evaluation,
        number=0,
        queue=benchmark.family.by_execution().image,
        first_generation=first,
        last_generation=last,
        size=size,
        runs=size,
        judged=size,
        state=ChunkState.DONE,
        started=now,
        finished=now,
    )
    # Abilities are 150..850 of 1000, in no order.
    _write(_VERDICTS, evaluation.pk, b"", 150 + place * 389 % 701, submission.pk)
    return evaluation.pk


def _write(statement: str, *values: int | bytes) -> None:
    models = {"generations": Generation, "tasks": Task, "verdicts": Verdict}
    quote = connection.ops.quote_name
    tables = {name: quote(model._meta.db_table) for name, model in models.items()}
    with connection.cursor() as cursor:
        cursor.execute(statement.format(**tables), values)

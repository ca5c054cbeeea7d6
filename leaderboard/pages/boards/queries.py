"""Database reads of the public pages, limited to what the reader may see; never TaskHidden."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from django.db.models import (
    Avg,
    Count,
    F,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Coalesce

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByPeople
from evaluation.models import Evaluation, ReferenceVerdict, Verdict
from evaluation.state.references import newest
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.submissions.models import LedgerEntry, Submission, Visibility

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

# By metric, slice and slice value.
Scores: TypeAlias = Mapping[tuple[str, str, str], Score]
ScoresByEvaluation: TypeAlias = Mapping[int, Scores]
# Language, natural language, number of tasks.
Languages: TypeAlias = tuple[str, str, int]
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Result:
    standing: Standing
    scores: Scores

    def overall(self, metric: str) -> Score | None:
        return self.scores.get((metric, OVERALL, ""))


def published(user: Person) -> QuerySet[Submission]:
    """The published submissions that this user may see; boards show no private results."""
    return Submission.objects.visible_to(user).filter(visibility=Visibility.PUBLISHED)


def settings_of(benchmark: Benchmark) -> tuple[str, ...]:
    """The family's settings; only the benchmark's own if this engine does not know the family."""
    try:
        return benchmark.family.settings
    except BenchmarkError:
        return (benchmark.setting,)


def scales_of(benchmark: Benchmark) -> dict[str, int]:
    """The best mark on each rating scale, by metric; empty if code is run."""
    try:
        judged = benchmark.family.judged
    except BenchmarkError:
        return {}
    return {one.name: one.top for one in judged.criteria} if isinstance(judged, ByPeople) else {}


def benchmark_list(user: Person) -> QuerySet[Benchmark]:
    """Benchmarks with a current revision, annotated with `tasks_count`."""
    return (
        Benchmark.objects.visible_to(user)
        .filter(current__isnull=False)
        .select_related("current")
        .annotate(tasks_count=Count("current__tasks", distinct=True))
        .order_by("title")
    )


def revisions_of(benchmark: Benchmark, user: Person) -> list[Revision]:
    """Newest first. Only staff see revisions that are not current yet."""
    revisions = list(benchmark.revisions.order_by("-imported", "-pk"))
    if user.is_staff or benchmark.current is None:
        return revisions
    return [r for r in revisions if r.imported <= benchmark.current.imported]


def languages_of(revision: Revision) -> list[Languages]:
    return _languages([revision.pk])[revision.pk]


def languages_by_revision(benchmarks: Iterable[Benchmark]) -> Mapping[int, list[Languages]]:
    """`languages_of` for the benchmarks' current revisions, by revision."""
    return _languages([b.current_id for b in benchmarks if b.current_id is not None])


def _languages(revisions: Sequence[int]) -> Mapping[int, list[Languages]]:
    rows = (
        Task.objects.filter(revision__in=revisions)
        .values_list("revision", "language", "natural_language")
        .annotate(tasks=Count("pk"))
        .order_by("-tasks", "language", "natural_language")
    )
    found: dict[int, list[Languages]] = defaultdict(list)
    for revision, language, natural, tasks in rows:
        found[revision].append((language, natural, tasks))
    return found


def board_of(revision: Revision, setting: str) -> Board | None:
    rows = Board.objects.select_related("revision__benchmark").defer("swaps")
    return rows.filter(revision=revision, setting=setting).first()


def first_boards(benchmarks: Iterable[Benchmark]) -> dict[int, Board]:
    """By benchmark: the board of its first setting in its current revision, if there is one."""
    boards = Board.objects.filter(
        revision__benchmark__in=[benchmark.pk for benchmark in benchmarks],
        revision=F("revision__benchmark__current"),
        setting=F("revision__benchmark__setting"),
    ).select_related("revision__benchmark")
    return {board.revision.benchmark_id: board for board in boards}


def current_boards(benchmarks: Iterable[Benchmark]) -> list[Board]:
    """The boards of current revisions that rank by the benchmark's metric for the setting."""
    boards = (
        Board.objects.filter(
            revision__benchmark__in=[benchmark.pk for benchmark in benchmarks],
            revision=F("revision__benchmark__current"),
        )
        .select_related("revision__benchmark")
        .order_by("revision__benchmark__title", "setting")
    )
    return [one for one in boards if one.metric == one.revision.benchmark.metric_in(one.setting)]


def results_of(
    boards: Iterable[Board], user: Person, slices: Sequence[str] = ()
) -> dict[int, list[Result]]:
    """Each board's rows in order, with overall scores and its metric by `slices`. Two queries."""
    boards = list(boards)
    standings = list(
        Standing.objects.filter(board__in=boards, submission__in=published(user))
        .select_related(
            "submission__entrant",
            "submission__revision",
            "submission__ledger_entry",
            "evaluation",
        )
        .order_by("board", F("place").asc(nulls_last=True), "pk")
    )
    scores = scores_shown(standings, {b.metric for b in boards}, slices)
    results: dict[int, list[Result]] = defaultdict(list)
    for standing in standings:
        results[standing.board_id].append(Result(standing, scores[standing.evaluation_id]))
    return results


def scores_of(
    evaluations: Sequence[int], metrics: Iterable[str], slices: Sequence[str] = ()
) -> ScoresByEvaluation:
    """By evaluation: every overall score, and those of `metrics` by `slices`. The newest ones, not
    those of a board that waits to be made anew."""
    return _by_evaluation(Score.objects.filter(evaluation__in=evaluations), metrics, slices)


def scores_shown(
    standings: Iterable[Standing], metrics: Iterable[str], slices: Sequence[str] = ()
) -> ScoresByEvaluation:
    """As `scores_of`, but the scores that these standings show."""
    rows = Standing.objects.filter(pk__in=[standing.pk for standing in standings])
    return _by_evaluation(shown_in(Score.with_kept.all(), rows), metrics, slices)


def _by_evaluation(
    scores: QuerySet[Score], metrics: Iterable[str], slices: Sequence[str]
) -> ScoresByEvaluation:
    wanted = Q(slice=OVERALL) | Q(slice__in=slices, metric__in=list(metrics))
    found: dict[int, dict[tuple[str, str, str], Score]] = defaultdict(dict)
    for score in scores.filter(wanted).order_by("pk"):
        found[score.evaluation_id][score.metric, score.slice, score.slice_value] = score
    return found


@dataclass(frozen=True, slots=True)
class Ledger:
    """How many submissions a team had judged for a board, and how many of them are published."""

    judged: int
    published: int


def ledgers_of(revision: Revision, setting: str) -> dict[int, Ledger]:
    """By team."""
    public = Count("pk", filter=Q(submission__visibility=Visibility.PUBLISHED))
    rows = LedgerEntry.objects.filter(revision=revision, setting=setting).values_list("team")
    counts = rows.annotate(judged=Count("pk"), published=public).order_by()
    return {team: Ledger(judged, published) for team, judged, published in counts}


def latest_standings(user: Person, most: int) -> list[Standing]:
    return list(
        Standing.objects.filter(
            submission__in=published(user),
            board__revision=F("board__revision__benchmark__current"),
            submission__published__isnull=False,
        )
        .select_related("submission__entrant", "board__revision__benchmark")
        .order_by("-submission__published", "-pk")[:most]
    )


@dataclass(frozen=True, slots=True)
class SiteCounts:
    entrants: int
    results: int
    generations: int


def site_counts(user: Person) -> SiteCounts:
    found = published(user).filter(standings__isnull=False)
    counts = Submission.objects.filter(pk__in=found.values("pk")).aggregate(
        entrants=Count("entrant", distinct=True),
        results=Count("pk"),
        generations=Sum("generations_count", default=0),
    )
    return SiteCounts(**counts)


def with_solve_rates(tasks: QuerySet[Task], board: Board | None) -> QuerySet[Task]:
    """Annotates `solve_rate`: the mean of c/n over the board's settled results, 0..1 or None."""
    if board is None:
        return tasks.annotate(solve_rate=Value(None, output_field=FloatField()))
    settled = Standing.objects.filter(
        board=board, place__isnull=False, submission__visibility=Visibility.PUBLISHED
    )
    counted = shown_in(TaskResult.with_kept.all(), settled).filter(
        task=OuterRef("pk"), metric=board.result_metric, overall=True
    )
    share = Cast("c", FloatField()) / Cast("n", FloatField())
    rate = counted.order_by().values("task").annotate(rate=Avg(Coalesce("value", share)))
    return tasks.annotate(solve_rate=Subquery(rate.values("rate")))


def levels_of(revision: Revision) -> tuple[list[str], list[str]]:
    """The levels and the categories of the revision's tasks, without empty ones."""
    pairs = revision.tasks.values_list("level", "category").distinct().order_by()
    found = list(pairs)
    return sorted({p[0] for p in found} - {""}), sorted({p[1] for p in found} - {""})


def references_of(task: Task) -> list[ReferenceVerdict]:
    """The verdicts on the benchmark's own programs for the task, in the image used last."""
    found = newest(ReferenceVerdict.objects.filter(task=task))
    return list(found.get(task.pk, {}).values())


def task_results(
    task: Task, standings: Iterable[Standing], metric: str
) -> dict[int, tuple[int, int]]:
    """By evaluation: the numbers of the task's correct generations and of all its generations."""
    rows = Standing.objects.filter(pk__in=[standing.pk for standing in standings])
    found = shown_in(TaskResult.with_kept.all(), rows).filter(
        task=task, metric=metric, overall=True
    )
    sums = found.values_list("evaluation").annotate(c=Sum("c"), n=Sum("n")).order_by()
    return {evaluation: (c, n) for evaluation, c, n in sums}


def task_verdicts(task: Task, evaluations: Sequence[int]) -> dict[int, list[Verdict]]:
    """By evaluation: the task's verdicts in the order of turn, requirement and sample."""
    found = (
        Verdict.objects.of_generations()
        .filter(generation__task=task, evaluation__in=evaluations)
        .select_related("generation")
        .defer("generation__text", "evidence")
        .order_by("generation__turn", "generation__requirement", "generation__sample")
    )
    verdicts: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in found:
        verdicts[verdict.evaluation_id].append(verdict)
    return verdicts


def entrant_list(user: Person) -> QuerySet[Entrant]:
    """With `results_count` and `latest` of published results."""
    shown = Q(submissions__in=published(user), submissions__standings__isnull=False)
    return Entrant.objects.visible_to(user).annotate(
        results_count=Count("submissions", filter=shown, distinct=True),
        latest=Max("submissions__published", filter=shown),
    )


def entrant_standings(
    entrants: QuerySet[Entrant], user: Person, slices: Sequence[str]
) -> list[Result]:
    """Rows on boards of current revisions, by benchmark and setting, with scores by `slices`."""
    standings = list(
        Standing.objects.filter(
            submission__in=published(user).filter(entrant__in=entrants),
            board__revision=F("board__revision__benchmark__current"),
        )
        .select_related("submission__entrant", "evaluation", "board__revision__benchmark")
        .defer("board__swaps", "board__pairs")
        .annotate(of=Count("board__standings", filter=Q(board__standings__place__isnull=False)))
        .order_by("board__revision__benchmark__title", "board__setting", "board")
    )
    metrics = {standing.board.metric for standing in standings}
    scores = scores_shown(standings, metrics, slices)
    return [Result(s, scores[s.evaluation_id]) for s in standings]


def entrant_history(entrant: Entrant, user: Person) -> QuerySet[Submission]:
    return (
        Submission.objects.visible_to(user)
        .filter(entrant=entrant)
        .select_related("revision__benchmark")
        .order_by("-created", "-pk")
    )


def current_evaluations(submissions: Iterable[Submission]) -> dict[int, Evaluation]:
    found = Evaluation.objects.filter(current=True, submission__in=list(submissions))
    return {evaluation.submission_id: evaluation for evaluation in found}

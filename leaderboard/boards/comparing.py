"""What a comparison of rows of a board reads: scores, tests, tasks and verdicts, as values."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from django.core.cache import cache
from django.db.models import Count, QuerySet, Sum

from evaluation.engine.metrics.differences import Comparison, compare
from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.raters import Raters
from evaluation.engine.metrics.tally import PASS
from evaluation.models import Verdict
from leaderboard.accounts.models import Person
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import OVERALL, WHOLE, ScoresByEvaluation, Slice, by_evaluation
from leaderboard.scores.models import Board, Score, TaskResult, shown_in
from leaderboard.scores.pairs import adjusted_p
from leaderboard.scores.showings import clusters_of, showings
from leaderboard.submissions.models import Consent, Submission

# Seconds. A changed board gets another key.
_KEEP = 600
# Slices by an attribute of the task.
_OF_TASK = frozenset({"level", "domain", "language", "natural_language"})


def all_scores(rows: Sequence[Row]) -> ScoresByEvaluation:
    """All scores that these rows show, without variants and the benchmark's own programs."""
    scores = shown_in(Score.with_replaced.all(), [row.standing for row in rows])
    return by_evaluation(scores.filter(is_variant=False, of_references=False))


def comparison_of(
    board: Board, entries: Sequence[Row], part: Slice, *, lower: bool
) -> Comparison | None:
    """The settled entries, pair by pair, on the tasks of the slice that all of them have a result
    of. None with fewer than two entries or without such a task.

    Kept in the cache until the board changes.
    """
    settled = [row for row in entries if row.place is not None]
    if len(settled) < 2:
        return None
    chosen = ".".join(str(row.standing) for row in settled)
    digest = sha256(f"{chosen} {part} {lower}".encode()).hexdigest()
    key = f"compare.{board.pk}.{board.made}.{board.wanted}.{digest}"
    cached: tuple[Comparison | None] | None = cache.get(key)
    if cached is not None:
        return cached[0]
    comparison, evaluations = None, [row.evaluation for row in settled]
    shared = common_showings(board, settled, part, lower=lower)
    if shared is not None:
        panels = None
        if board.revision.benchmark.family.is_rated:
            scores = shown_in(Score.with_replaced.all(), [row.standing for row in settled])
            of_board = scores.filter(metric=board.metric, slice=OVERALL)
            raters = dict(of_board.values_list("evaluation", "raters"))
            panels = [Raters(**(raters.get(evaluation) or {})) for evaluation in evaluations]
        comparison = compare(shared, clusters_of(board), adjust=part != WHOLE, panels=panels)
    cache.set(key, (comparison,), _KEEP)
    return comparison


def common_showings(
    board: Board, settled: Sequence[Row], part: Slice, *, lower: bool = False
) -> list[Showing] | None:
    """The units of the rows, in their order, on the tasks of the slice that all of them have a
    result of. None without such a task."""
    evaluations = [row.evaluation for row in settled]
    units = showings(_results(settled, part), board, evaluations, lower=lower)
    common = set.intersection(*(set(showing.units) for showing in units)) if units else set()
    if len(units) < len(settled) or not common:
        return None
    return [
        replace(showing, units={task: showing.units[task] for task in common}) for showing in units
    ]


def board_p(board: Board, first: Row, second: Row) -> float | None:
    """The pair's p on the whole board, corrected for all of its pairs. None if the board stores
    none, for example after an update of the site."""
    if first.place is None or second.place is None:
        return None
    places = len(board.facts.get("p", ())) + 1
    return adjusted_p(bytes(board.pairs), places, first.place, second.place)


def lead_p(board: Board, rows: Iterable[Row]) -> list[float] | None:
    """The p of the first of the board's rows against each other one, in their order, as `board_p`;
    no p on a board that is not tested. None if the stored ones are of other rows, as while the
    board is being made again."""
    places = sorted(row.place for row in rows if row.place is not None)
    stored: list[float | None] = board.facts.get("p", [])
    if places != list(range(1, len(stored) + 2)):
        return None
    return [p for p in stored if p is not None]


@dataclass(frozen=True, slots=True)
class ByTask:
    """The rows with the numbers and ids of the tasks that only they solve; and how many of the
    `tasks` all (`every`) and `none` of them solve. A task is solved if half of its generations
    pass."""

    only: Sequence[tuple[Row, Sequence[tuple[int, str]]]]
    every: int
    none: int
    tasks: int


def by_task(board: Board, entries: Sequence[Row], part: Slice) -> ByTask | None:
    """None if the board's metric is not based on passes."""
    if board.result_metric != PASS:
        return None
    sums = (
        _results(entries, part)
        .filter(metric=PASS)
        .values_list("evaluation", "task__number", "task__external_id")
        .annotate(Sum("c"), Sum("n"))
        .order_by("task__number")
    )
    solvers: dict[tuple[int, str], set[int]] = defaultdict(set)
    for evaluation, number, name, correct, generations in sums:
        solvers[number, name].update({evaluation} if 2 * correct >= generations else ())
    only = [
        (row, [task for task, solved_by in solvers.items() if solved_by == {row.evaluation}])
        for row in entries
    ]
    counts = Counter(map(len, solvers.values()))
    return ByTask(only, counts[len(entries)], counts[0], len(solvers))


def verdicts_of(entries: Sequence[Row], part: Slice) -> Mapping[int, Mapping[tuple[str, str], int]]:
    """By evaluation: how many generations have each status and integrity."""
    # The submissions follow from the evaluations, but PostgreSQL would read everyone's generations.
    rows = (
        Verdict.objects.of_generations()
        .filter(evaluation__in=[row.evaluation for row in entries])
        .filter(generation__submission__in=[row.submission for row in entries])
        .values_list("evaluation", "status", "integrity")
        .annotate(Count("pk"))
        .order_by()
    )
    name, value = part
    if part != WHOLE:
        of_result = {"category": "requirement", "turn": "turn"}
        rows = rows.filter(**{f"generation__{of_result.get(name, f'task__{name}')}": value})
    counts: dict[int, dict[tuple[str, str], int]] = defaultdict(dict)
    for evaluation, status, integrity, count in rows:
        counts[evaluation][status, integrity] = count
    return counts


def readable_submissions(entries: Sequence[Row], user: Person) -> set[int]:
    """Submissions whose code the reader may see."""
    every = [row.submission for row in entries]
    readable = Submission.objects.readable_by(user).filter(pk__in=every)
    consents = Consent.objects.visible_to(user).filter(submission__in=every)
    return {*readable.values_list("pk", flat=True), *consents.values_list("submission", flat=True)}


def _results(entries: Sequence[Row], part: Slice) -> QuerySet[TaskResult]:
    """Limited to the slice as engine.metrics.summary does."""
    results = shown_in(TaskResult.with_replaced.all(), [row.standing for row in entries])
    name, value = part
    if part == WHOLE:
        return results.filter(overall=True)
    if name in _OF_TASK:
        return results.filter(overall=True, **{f"task__{name}": value})
    return results.filter(**{name: value})

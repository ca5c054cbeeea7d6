"""What a comparison of rows of a board reads: scores, tests, tasks and verdicts, as values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Count, Q, QuerySet, Sum

from evaluation.engine.metrics.differences import Comparison, compare
from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.raters import Raters
from evaluation.engine.metrics.tally import PASS
from evaluation.models import Verdict
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import OVERALL, WHOLE, ScoresByEvaluation, Slice, by_evaluation
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.scores.pairs import adjusted_p
from leaderboard.scores.showings import clusters_of, showings
from leaderboard.submissions.models import Consent, Submission

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

# Seconds. A changed board gets another key.
_KEEP = 600
# Slices by an attribute of the task.
_OF_TASK = frozenset({"level", "domain", "language", "natural_language"})


def all_scores(rows: Sequence[Row]) -> ScoresByEvaluation:
    """All scores that these rows show, without variants and the benchmark's own programs."""
    scores = shown_in(Score.with_replaced.all(), _standings(rows))
    return by_evaluation(scores.filter(is_variant=False, of_references=False))


def comparison_of(
    board: Board, entries: Sequence[Row], part: Slice, *, lower: bool
) -> Comparison | None:
    """The settled entries, pair by pair, on the tasks of the slice that all of them have a result
    of. None with fewer than two entries or without such a task.

    Kept in the cache until the board changes.
    """
    settled = [one for one in entries if one.place is not None]
    if len(settled) < 2:
        return None
    chosen = ".".join(str(one.standing) for one in settled)
    digest = sha256(f"{chosen} {part}".encode()).hexdigest()
    key = f"compare.{board.pk}.{board.made}.{board.wanted}.{digest}"
    found: tuple[Comparison | None] | None = cache.get(key)
    if found is None:
        found = (_compared(board, settled, part, lower),)
        cache.set(key, found, _KEEP)
    return found[0]


def _compared(board: Board, entries: Sequence[Row], part: Slice, lower: bool) -> Comparison | None:
    rows = _results(entries, part)
    units = showings(rows, board, [one.evaluation for one in entries], lower=lower)
    common = set.intersection(*(set(one.units) for one in units)) if units else set()
    if len(units) < len(entries) or not common:
        return None
    shared = [
        Showing(one.entrant, {task: one.units[task] for task in common}, one.by_place)
        for one in units
    ]
    panels = _panels(board, entries) if board.facts.get("raters_differ") else None
    return compare(shared, clusters_of(board), adjust=part != WHOLE, panels=panels)


def _panels(board: Board, entries: Sequence[Row]) -> list[Raters]:
    rows = shown_in(Score.with_replaced.all(), _standings(entries))
    rows = rows.filter(metric=board.metric, slice=OVERALL)
    found = dict(rows.values_list("evaluation", "raters"))
    return [Raters(**(found.get(one.evaluation) or {})) for one in entries]


def board_p(board: Board, one: Row, other: Row) -> float | None:
    """The pair's p on the whole board, corrected for all of its pairs. None if the board stores
    none, for example after an update of the site."""
    if one.place is None or other.place is None:
        return None
    places = len(board.facts.get("p", ())) + 1
    return adjusted_p(bytes(board.pairs), places, one.place, other.place)


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
    for evaluation, number, name, correct, of in sums:
        solvers[number, name].update({evaluation} if 2 * correct >= of else ())
    only = [
        (row, [task for task, solved_by in solvers.items() if solved_by == {row.evaluation}])
        for row in entries
    ]
    counts = Counter(map(len, solvers.values()))
    return ByTask(only, counts[len(entries)], counts[0], len(solvers))


def verdicts_of(entries: Sequence[Row], part: Slice) -> Mapping[int, Mapping[tuple[str, str], int]]:
    """By evaluation: how many generations have each status and integrity."""
    rows = (
        Verdict.objects.of_generations()
        .filter(_in_verdicts(part), evaluation__in=[one.evaluation for one in entries])
        .values_list("evaluation", "status", "integrity")
        .annotate(Count("pk"))
        .order_by()
    )
    found: dict[int, dict[tuple[str, str], int]] = defaultdict(dict)
    for evaluation, status, integrity, count in rows:
        found[evaluation][status, integrity] = count
    return found


def readable(entries: Sequence[Row], user: Person) -> Mapping[int | None, set[int]]:
    """Submissions whose code the reader may see: under None those readable on every task, and under
    a task's number those that everyone may read there."""
    every = [one.submission for one in entries]
    found: dict[int | None, set[int]] = defaultdict(set)
    own = Submission.objects.editable_by(user).filter(pk__in=every)
    found[None].update(own.values_list("pk", flat=True))
    shown = Consent.objects.visible_to(user).filter(submission__in=every)
    for number, submission in shown.values_list("shown__task__number", "submission"):
        found[number].add(submission)
    return found


def _results(entries: Sequence[Row], part: Slice) -> QuerySet[TaskResult]:
    return shown_in(TaskResult.with_replaced.all(), _standings(entries)).filter(_in_results(part))


def _standings(entries: Sequence[Row]) -> QuerySet[Standing]:
    return Standing.objects.filter(pk__in=[one.standing for one in entries])


def _in_results(part: Slice) -> Q:
    """Filters results by the slice, as engine.metrics.summary does."""
    name, value = part
    if name in _OF_TASK:
        return Q(overall=True, **{f"task__{name}": value})
    return Q(overall=True) if part == WHOLE else Q(**{name: value})


def _in_verdicts(part: Slice) -> Q:
    name, value = part
    if part == WHOLE:
        return Q()
    if name in _OF_TASK:
        return Q(**{f"generation__task__{name}": value})
    of_result = {"category": "generation__requirement", "turn": "generation__turn"}
    return Q(**{of_result[name]: value})

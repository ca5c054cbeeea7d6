"""Reads of the comparison page, as values: the chosen rows, scores, tests, tasks and verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from django.core.cache import cache
from django.db.models import Count, F, Q, QuerySet, Sum

from evaluation.engine.metrics.differences import Comparison, compare
from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.raters import Raters
from evaluation.engine.metrics.tally import PASS
from evaluation.models import Verdict
from leaderboard.pages.boards.queries import OVERALL, WHOLE, Slice
from leaderboard.pages.templatetags.assay import mark_kind
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


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a board. `place` is None if its score is not settled."""

    standing: int
    evaluation: int
    submission: int
    place: int | None
    rank_low: int | None
    rank_high: int | None
    slug: str
    name: str
    organisation: str


@dataclass(frozen=True, slots=True)
class Value:
    """A score with its interval, in the terms of scores.models.Score."""

    value: float | None
    low: float | None
    high: float | None
    is_count: bool
    lower_is_better: bool
    top: int | None
    note: str


# By evaluation, then by metric, slice and slice value.
Values: TypeAlias = Mapping[int, Mapping[tuple[str, str, str], Value]]


def entries_of(boards: Collection[int], user: Person) -> dict[int, list[Entry]]:
    """The published rows of each board, in its order."""
    rows = (
        Standing.objects.visible_to(user)
        .filter(board__in=boards)
        .order_by("board", F("place").asc(nulls_last=True), "pk")
        .values_list(
            "board",
            "pk",
            "evaluation",
            "submission",
            "place",
            "rank_low",
            "rank_high",
            "submission__entrant__slug",
            "submission__entrant__name",
            "submission__entrant__organisation",
        )
    )
    found: dict[int, list[Entry]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(Entry(*row[1:]))
    return found


def values_of(entries: Sequence[Entry]) -> Values:
    """All scores that these rows show, without variants and the benchmark's own programs."""
    rows = shown_in(Score.with_replaced.all(), _standings(entries))
    rows = rows.filter(is_variant=False, of_references=False)
    found: dict[int, dict[tuple[str, str, str], Value]] = defaultdict(dict)
    columns = ("value", "low", "high", "is_count", "lower_is_better", "top", "note")
    keys = ("evaluation", "metric", "slice", "slice_value")
    for evaluation, metric, name, value, *facts in rows.order_by("pk").values_list(*keys, *columns):
        found[evaluation][metric, name, value] = Value(*facts)
    return found


def comparison_of(
    board: Board, entries: Sequence[Entry], part: Slice, *, lower: bool
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


def _compared(
    board: Board, entries: Sequence[Entry], part: Slice, lower: bool
) -> Comparison | None:
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


def _panels(board: Board, entries: Sequence[Entry]) -> list[Raters]:
    rows = shown_in(Score.with_replaced.all(), _standings(entries))
    rows = rows.filter(metric=board.metric, slice=OVERALL)
    found = dict(rows.values_list("evaluation", "raters"))
    return [Raters(**(found.get(one.evaluation) or {})) for one in entries]


def board_p(board: Board, one: Entry, other: Entry) -> float | None:
    """The pair's p on the whole board, corrected for all of its pairs. None if the board stores
    none, for example after an update of the site."""
    if one.place is None or other.place is None:
        return None
    places = len(board.facts.get("p", ())) + 1
    return adjusted_p(bytes(board.pairs), places, one.place, other.place)


@dataclass(frozen=True, slots=True)
class ByTask:
    """Numbers and ids of the tasks that only one of the entrants solves, by evaluation; and the
    numbers of tasks that all (`every`) and `none` of them solve. A task is solved if half of its
    generations pass."""

    only: Mapping[int, Sequence[tuple[int, str]]]
    every: int
    none: int
    tasks: int


def by_task(board: Board, entries: Sequence[Entry], part: Slice) -> ByTask | None:
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
    only: dict[int, list[tuple[int, str]]] = {one.evaluation: [] for one in entries}
    for task, solved_by in solvers.items():
        if len(solved_by) == 1:
            only[next(iter(solved_by))].append(task)
    counts = Counter(map(len, solvers.values()))
    return ByTask(only, counts[len(entries)], counts[0], len(solvers))


def verdicts_of(entries: Sequence[Entry], part: Slice) -> Mapping[int, Counter[str]]:
    """By evaluation: how many generations have each verdict, as in MARK_WORDS."""
    rows = (
        Verdict.objects.of_generations()
        .filter(_in_verdicts(part), evaluation__in=[one.evaluation for one in entries])
        .values_list("evaluation", "status", "integrity")
        .annotate(Count("pk"))
        .order_by()
    )
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for evaluation, status, integrity, count in rows:
        found[evaluation][mark_kind(status, integrity)] += count
    return found


def readable(entries: Sequence[Entry], user: Person) -> Mapping[int | None, set[int]]:
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


def _results(entries: Sequence[Entry], part: Slice) -> QuerySet[TaskResult]:
    return shown_in(TaskResult.with_replaced.all(), _standings(entries)).filter(_in_results(part))


def _standings(entries: Sequence[Entry]) -> QuerySet[Standing]:
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

"""The rows of boards: how they are read and arranged. No statistics, no words."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from django.utils import timezone

from leaderboard.accounts.models import Person
from leaderboard.boards.filters import SINCE, Filters
from leaderboard.boards.queries import Ledger, ShownEntrant
from leaderboard.boards.scores import (
    OVERALL,
    Scores,
    ScoresByEvaluation,
    ShownScore,
    by_evaluation,
    fitting_slice,
    in_order,
    other_metrics,
    read_on,
    scores_shown,
)
from leaderboard.scores.models import Board, Score, Standing, shown_in

# The reason for a row without a mean whose generations are not open for rating.
NOT_RATED = "not_rated"
# More parallel bars than this leave no room for the ranks.
MOST_LANES = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A row's segment of a bar: start, middle, end, only, none, or gap (row not in the group)."""

    state: str
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a board: facts of its standing, its submission and its evaluation (columns that
    were not read have their defaults), with scores by metric, slice and slice value. A value,
    because a board has hundreds of rows, and instances of models take many times as long.

    The last fields are as a table shows them, in the unit of its metric: shares, or marks on a
    scale. Without a value, low and high bound the values that are still possible; `holds` are the
    reasons why ratings give no mean yet; `part` is the slice whose score is shown, None for the
    whole board; `reference`: the row is the human baseline, which has no entrant and no rank.
    """

    entrant: ShownEntrant
    submission: int
    evaluation: int = 0
    standing: int = 0
    place: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    groups: Sequence[int] = field(default=(), hash=False)
    has_results: bool = True
    passes_outside: int | None = None
    passes_shared: int | None = None
    state: str = ""
    engine_version: str = ""
    image: str = ""
    finished: datetime | None = None
    asked_here: bool = False
    generations_count: int = 0
    published: datetime | None = None
    # The team whose ledger counts the submission.
    ledger_team: int | None = None
    scores: Scores = field(default_factory=dict, hash=False)
    value: float | None = None
    low: float | None = None
    high: float | None = None
    holds: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    ledger: Ledger | None = None
    part: tuple[str, str] | None = None
    reference: bool = False

    def matches(self, filters: Filters) -> bool:
        if not filters.matches(self.entrant) or filters.provenance not in ("", self.provenance):
            return False
        if not filters.since:
            return True
        if filters.since not in SINCE or self.published is None:
            return False
        return self.published > timezone.now() - timedelta(days=int(filters.since))

    @property
    def provenance(self) -> str:
        """Whether the team uploaded the generations, or this site asked the team's endpoint."""
        return "endpoint" if self.asked_here else "upload"

    def overall(self, metric: str) -> ShownScore | None:
        return self.scores.get((metric, OVERALL, ""))

    @property
    def rank(self) -> str:
        """Empty if only a part of the benchmark is shown: ranks are of the whole board."""
        return "" if self.part is not None else rank_text(self.rank_low, self.rank_high)

    @property
    def leading(self) -> bool:
        """Whether no entrant is significantly better."""
        return self.part is None and self.rank_low == 1

    @property
    def group_end(self) -> bool:
        return all(bar.state in ("none", "only", "end") for bar in self.bars)


def rank_text(low: int | None, high: int | None) -> str:
    """Formats as "4" or "4–5"; "" for a row without a rank."""
    if low is None or high is None:
        return ""
    return str(low) if low == high else f"{low}–{high}"


def reference_scores(rows: Iterable[Row]) -> list[ShownScore]:
    """The overall scores of the benchmark's own programs, from the row scored last."""
    newest: tuple[datetime, list[ShownScore]] | None = None
    for row in rows:
        scores = [s for s in row.scores.values() if s.of_references and s.slice == OVERALL]
        if scores and row.finished and (newest is None or row.finished > newest[0]):
            newest = row.finished, scores
    return in_order(newest[1]) if newest else []


# --- Reading ------------------------------------------------------------------------------

_ENTRANT = {name: f"submission__entrant__{name}" for name in ShownEntrant._fields}
# By field of Row: the path of the column.
_PLACE = ("submission", "evaluation", "place", "rank_low", "rank_high")
_NAMED = {"standing": "pk"} | {name: name for name in _PLACE}
_COLUMNS = {
    **_NAMED,
    **{n: n for n in ("groups", "has_results", "passes_outside", "passes_shared")},
    **{n: f"evaluation__{n}" for n in ("state", "engine_version", "image", "finished")},
    **{n: f"submission__{n}" for n in ("asked_here", "generations_count", "published")},
    "ledger_team": "submission__ledger_entry__team",
}


def rows_of(board: Board, user: Person, slices: Sequence[str] = ()) -> list[Row]:
    """The board's rows in order, with overall scores and its metric by `slices`. Two queries."""
    facts = _facts([board.pk], user, _COLUMNS)
    scores = scores_shown([of_row["pk"] for of_row in facts], [board.metric], slices)
    return _rows(facts, _COLUMNS, scores)[board.pk]


def rows_without_scores(
    boards: Iterable[int], user: Person, places: int | None = None
) -> Mapping[int, list[Row]]:
    """By board: its rows in order, or those in the first `places`, with ranks and names. One
    query."""
    return _rows(_facts(boards, user, _NAMED, places), _NAMED)


def brief_rows(
    boards: Iterable[Board], user: Person, slices: Sequence[str] = (), metrics: Sequence[str] = ()
) -> Mapping[int, list[Row]]:
    """By board: its rows in order, with the values of the board's metric and of `metrics`, overall
    and by `slices`. Two queries."""
    boards = list(boards)
    standings = Standing.objects.visible_to(user).filter(board__in=boards)
    shown = shown_in(Score.with_replaced.all(), standings).filter(
        metric__in={*(board.metric for board in boards), *metrics}, slice__in=(OVERALL, *slices)
    )
    facts = _facts([board.pk for board in boards], user, _NAMED)
    return _rows(facts, _NAMED, by_evaluation(shown, brief=True))


def _facts(
    boards: Iterable[int], user: Person, columns: Mapping[str, str], places: int | None = None
) -> Sequence[Mapping[str, Any]]:
    """The columns of the boards' rows, by path."""
    standings = Standing.objects.visible_to(user).filter(board__in=boards)
    if places is not None:
        standings = standings.filter(place__lte=places)
    return list(standings.values("board", *columns.values(), *_ENTRANT.values()))


def _rows(
    facts: Iterable[Mapping[str, Any]],
    columns: Mapping[str, str],
    scores: ScoresByEvaluation = MappingProxyType({}),
) -> Mapping[int, list[Row]]:
    rows: dict[int, list[Row]] = defaultdict(list)
    for fact in facts:
        entrant = ShownEntrant(**{name: fact[path] for name, path in _ENTRANT.items()})
        shown = {name: fact[path] for name, path in columns.items()}
        of_row = scores.get(fact["evaluation"], {})
        rows[fact["board"]].append(Row(entrant, **shown, scores=of_row))
    return rows


# --- A table ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    metric: str
    others: tuple[str, ...]
    slice: str
    slice_values: tuple[str, ...]
    ranked: tuple[Row, ...]
    unsettled: tuple[Row, ...]
    drawn: tuple[Row, ...]
    total: int
    # The rows with a rank on the whole board.
    places: int
    every_bar: bool
    top: int | None = None
    # The metrics for which less is better.
    lower: frozenset[str] = frozenset()

    @property
    def shown(self) -> int:
        return len(self.ranked) + len(self.unsettled)

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.ranked + self.unsettled

    @property
    def unpublished(self) -> bool:
        """Whether some row's team had more runs judged than it published."""
        return any(row.ledger is not None and row.ledger.unpublished for row in self.rows)

    @property
    def generated_here(self) -> Row | None:
        """The first row whose generations this site requested from the team's endpoint."""
        return next((row for row in self.rows if row.asked_here), None)

    @property
    def on_axis(self) -> tuple[Row, ...]:
        return self.drawn + self.unsettled

    @property
    def lanes(self) -> int:
        """The number of parallel bars, at least one."""
        return max([1, *(len(row.bars) for row in self.ranked)])


def board_table(
    board: Board,
    rows: Sequence[Row],
    filters: Filters,
    baseline: float | None = None,
    top: int | None = None,
    ledgers: Mapping[int | None, Ledger] = MappingProxyType({}),
) -> Table:
    """The matching rows in the board's order. `top` is a scale's best mark; `ledgers` by team."""
    matching = [row for row in rows if row.matches(filters)]
    tied = {row.place: tuple(row.groups) for row in matching if row.place is not None}
    bars_of_rows, every = _bars(tuple(tied.values()), leads=1 in tied)
    lanes: dict[int | None, tuple[Bar, ...]] = dict(zip(tied, bars_of_rows, strict=True))
    shown = []
    for row in matching:
        score, value = row.overall(board.metric), None
        low, high = (score.least, score.most) if score else (None, None)
        if score and row.place is not None:
            value, low, high = score.value, score.low, score.high
        note = score.note if score else "" if not row.has_results else NOT_RATED
        holds = tuple(note.split(", ")) if top and value is None and note else ()
        value, low, high = (read_on(share, top) for share in (value, low, high))
        ledger = ledgers.get(row.ledger_team)
        bars = lanes.get(row.place, ())
        shown.append(
            replace(row, value=value, low=low, high=high, holds=holds, ledger=ledger, bars=bars)
        )
    scores = [row.scores for row in shown]
    lower = frozenset(s.metric for of_row in scores for s in of_row.values() if s.lower_is_better)
    name, values = fitting_slice(board.metric, scores)
    ranked = [row for row in shown if row.place is not None]
    drawn = list(ranked)
    if baseline is not None:
        less = board.metric in lower
        settled = [row.value for row in ranked if row.value is not None]
        place = sum(value < baseline if less else value > baseline for value in settled)
        # Bars of the row above pass it, unless they end there.
        above = ranked[place - 1].bars if place else ()
        passing = (bar if bar.state in ("start", "middle", "gap") else None for bar in above)
        bars = tuple(Bar("gap", bar.lead) if bar else Bar("none") for bar in passing)
        nobody = ShownEntrant(0, 0, "", "", "", None, "")
        drawn.insert(place, Row(nobody, 0, value=baseline, bars=bars, reference=True))
    return Table(
        metric=board.metric,
        others=other_metrics(board.metric, scores),
        slice=name,
        slice_values=values,
        ranked=tuple(ranked),
        unsettled=tuple(row for row in shown if row.place is None),
        drawn=tuple(drawn),
        total=len(rows),
        places=sum(row.place is not None for row in rows),
        every_bar=every,
        top=top,
        lower=lower,
    )


# --- The bars that join rows that tests cannot distinguish ---------------------------------


@lru_cache(maxsize=64)
def _bars(
    numbers: Sequence[Sequence[int]], *, leads: bool
) -> tuple[Sequence[tuple[Bar, ...]], bool]:
    """The bars of rows with these numbers of groups, and whether they show every group. Cached:
    hundreds of rows are in dozens of groups each, which change only with the board."""
    groups, every = fitting(tie_groups(numbers), MOST_LANES)
    return [tuple(bars) for bars in bar_lanes(groups, len(numbers), leads=leads)], every


def tie_groups(numbers: Sequence[Iterable[int]]) -> list[set[int]]:
    """The sets of tied row indices (from 0), from each row's numbers of groups; others alone."""
    by_number: dict[int, set[int]] = {}
    for index, of_row in enumerate(numbers):
        for number in of_row:
            by_number.setdefault(number, set()).add(index)
    groups = [group for group in by_number.values() if len(group) > 1]
    together = set().union(*groups)
    return [*groups, *({index} for index in range(len(numbers)) if index not in together)]


def fitting(groups: Iterable[Collection[int]], most: int) -> tuple[list[Collection[int]], bool]:
    """The groups that fit into `most` parallel lanes, longest first, and whether these are all."""
    longest_first = sorted(groups, key=lambda group: (min(group) - max(group), min(group)))
    drawn: list[Collection[int]] = []
    load: Counter[int] = Counter()
    for group in longest_first:
        span = range(min(group), max(group) + 1)
        if all(load[index] < most for index in span):
            drawn.append(group)
            load.update(span)
    return drawn, len(drawn) == len(longest_first)


def bar_lanes(
    groups: Iterable[Collection[int]], rows: int, *, leads: bool = True
) -> list[list[Bar]]:
    """The same number of bars for each row, from left to right; overlapping groups (sets of row
    numbers from 0) get separate lanes. `leads`: the first row is the leader."""
    lanes: list[list[Collection[int]]] = []
    for group in sorted(groups, key=min):
        lane = next((lane for lane in lanes if max(lane[-1]) < min(group)), None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(group)
    bars = [[Bar("none")] * len(lanes) for _row in range(rows)]
    for number, lane in enumerate(lanes):
        for group in lane:
            first, last = min(group), max(group)
            lead = leads and first == 0
            middle, gap = Bar("middle", lead), Bar("gap", lead)
            for row in range(first, last + 1):
                bars[row][number] = middle if row in group else gap
            bars[first][number] = Bar("start", lead)
            bars[last][number] = Bar("end" if last > first else "only", lead)
    return bars

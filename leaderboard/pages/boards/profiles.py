"""An entrant among the others: its skills against the field, and its ranks over time."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeAlias

from django.db.models import F

from evaluation.engine.metrics.intervals import Estimate, over_benchmarks, over_settings
from evaluation.engine.metrics.summary import SLICES
from leaderboard.accounts.models import Entrant, Person, staff_may
from leaderboard.boards.queries import published, scales_of, shown_on
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import OVERALL, WHOLE, Scores, ScoresByEvaluation, ShownScore
from leaderboard.pages.boards.words import setting_title, skill_title, slice_value
from leaderboard.scores.models import Board, EditionRow, Standing

# A board and one of its metrics.
_Scale: TypeAlias = tuple[Board, str]
# Positions of a drawing in per cent.
_FIRST, _LAST = 4.0, 96.0


@dataclass(frozen=True, slots=True)
class Skill:
    """The entrant's mean over the benchmarks that test the skill, and the mean of the medians of
    all entrants there; shares of 1."""

    name: str
    own: Estimate
    field: float

    @property
    def width(self) -> str:
        return bar_width(self.own.value)

    @property
    def field_at(self) -> str:
        return bar_width(self.field)


@dataclass(frozen=True, slots=True)
class Moment:
    """The entrant's row in an edition, with its score, and the places of its ranks in a drawing."""

    row: EditionRow
    score: ShownScore
    x: str
    y1: str
    y2: str

    @property
    def rank(self) -> str:
        return rank_text(self.row.rank_low, self.row.rank_high)


@dataclass(frozen=True, slots=True)
class Course:
    """Ranks on a board, oldest first: two moments at least."""

    title: str
    setting: str
    moments: Sequence[Moment]

    @property
    def most(self) -> int:
        return max(moment.row.edition.ranked for moment in self.moments)


def skills_of(
    standings: Iterable[Standing], scores: ScoresByEvaluation, user: Person
) -> list[Skill]:
    """The entrant's means by skill, as on the home page, on benchmarks that the person may browse:
    of the rating scale with the skill's name, else of the primary metric. One query."""
    own: dict[str, dict[str, list[tuple[Estimate, _Scale]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    sees_unlisted = staff_may(user, "benchmarks.view_benchmark")
    for standing in standings:
        board, of_row = standing.board, scores[standing.evaluation_id]
        benchmark = board.revision.benchmark
        if board.metric != benchmark.metric or not (benchmark.listed or sees_unlisted):
            continue
        for skill in benchmark.skills:
            scale = of_row.get((skill, *WHOLE))
            score = scale if scale and scale.top else of_row.get((board.metric, *WHOLE))
            if score is not None and score.value is not None:
                estimate = Estimate(score.value, score.low, score.high)
                own[skill][benchmark.slug].append((estimate, (board, score.metric)))
    scales = {row[1] for of_skill in own.values() for rows in of_skill.values() for row in rows}
    medians = _medians(scales)
    skills = []
    for name, of_skill in sorted(own.items()):
        by_setting = ([estimate for estimate, _ in rows] for rows in of_skill.values())
        mean = over_benchmarks(list(map(over_settings, by_setting)))
        field = fmean(fmean(medians[scale] for _, scale in rows) for rows in of_skill.values())
        skills.append(Skill(skill_title(name), mean, field))
    return skills


def _medians(scales: Collection[_Scale]) -> Mapping[_Scale, float]:
    boards = {board.pk: board for board, _ in scales}
    rows = shown_on(boards.values()).filter(
        place__isnull=False,
        has_results=True,
        evaluation__scores__replaced=F("replaced"),
        evaluation__scores__metric__in={metric for _, metric in scales},
        evaluation__scores__slice=OVERALL,
        evaluation__scores__value__isnull=False,
    )
    values: dict[_Scale, list[float]] = defaultdict(list)
    columns = ("board", "evaluation__scores__metric", "evaluation__scores__value")
    for board, metric, value in rows.order_by().values_list(*columns):
        values[boards[board], metric].append(value or 0.0)
    return {scale: median(values[scale]) for scale in scales}


def extremes_of(metric: str, scores: Scores) -> list[tuple[str, ShownScore]]:
    """The best part and the worst, with their names: of the first slice whose parts have intervals
    and different values."""
    for name in SLICES:
        parts = [
            score
            for (of, kind, _value), score in scores.items()
            if (of, kind) == (metric, name) and score.value is not None and score.low is not None
        ]
        if len({score.value for score in parts}) > 1:
            worst, *_, best = sorted(parts, key=lambda score: score.value or 0.0)
            if best.lower_is_better:
                best, worst = worst, best
            return [(slice_value(name, score.slice_value), score) for score in (best, worst)]
    return []


def courses_of(entrant: Entrant, user: Person) -> list[Course]:
    """The entrant's published rows in the editions of current boards. One query."""
    benchmark = "edition__board__revision__benchmark"
    rows = EditionRow.objects.filter(
        submission__entrant=entrant,
        submission__in=published(user),
        edition__board__revision=F(f"{benchmark}__current"),
        edition__metric=F("edition__board__metric"),
    ).order_by(f"{benchmark}__title", "edition__board", "edition__made_at")
    large = (f"edition__board__{column}" for column in ("swaps", "pairs", "facts"))
    by_board: dict[tuple[int, str], list[EditionRow]] = defaultdict(list)
    for row in rows.select_related(benchmark).defer(*large):
        by_board[row.edition.board_id, row.edition.metric].append(row)
    courses = []
    for of_board in by_board.values():
        if len(of_board) < 2:
            continue
        board, first = of_board[0].edition.board, of_board[0].edition.made_at
        top = scales_of(board.revision.benchmark).get(board.metric)
        span = max((of_board[-1].edition.made_at - first).total_seconds(), 1.0)
        most = max(max(row.edition.ranked for row in of_board) - 1, 1)
        moments = [
            Moment(
                row,
                ShownScore(board.metric, row.value, row.low, row.high, top),
                x=_between((row.edition.made_at - first).total_seconds() / span),
                y1=_between((row.rank_low - 1) / most),
                y2=_between((row.rank_high - 1) / most),
            )
            for row in of_board
        ]
        title = board.revision.benchmark.title
        courses.append(Course(title, setting_title(board.setting), moments))
    return courses


def _between(share: float) -> str:
    return f"{_FIRST + (_LAST - _FIRST) * share:.1f}%"


def bar_width(share: float | None) -> str:
    return f"{min(1.0, max(0.0, share or 0.0)) * 100:.1f}%"

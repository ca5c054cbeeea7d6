"""An entrant among the others: its means against the field, and its ranks over time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from evaluation.engine.metrics.summary import SLICES
from leaderboard.accounts.models import Entrant
from leaderboard.boards.means import BENCHMARK, MEAN, NATURAL, SKILL, Cell, cells_of, views_of
from leaderboard.boards.queries import scales_of
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import Scores, ShownScore
from leaderboard.boards.selection import Site
from leaderboard.pages.boards.columns import against_first, lacking, mean_title
from leaderboard.pages.boards.words import setting_title, slice_value
from leaderboard.scores.models import EditionRow, Standing
from leaderboard.submissions.models import Visibility

# Positions of a drawing in per cent.
_FIRST, _LAST = 4.0, 96.0


@dataclass(frozen=True, slots=True)
class EntrantMean:
    """The entrant's mean over all benchmarks, or over those of a language or a skill, and the
    median of the full means of all entrants; shares of 1. `kind` tells alike names apart.
    `without`: benchmarks that its own mean lacks. `standing`: how it compares with the first."""

    name: str
    kind: str
    cell: Cell
    field: float | None
    without: str
    standing: str

    @property
    def width(self) -> str:
        return bar_width(self.cell.value)

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


def means_shown(entrant: Entrant, site: Site) -> list[EntrantMean]:
    """The entrant's means, as on the home page; single boards are among the page's results."""
    kinds = {NATURAL: gettext("language of the instructions"), SKILL: gettext("skill")}
    return [
        EntrantMean(
            name=mean_title(view, column.key),
            kind="" if column.key == MEAN else kinds.get(view, ""),
            cell=cell,
            field=median,
            without=", ".join(lacking([cell])),
            standing=against_first(cell),
        )
        for view, column, cell, median in cells_of(
            entrant.pk, site, views_of(site)[1:] or [BENCHMARK]
        )
        if not column.setting and (view != BENCHMARK or column.key == MEAN)
    ]


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


def courses_of(standings: Iterable[Standing]) -> list[Course]:
    """The published rows, in the editions of the boards, of the entrant that has these standings.
    A reader who sees a standing may see these rows. One query."""
    by_board = {standing.board: list[EditionRow]() for standing in standings}
    boards = {board.pk: board for board in by_board}
    entrants = {standing.submission.entrant_id for standing in standings}
    rows = EditionRow.objects.filter(
        submission__entrant__in=entrants,
        submission__visibility=Visibility.PUBLISHED,
        edition__board__in=[*boards],
    ).select_related("edition")
    for row in rows.order_by("edition__made_at"):
        board = boards[row.edition.board_id]
        if row.edition.metric == board.metric:
            by_board[board].append(row)
    courses = []
    for board, of_board in by_board.items():
        if len(of_board) < 2:
            continue
        first = of_board[0].edition.made_at
        top = scales_of(board.revision.benchmark).get(board.metric)
        span = max((of_board[-1].edition.made_at - first).total_seconds(), 1.0)
        most = max(max(row.edition.ranked for row in of_board) - 1, 1)
        moments = [
            Moment(
                row,
                ShownScore(board.metric, row.value, low=row.low, high=row.high, top=top),
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

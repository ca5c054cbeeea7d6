"""An entrant among the others: its skills against the field, and its ranks over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from evaluation.engine.metrics.summary import SLICES
from leaderboard.accounts.models import Entrant
from leaderboard.boards.means import MEAN, SKILL, Cell, cells_of
from leaderboard.boards.queries import published, scales_of
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import Scores, ShownScore
from leaderboard.boards.selection import Site
from leaderboard.pages.boards.columns import lacking
from leaderboard.pages.boards.words import setting_title, skill_title, slice_value
from leaderboard.scores.models import EditionRow

# Positions of a drawing in per cent.
_FIRST, _LAST = 4.0, 96.0


@dataclass(frozen=True, slots=True)
class Skill:
    """The entrant's mean over the benchmarks that test the skill, and the median of the full
    means of all entrants; shares of 1. `without`: benchmarks that its own mean lacks."""

    name: str
    own: Cell
    field: float | None
    without: str

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


def skills_of(entrant: Entrant, site: Site) -> list[Skill]:
    """The entrant's means by skill, as on the home page."""
    skills = []
    for column, own, full in cells_of(entrant.pk, site, SKILL):
        if column.key != MEAN and not column.setting:
            # Means that lack a benchmark are not compared with others.
            field = median(full) if full else None
            skills.append(Skill(skill_title(column.key), own, field, ", ".join(lacking([own]))))
    return sorted(skills, key=lambda skill: skill.name)


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


def courses_of(entrant: Entrant, site: Site) -> list[Course]:
    """The entrant's published rows in the editions of current boards. One query besides the
    site's."""
    boards = {board.pk: board for board in site.every_board}
    rows = EditionRow.objects.filter(
        submission__entrant=entrant,
        submission__in=published(site.user),
        edition__board__in=[*boards],
    ).select_related("edition")
    by_board: dict[int, list[EditionRow]] = {key: [] for key in boards}
    for row in rows.order_by("edition__made_at"):
        if row.edition.metric == boards[row.edition.board_id].metric:
            by_board[row.edition.board_id].append(row)
    courses = []
    for key, of_board in by_board.items():
        if len(of_board) < 2:
            continue
        board, first = boards[key], of_board[0].edition.made_at
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

"""The rows of a board as the screen shows them, as texts: for papers, and for other sites. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from django.utils.translation import gettext

from leaderboard.boards.rows import Row, Table
from leaderboard.boards.scores import WHOLE, ShownScore
from leaderboard.pages.boards.words import slice_value
from leaderboard.pages.shared.citing import escaped
from leaderboard.pages.shared.drawing import unit_of
from leaderboard.pages.shared.score_words import measure, metric_name, score_told


@dataclass(frozen=True, slots=True)
class TextTable:
    """The first two columns, rank and entrant, are words; the others are numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """An unsettled row has the bounds of its score instead of an interval."""
        metric, unit = metric_name(table.metric, table.top), unit_of(table.top)
        head = [gettext("Rank"), gettext("Entrant"), metric, gettext("95 %% interval") % {}]
        head += [metric_name(other, table.top) for other in table.others]
        head += [slice_value(table.slice, value) for value in table.slice_values]

        def cell(score: ShownScore | None) -> str:
            return "–" if score is None or score.value is None else score_told(score)

        def line(row: Row) -> list[str]:
            shown = row.scores.get((table.metric, *(row.part or WHOLE)))
            keys = [(other, *WHOLE) for other in table.others]
            keys += [(table.metric, table.slice, value) for value in table.slice_values]
            ends = [measure(end, unit) for end in (row.low, row.high) if end is not None]
            value = cell(None if row.value is None else shown)
            first = [row.rank, row.entrant.shown_name, value, "–".join(ends) or "–"]
            return [*first, *(cell(row.scores.get(key)) for key in keys)]

        return cls(head, [*map(line, table.rows)])

    def markdown(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return f"| {' | '.join(map(_markdown, cells))} |"

        rule = [":--", ":--", *["--:"] * (len(self.head) - 2)]
        return "\n".join([line(self.head), f"| {' | '.join(rule)} |", *map(line, self.rows), ""])

    def latex(self) -> str:
        """A tabular that needs no package."""

        def line(cells: Sequence[str]) -> str:
            return f"{' & '.join(escaped(cell).replace('–', '--') for cell in cells)} \\\\"

        columns = f"ll{'r' * (len(self.head) - 2)}"
        body = [line(self.head), r"\hline", *map(line, self.rows)]
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}", ""])


def _markdown(text: str) -> str:
    """The text on one line, escaped for Markdown and HTML."""
    special = "\\|*_`[]<>#&~!$"
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in special else sign for sign in line)

"""The charts of conversations by turn: titles, figures and tables, as in findings.py."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.chart_tables import Chart, Finding, Table, with_interval
from leaderboard.pages.boards.charts import turns
from leaderboard.pages.boards.charts.drawing import Drawing

# Longer lists of names are replaced by a count.
_MOST_NAMES = 3
IA, CA, IFR = "IA", "CA", "IFR"
# The titles, and the lines below them.
_TITLES: Mapping[str, object] = {
    IA: gettext_lazy("Instruction accuracy by turn"),
    CA: gettext_lazy("Conversation accuracy by turn"),
    IFR: gettext_lazy("Forgetting by turn"),
}
_CHANGED: Mapping[str, object] = {
    IA: gettext_lazy(
        "Every entrant follows fewer instructions at turn %(last)s than at turn %(first)s"
    ),
    CA: gettext_lazy(
        "Every entrant's conversation accuracy is lower at turn %(last)s than at turn %(first)s"
    ),
    IFR: gettext_lazy("Every entrant forgets more at turn %(last)s than at turn %(first)s"),
}
_LINES: Mapping[str, object] = {
    IA: gettext_lazy("IA: per cent of turns whose own instruction is followed"),
    CA: gettext_lazy("CA: per cent of the instructions so far that are followed"),
    IFR: gettext_lazy(
        "IFR: per cent of the instructions followed before that are no longer followed; lower "
        "is better"
    ),
}


def _parts(known: BoardFrames, metric: str) -> Frame | None:
    found = turns.parts(known.rows, known.turns, metric)
    return found if turns.drawable(found) else None


def _find(known: BoardFrames, _by: str, *, metric: str) -> Finding | None:
    found = _parts(known, metric)
    if found is None:
        return None
    title = str(_TITLES[metric])
    ends = turns.changed_for_all(found, rises=metric == IFR)
    if ends is not None:
        title = str(_CHANGED[metric]) % {"first": ends[0], "last": ends[1]}
    line = [
        str(_LINES[metric]),
        _("with intervals of 95 %"),
        *_drawn(found),
        *_starts(known, found, metric),
    ]
    return Finding(f"turns-{metric.lower()}", title, "; ".join(line))


def _drawn(found: Frame) -> list[str]:
    drawn, every = len(turns.chosen(found)), len(turns.entrants(found))
    if drawn == every:
        return []
    return [_("%(drawn)s of %(all)s entrants") % {"drawn": drawn, "all": every}]


def _starts(known: BoardFrames, found: Frame, metric: str) -> list[str]:
    """How turns are counted, and which entrants have no Base."""
    if known.turns_from_one:
        return [_("turns are counted from 1")]
    if metric == IFR:
        return []
    first = found.reset_index().groupby("evaluation", sort=False)["turn"].min()
    later = [str(known.rows.at[key, "name"]) for key in first.index if first[key] > 0]
    if not later:
        return [_("turn 0 is Base")]
    if len(later) == len(first):
        return [_("no entrant has a Base completion, so it starts at turn 1")]
    if len(later) > _MOST_NAMES:
        counts = {"number": len(later), "all": len(first)}
        return [_("turn 0 is Base, which %(number)s of %(all)s entrants do not have") % counts]
    words = {"names": ", ".join(later)}
    return [_("turn 0 is Base, which these do not have: %(names)s") % words]


def _draw(known: BoardFrames, _by: str, *, metric: str) -> Drawing | None:
    found = _parts(known, metric)
    return None if found is None else turns.figure(known.rows, found)


def _table(known: BoardFrames, _by: str, *, metric: str) -> Table | None:
    found = _parts(known, metric)
    if found is None:
        return None
    numbers = sorted({int(turn) for turn in found.index.get_level_values("turn")})
    head = [_("Entrant"), *(_("turn %(number)s") % {"number": turn} for turn in numbers)]
    body: list[list[str | None]] = [
        [str(known.rows.at[key, "name"]), *(_cell(found, key, turn) for turn in numbers)]
        for key in turns.entrants(found)
    ]
    return head, body


def _cell(found: Frame, key: Any, turn: int) -> str | None:
    return with_interval(found.loc[(key, turn)]) if (key, turn) in found.index else None


CHARTS_OF_TURNS: Mapping[str, Chart] = {
    f"turns-{metric.lower()}": Chart(
        partial(_find, metric=metric), partial(_draw, metric=metric), partial(_table, metric=metric)
    )
    for metric in _TITLES
}

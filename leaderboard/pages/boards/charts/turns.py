"""A metric of conversations by turn: a line for each entrant, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, labels, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Table

# The offset between the first and the last entrant at one turn, in turns.
_DODGE = 0.36
# With more turns than this, only some have a tick.
_MOST_TICKS = 10
# Longer lists of names are replaced by a count.
_MOST_NAMES = 3


# By metric: its title; its title if everyone's last turn is worse than the first; its line.
_WORDS: Mapping[str, tuple[str | Promise, str | Promise, str | Promise]] = {
    "IA": (
        gettext_lazy("Instruction accuracy by turn"),
        gettext_lazy(
            "Every entrant follows fewer instructions at turn %(last)s than at turn %(first)s"
        ),
        gettext_lazy("IA: per cent of turns whose own instruction is followed"),
    ),
    "CA": (
        gettext_lazy("Conversation accuracy by turn"),
        gettext_lazy(
            "Every entrant's conversation accuracy is lower at turn %(last)s than at turn %(first)s"
        ),
        gettext_lazy("CA: per cent of the instructions so far that are followed"),
    ),
    "IFR": (
        gettext_lazy("Forgetting by turn"),
        gettext_lazy("Every entrant forgets more at turn %(last)s than at turn %(first)s"),
        gettext_lazy(
            "IFR: per cent of the instructions followed before that are no longer followed; lower "
            "is better"
        ),
    ),
}
METRICS = tuple(_WORDS)


def turns_chart(board: BoardFrames, _by: str, *, metric: str) -> Chart | None:
    # value, low and high by evaluation and turn, in the board's order; without unsettled scores.
    turns, places = board.turns, {key: place for place, key in enumerate(board.rows.index)}
    settled = turns[(turns["metric"] == metric) & turns["value"].notna()]
    ordered = settled.assign(place=settled["evaluation"].map(places)).dropna(subset=["place"])
    ordered = ordered.sort_values(["place", "turn"], kind="stable")
    scores = ordered.set_index(["evaluation", "turn"])[["value", "low", "high", "tasks"]]
    # Nobody has two turns.
    if not scores.index.get_level_values("evaluation").duplicated().any():
        return None
    title, worse, line_words = map(str, _WORDS[metric])
    if ends := _worse_for_all(scores, rises=metric == "IFR"):
        title = worse % {"first": ends[0], "last": ends[1]}
    line = [line_words, _("with intervals of 95 %")]
    entrants = _entrants(scores)
    chosen = [entrants[position] for position in drawing.spread(len(entrants))]
    if len(chosen) < len(entrants):
        counts = {"drawn": len(chosen), "all": len(entrants)}
        line.append(_("%(drawn)s of %(all)s entrants") % counts)
    if board.turns_from_one:
        line.append(_("turns are counted from 1"))
    elif metric != "IFR":
        # Those without a Base completion, which is turn 0.
        later = [str(board.rows.at[e, "name"]) for e in entrants if scores.loc[e].index[0] > 0]
        base = _("turn 0 is Base")
        if later and len(later) == len(entrants):
            base = _("no entrant has a Base completion, so it starts at turn 1")
        elif len(later) > _MOST_NAMES:
            counts = {"number": len(later), "all": len(entrants)}
            base = _("turn 0 is Base, which %(number)s of %(all)s entrants do not have") % counts
        elif later:
            names = ", ".join(later)
            base = _("turn 0 is Base, which these do not have: %(names)s") % {"names": names}
        line.append(base)
    figure, table = partial(_figure, board, scores, chosen), partial(_table, board, scores)
    return Chart(title, "; ".join(line), figure, table)


def _entrants(scores: Frame) -> list[Any]:
    return list(dict.fromkeys(scores.index.get_level_values("evaluation")))


def _turns(scores: Frame) -> list[int]:
    return sorted({int(turn) for turn in scores.index.get_level_values("turn")})


def _worse_for_all(scores: Frame, *, rises: bool) -> tuple[int, int] | None:
    """The first common turn, and the last one that the same number of conversations reach, if
    everyone's value falls (`rises`: rises) between them. If conversations end in between, the
    later ones are others: those that are solved may end first.

    Returns None if there are fewer than two entrants or an entrant's two intervals overlap.
    """
    several = [scores.loc[key].dropna()["tasks"].to_dict() for key in _entrants(scores)]
    common = sorted(set.intersection(*map(set, several))) if len(several) > 1 else []
    common = [turn for turn in common if all(own[turn] == own[common[0]] for own in several)]
    if len(common) < 2:
        return None
    first, last = (scores.xs(turn, level="turn") for turn in (common[0], common[-1]))
    below, above = (first, last) if rises else (last, first)
    return (common[0], common[-1]) if (below["high"] < above["low"]).all() else None


def _figure(board: BoardFrames, scores: Frame, chosen: list[Any]) -> Drawing:
    """Per cent by turn, with entrants side by side and names at the ends of lines."""
    turns = _turns(scores)
    axis = {
        "range": [turns[0] - 0.3, turns[-1] + 0.3],
        "tickvals": turns[:: 1 + (len(turns) - 1) // _MOST_TICKS],
        "showgrid": False,
        "title": {"text": pgettext("of a conversation", "turn"), "standoff": 4},
    }
    names = [str(board.rows.at[key, "name"]) for key in chosen]
    ends = [float(scores.loc[key, "value"].iloc[-1]) * 100 for key in chosen]
    figure = labels.figure_of_lines(names, ends, axis)
    for series, (key, name) in enumerate(zip(chosen, names, strict=True)):
        part = scores.loc[key]
        between = max(1, len(chosen) - 1)
        shift = round(_DODGE * (series / between - 0.5), 3) if len(chosen) > 1 else 0.0
        line = labels.line(
            series,
            name,
            [round(int(turn) + shift, 3) for turn in part.index],
            part["value"],
            error_y=drawing.arms(part["value"], part["low"], part["high"]),
            mode="lines+markers",
            marker={"symbol": theme.SYMBOLS[series], "size": 7},
            customdata=[
                f"{_('turn %(number)s') % {'number': turn}}: {drawing.with_interval(score)}"
                for turn, score in part.iterrows()
            ],
            hovertemplate="%{text}<br>%{customdata}<extra></extra>",
        )
        figure.add_trace(line)
    return Drawing(figure, theme.SERIES[: len(chosen)])


def _table(board: BoardFrames, scores: Frame) -> Table:
    turns = _turns(scores)
    rows = []
    for key in _entrants(scores):
        by_turn = {turn: drawing.with_interval(score) for turn, score in scores.loc[key].iterrows()}
        rows.append([str(board.rows.at[key, "name"]), *map(by_turn.get, turns)])
    return Table([_("Entrant"), *(_("turn %(number)s") % {"number": turn} for turn in turns)], rows)

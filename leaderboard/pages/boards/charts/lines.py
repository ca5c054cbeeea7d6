"""A line for each entrant: the pass@k curve, the gain from further samples; and a metric of
conversations by turn, with intervals."""

from collections.abc import Mapping
from functools import lru_cache, partial
from math import isnan, log10, nan
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from evaluation.engine.metrics.intervals import mean_interval
from evaluation.engine.metrics.passk import pass_at_k
from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, naming, theme
from leaderboard.pages.boards.charts.dots import reference_lines
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Height, NumberTable
from leaderboard.pages.shared.numbers import per_cent

# --- pass@k -------------------------------------------------------------------------------------

# Up to _EVERY, each k has a point and the axis is linear. Beyond, points are spaced by factor.
_EVERY, _STEPS = 20, 12
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_HOVER = "%{text}<br>pass@%{x}: %{y:.1f}<extra></extra>"
# The columns of the table.
_KS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)

# For a title to state a finding.
_FEWEST_CURVES, _CLEARLY = 4, 0.5

_pass_at_k = lru_cache(maxsize=65_536)(pass_at_k)


def passk_chart(board: BoardFrames, _by: str) -> Chart | None:
    passk_curves = curves(board.rows, board.samples)
    # No entrant has at least two samples of every task.
    if len(passk_curves.columns) < 2:
        return None
    title = {
        "weaker": _("More tries help weaker entrants more"),
        "stronger": _("More tries help stronger entrants more"),
        "": _("Score by number of tries"),
    }[more_tries_help(passk_curves, board.results)]
    most = int(passk_curves.columns[-1])
    subtitle = ngettext(
        "pass@k in per cent, from up to %(count)s generation per task",
        "pass@k in per cent, from up to %(count)s generations per task",
        most,
    ) % {"count": most}
    drawn = passk_curves.iloc[drawing.spread(len(passk_curves), naming.MOST_LINES)]
    if len(drawn) < len(passk_curves):
        counts = {"drawn": len(drawn), "all": len(passk_curves)}
        subtitle += "; " + _("%(drawn)s of %(all)s entrants") % counts

    def table() -> NumberTable:
        ks = [k for k in map(int, passk_curves.columns) if k in _KS or k == most]
        rows: list[list[str | None]] = []
        for key, *shares in passk_curves[ks].itertuples(name=None):
            cells = (None if isnan(share) else per_cent(share) for share in shares)
            rows.append([str(board.rows.at[key, "name"]), *cells])
        return NumberTable([_("Entrant"), *(f"pass@{k}" for k in ks)], rows)

    height = naming.height_of_lines(len(drawn))
    return Chart(title, subtitle, partial(_passk, board, drawn, height), table, height)


def more_tries_help(curves: Frame, results: Frame) -> str:
    """Which entrants gain more from further samples: "weaker", "stronger", or "" if uncertain. A
    gain is pass@K less pass@1, K being the highest k that all entrants with several samples have.
    It is certain for at least four entrants if the mean gain of the lower half (by pass@1) less
    that of the upper half has a 95 % interval, clustered by task, without 0, and if Spearman's
    correlation of gains with pass@1 points the same way and is at least 0.5 in size."""
    several = curves[curves[2].notna()] if 2 in curves.columns else curves.iloc[:0]
    if len(several) < _FEWEST_CURVES:
        return ""
    most = max(int(k) for k in several.columns if several[k].notna().all())
    gains = several[most] - several[1]
    order = float(several[1].rank().corr(gains.rank()))
    # The lower half's mean gain less the upper half's, task by task.
    ranked = several[1].sort_values(kind="stable").index
    half = len(ranked) // 2
    ours = results[results.index.get_level_values("evaluation").isin(ranked)]
    counts = list(zip(ours["n"], ours["c"], strict=True))
    # None where a task has fewer than `most` samples.
    best = {(n, c): _pass_at_k(int(n), int(c), most) for n, c in set(counts)}
    by_result = [None if best[n, c] is None else best[n, c] - c / n for n, c in counts]
    by_task: Frame = pd.Series(by_result, index=ours.index, dtype=float).unstack("task")
    lower, upper = (list(by_task.loc[part].mean()) for part in (ranked[:half], ranked[-half:]))
    gaps = [low - high for low, high in zip(lower, upper, strict=True) if not isnan(low - high)]
    # The engine's intervals are for values in 0..1; differences are in -1..1.
    interval = mean_interval([[(gap + 1) / 2] for gap in gaps])
    if interval.low is None or interval.high is None:
        return ""
    if interval.low > 0.5 and order <= -_CLEARLY:
        return "weaker"
    return "stronger" if interval.high < 0.5 and order >= _CLEARLY else ""


def curves(rows: Frame, samples: Frame) -> Frame:
    """pass@k (0..1) by evaluation and k, as in the engine's scores; NaN if a task has fewer than k
    samples. Leaves out unsettled rows."""
    unsettled = set(samples.loc[samples["open"] > 0, "evaluation"])
    counts: dict[int, list[tuple[int, int, int]]] = {}
    columns = samples[["evaluation", "n", "c", "times"]]
    for key, n, c, times in columns.itertuples(index=False, name=None):
        counts.setdefault(key, []).append((n, c, times))
    settled = [key for key in rows.index if key in counts and key not in unsettled]
    ks = drawn_ks(max((min(n for n, _c, _times in counts[key]) for key in settled), default=0))

    def mean(results: list[tuple[int, int, int]], k: int) -> float:
        total = 0.0
        for n, c, times in results:
            value = _pass_at_k(n, c, k)
            total += nan if value is None else value * times
        return total / sum(times for _n, _c, times in results)

    values = [[mean(counts[key], k) for k in ks] for key in settled]
    return pd.DataFrame(values, index=pd.Index(settled, name="evaluation"), columns=ks, dtype=float)


def drawn_ks(most: int) -> list[int]:
    """The k to draw: all up to 20, then roughly geometric steps up to and including `most`."""
    if most <= _EVERY:
        return list(range(1, most + 1))
    factor = (most / _EVERY) ** (1 / _STEPS)
    later = {round(_EVERY * factor**step) for step in range(1, _STEPS + 1)}
    return [*range(1, _EVERY + 1), *sorted(later - set(range(_EVERY + 1)))]


def _passk(board: BoardFrames, curves: Frame, height: Height) -> Drawing:
    chosen = drawing.spread(len(curves))
    others = [position for position in range(len(curves)) if position not in chosen]
    lines = [curves.iloc[position].dropna() * 100 for position in (*chosen, *others)]
    names = [str(board.rows.at[line.name, "name"]) for line in lines]
    ks = [int(k) for k in curves.columns]
    axis: dict[str, Any] = {"showgrid": False, "title": {"text": "k", "standoff": 4}}
    if ks[-1] > _EVERY:
        ticks = [tick for tick in _TICKS if tick <= ks[-1]]
        axis |= {"type": "log", "range": [0, log10(ks[-1])], "tickvals": ticks}
    else:
        ticks = [1, *range(5, ks[-1] + 1, 5)] if ks[-1] > 4 else ks
        axis |= {"range": [1, ks[-1]], "tickvals": ticks}
    colours = [*theme.SERIES[: len(chosen)], *[theme.REST] * len(others)]
    ends = [(int(line.index[-1]), float(line.iloc[-1])) for line in lines]
    figure = naming.figure_of_lines(names, colours, ends, axis, ks[-1], height)
    for series, curve in enumerate(lines[: len(chosen)]):
        line = drawing.line_trace(
            series,
            names[series],
            [int(k) for k in curve.index],
            curve / 100,
            # A single point would be invisible as a line.
            mode="lines" if len(curve) > 1 else "markers",
            marker={"symbol": theme.SYMBOLS[series], "size": 8},
            hovertemplate=_HOVER,
        )
        figure.add_trace(line)
    if rest := lines[len(chosen) :]:
        # One trace with gaps between the lines.
        line = go.Scatter(
            x=[k for curve in rest for k in (*map(int, curve.index), None)],
            y=[y for curve in rest for y in (*drawing.gaps(curve), None)],
            mode="lines",
            line={"width": 1},
            opacity=0.5,
            text=[
                drawing.shown(name)
                for name, curve in zip(names[len(chosen) :], rest, strict=True)
                for _y in (*curve, None)
            ],
            hovertemplate=_HOVER,
            connectgaps=False,
            zorder=-1,
        )
        figure.add_trace(line)
    human = [] if board.human is None else [(_("human"), board.human)]
    drawing.add_reference_lines(figure, [*human, *reference_lines(board)])
    return Drawing(figure, (*theme.SERIES[: len(chosen)], theme.REST))


# --- Conversations ------------------------------------------------------------------------------

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
    entrants = list(scores.index.unique("evaluation"))
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

    def table() -> NumberTable:
        every, rows = _turns(scores), []
        for key in entrants:
            of_entrant = scores.loc[key].iterrows()
            cells = {turn: drawing.with_interval(score) for turn, score in of_entrant}
            rows.append([str(board.rows.at[key, "name"]), *map(cells.get, every)])
        heads = (_("turn %(number)s") % {"number": turn} for turn in every)
        return NumberTable([_("Entrant"), *heads], rows)

    return Chart(title, "; ".join(line), partial(_by_turn, board, scores, chosen), table)


def _turns(scores: Frame) -> list[int]:
    return sorted({int(turn) for turn in scores.index.get_level_values("turn")})


def _worse_for_all(scores: Frame, *, rises: bool) -> tuple[int, int] | None:
    """The first common turn, and the last one that the same conversations reach, if everyone's
    value falls (`rises`: rises) between them. None with fewer than two entrants, or if an entrant's
    two intervals overlap."""
    entrants = scores.index.unique("evaluation")
    several = [scores.loc[key].dropna()["tasks"].to_dict() for key in entrants]
    common = sorted(set.intersection(*map(set, several))) if len(several) > 1 else []
    common = [turn for turn in common if all(row[turn] == row[common[0]] for row in several)]
    if len(common) < 2:
        return None
    first, last = (scores.xs(turn, level="turn") for turn in (common[0], common[-1]))
    below, above = (first, last) if rises else (last, first)
    return (common[0], common[-1]) if (below["high"] < above["low"]).all() else None


def _by_turn(board: BoardFrames, scores: Frame, chosen: list[Any]) -> Drawing:
    turns = _turns(scores)
    edge = turns[-1] + 0.3
    axis = {
        "range": [turns[0] - 0.3, edge],
        "tickvals": turns[:: 1 + (len(turns) - 1) // _MOST_TICKS],
        "showgrid": False,
        "title": {"text": pgettext("of a conversation", "turn"), "standoff": 4},
    }
    names = [str(board.rows.at[key, "name"]) for key in chosen]
    last = [scores.loc[key, "value"] for key in chosen]
    ends = [(values.index[-1], float(values.iloc[-1]) * 100) for values in last]
    figure = naming.figure_of_lines(names, theme.SERIES[: len(chosen)], ends, axis, edge)
    for series, (key, name) in enumerate(zip(chosen, names, strict=True)):
        part = scores.loc[key]
        between = max(1, len(chosen) - 1)
        shift = round(_DODGE * (series / between - 0.5), 3) if len(chosen) > 1 else 0.0
        line = drawing.line_trace(
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

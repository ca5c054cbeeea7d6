"""Agreement of raters on each scale: alpha with its interval, kappa, and the threshold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Table
from leaderboard.pages.shared.numbers import rounded
from leaderboard.pages.shared.panel_words import lack_words, scale_words

_MEASURES: Mapping[str, object] = {
    "alpha": gettext_lazy("Krippendorff's alpha"),
    "kappa": gettext_lazy("weighted kappa"),
}
# Pixels: the rows of a scale including its name; legend and axis.
_ROW, _AROUND = 54, 64


def agreement_chart(board: BoardFrames, _by: str) -> Chart | None:
    """The figure shows the first campaign, the table all of them."""
    campaigns = board.agreements["campaign"]
    first = board.agreements[campaigns.isin(campaigns.iloc[:1])]
    if not len(board.rows) or not first["value"].notna().any():
        return None
    title = _("Agreement between raters")
    alphas = first[first["measure"] == "alpha"]
    if not alphas.empty and not alphas[["low", "high"]].isna().any(axis=None):
        if (alphas["low"] >= alphas["least"]).all():
            title = _("The raters agree enough to publish means on every scale")
        elif (alphas["high"] < alphas["least"]).all():
            title = _("The raters agree too little on every scale")
    subtitle = _(
        "alpha with 95 %% intervals; 1 is full agreement, 0 is chance; dotted: the alpha required "
        "to publish a mean, %(least)s"
    ) % {"least": rounded(float(first["least"].iloc[0]), 3)}
    height = drawing.lowest_height(first["criterion"].nunique() * _ROW + _AROUND)
    return Chart(
        title, subtitle, partial(_figure, first), partial(_table, board.agreements), height
    )


def _figure(agreements: Frame) -> Drawing:
    """A dot with its interval for each scale and measure, and a line at the threshold."""
    scales = list(dict.fromkeys(agreements["criterion"]))
    least = float(agreements["least"].iloc[0])
    lowest = min(0.0, agreements["low"].min(), agreements["value"].min())
    axis = {"range": [lowest - 0.02, 1.02], "dtick": 0.2, "tick0": 0}
    figure = drawing.figure_of_groups(len(scales), axis)
    for series, (measure, words) in enumerate(_MEASURES.items()):
        part = agreements[agreements["measure"] == measure].set_index("criterion").reindex(scales)
        dots = drawing.interval_dots(
            part,
            map(scale_words, scales),
            drawing.PLAIN,
            series=series,
            y=[place + 0.52 + 0.24 * series for place in range(len(scales))],
            marker={"symbol": theme.SYMBOLS[series], "size": 8},
            name=str(words),
        )
        figure.add_trace(dots)
    for place, scale in enumerate(scales):
        part = agreements[(agreements["criterion"] == scale) & agreements["value"].isna()]
        lack = next(filter(None, part["lack"]), "")
        text = capfirst(scale_words(scale)) + (f": {lack_words(lack)}" if lack else "")
        drawing.add_group_name(figure, drawing.shown(text), place)
    figure.add_shape(type="line", xref="x", x0=least, x1=least, yref="paper", y0=0, y1=1)
    return Drawing(figure, theme.SERIES[: len(_MEASURES)])


def _table(agreements: Frame) -> Table:
    several = agreements["campaign"].nunique() > 1
    rows: list[list[str | None]] = []
    for (_campaign, scale), part in agreements.groupby(["campaign", "criterion"], sort=False):
        name = scale_words(str(scale))
        rows.append([f"{part['title'].iloc[0]} · {name}" if several else name])
        for measure in _MEASURES:
            row = part[part["measure"] == measure].iloc[0]
            lacking = pd.isna(row["value"]) and row["lack"]
            number = None if lacking else drawing.with_interval(row, drawing.PLAIN)
            rows[-1].append(lack_words(row["lack"]) if lacking else number)
    return Table([_("Scale"), *map(str, _MEASURES.values())], rows)

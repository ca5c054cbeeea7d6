"""The charts of ratings: titles, figures and tables, as in findings.py."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import isnan

import pandas as pd
from django.utils.translation import gettext as _

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.chart_tables import Chart, Finding, Table
from leaderboard.pages.boards.charts import agreement, pairs, rules, spreads
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.shared.numbers import per_cent, rounded, with_ends
from leaderboard.pages.shared.panel_words import lack_words, scale_words

# Maximum number of charts of scale pairs.
_PAIRS = 3

# --- How marks spread ---------------------------------------------------------------------


def _find_spread(known: BoardFrames, _by: str) -> Finding | None:
    if not spreads.drawable(known.rows, known.marks):
        return None
    title, seldom = _("Distribution of the marks"), spreads.seldom_best(known.rows, known.marks)
    if seldom and len(known.rows) > 1:
        words = {"scales": ", ".join(map(scale_words, seldom))}
        title = _("No entrant gets the best mark half of the time: %(scales)s") % words
    subtitle = _(
        "share of the generations by mark; a stronger colour is better, hatched is missing"
    )
    return Finding("spread", title, subtitle, spreads.height(known.rows, known.marks))


def _draw_spread(known: BoardFrames, _by: str) -> Drawing | None:
    rows, marks = known.rows, known.marks
    return spreads.figure(rows, marks) if spreads.drawable(rows, marks) else None


def _table_of_spread(known: BoardFrames, _by: str) -> Table | None:
    marks = known.marks
    if marks.empty:
        return None
    most = int(marks["top"].max())
    head = [_("Entrant"), _("Scale"), _("Mean mark"), *map(str, range(1, most + 1)), _("missing")]
    body: list[list[str | None]] = []
    for key in (key for key in known.rows.index if key in set(marks["evaluation"])):
        for _place, row in marks[marks["evaluation"] == key].iterrows():
            shares = [] if isnan(row["value"]) else list(row["shares"])
            cells = [*map(_share, shares), *[None] * (most - len(shares)), _share(row["missing"])]
            name = str(known.rows.at[key, "name"])
            body.append([name, scale_words(row["criterion"]), _mean(row), *cells])
    return head, body


def _share(value: float) -> str | None:
    if isnan(value):
        return None
    return _("%(number)s %%") % {"number": per_cent(value, 0)}


def _mean(row: pd.Series, ends: tuple[str, str, str] = ("value", "low", "high")) -> str | None:
    value, low, high = (row[name] for name in ends)
    return with_ends(value, low, high, 2)


# --- One scale against another ------------------------------------------------------------


def _pair(known: BoardFrames, number: int) -> tuple[tuple[str, str], Frame] | None:
    scales = pairs.pair(known.marks, number)
    if scales is None:
        return None
    points = pairs.points(known.rows, known.marks, scales)
    return (scales, points) if pairs.drawable(points) else None


def _find_pair(known: BoardFrames, _by: str, *, number: int) -> Finding | None:
    found = _pair(known, number)
    if found is None:
        return None
    scales, points = found
    words = {"one": scale_words(scales[0]), "other": scale_words(scales[1])}
    title = _("%(other)s against %(one)s") % words
    if rules.go_together(points["x"], points["y"]):
        title = _("%(one)s and %(other)s correlate") % words
    subtitle = _("mean marks with intervals of 95 %; each axis shows the whole scale")
    return Finding(f"pair-{number + 1}", title[:1].upper() + title[1:], subtitle)


def _draw_pair(known: BoardFrames, _by: str, *, number: int) -> Drawing | None:
    found = _pair(known, number)
    return pairs.figure(found[1], found[0]) if found else None


def _table_of_pair(known: BoardFrames, _by: str, *, number: int) -> Table | None:
    found = _pair(known, number)
    if found is None:
        return None
    scales, points = found
    body: list[list[str | None]] = [
        [str(one["name"]), *(_mean(one, (axis, f"{axis}_low", f"{axis}_high")) for axis in "xy")]
        for _key, one in points.iterrows()
    ]
    return [_("Entrant"), *map(scale_words, scales)], body


# --- Agreement ----------------------------------------------------------------------------


def _shown(known: BoardFrames) -> Frame | None:
    found = agreement.first_campaign(known.agreements)
    return found if len(known.rows) and agreement.drawable(found) else None


def _find_agreement(known: BoardFrames, _by: str) -> Finding | None:
    found = _shown(known)
    if found is None:
        return None
    title = {
        "past": _("The raters agree enough to publish means on every scale"),
        "short": _("The raters agree too little on every scale"),
        "": _("Agreement between raters"),
    }[agreement.clear(found)]
    subtitle = _(
        "with 95 %% intervals; 1 is full agreement, 0 is chance; dotted: the alpha required to "
        "publish a mean, %(least)s"
    )
    least = rounded(float(found["least"].iloc[0]), 3)
    return Finding("agreement", title, subtitle % {"least": least}, agreement.height(found))


def _draw_agreement(known: BoardFrames, _by: str) -> Drawing | None:
    found = _shown(known)
    return None if found is None else agreement.figure(found)


def _table_of_agreement(known: BoardFrames, _by: str) -> Table | None:
    found = known.agreements
    if _shown(known) is None:
        return None
    several = found["campaign"].nunique() > 1
    head = [_("Scale"), *(str(words) for words in agreement.MEASURES.values())]
    body: list[list[str | None]] = []
    for (_campaign, scale), part in found.groupby(["campaign", "criterion"], sort=False):
        name = scale_words(str(scale))
        title = f"{part['title'].iloc[0]} · {name}" if several else name
        by_measure = {str(row["measure"]): row for _place, row in part.iterrows()}
        body.append([title, *(_figure(by_measure[one]) for one in agreement.MEASURES)])
    return head, body


def _figure(row: pd.Series) -> str | None:
    return lack_words(row["lack"]) if isnan(row["value"]) and row["lack"] else _mean(row)


CHARTS_OF_MARKS: Mapping[str, Chart] = {
    "spread": Chart(_find_spread, _draw_spread, _table_of_spread),
    **{
        f"pair-{number + 1}": Chart(
            partial(_find_pair, number=number),
            partial(_draw_pair, number=number),
            partial(_table_of_pair, number=number),
        )
        for number in range(_PAIRS)
    },
    "agreement": Chart(_find_agreement, _draw_agreement, _table_of_agreement),
}

"""A chart as JSON, for static/js/charts.js, and its numbers as a table."""

from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

import pandas as pd
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.vary import vary_on_headers

from leaderboard.boards.means import BENCHMARK, MEAN, Cells
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import board_charts
from leaderboard.pages.boards.board_charts import CHARTS, Card
from leaderboard.pages.boards.charts import scatter
from leaderboard.pages.boards.charts.drawing import Chart, NumberTable
from leaderboard.pages.boards.columns import columns_of
from leaderboard.pages.boards.views.selection import select
from leaderboard.pages.shared.access import is_polling
from leaderboard.pages.shared.crumbs import Crumb

# Billions of parameters, the entrant's name, the mean and the ends of its interval.
_Point: TypeAlias = tuple[float, str, float, float | None, float | None]


@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Language")
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The figure for the selected board. Raises Http404 if there is nothing to draw."""
    board = select(request, slug).board
    by = request.GET.get("by", "")
    return _json(request, board_charts.figure(board, name, by) if board and name in CHARTS else b"")


def _json(request: HttpRequest, figure: bytes) -> HttpResponseBase:
    if not figure:
        raise Http404(_("There is no such chart."))
    response = HttpResponse(figure, content_type="application/json")
    response["ETag"] = etag = quote_etag(sha256(figure).hexdigest()[:32])
    return get_conditional_response(request, etag=etag, response=response) or response


@vary_on_headers("HX-Request")
def chart_table(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The page of the table; only the table if a script asks. Raises Http404 without numbers."""
    selected = select(request, slug)
    numbers = None
    if selected.board and name in CHARTS:
        numbers = board_charts.numbers(selected.board, name, request.GET.get("by", ""))
    return _table(request, numbers, selected.crumbs(f"#chart-{name}"))


def _table(request: HttpRequest, numbers: NumberTable | None, way: list[Crumb]) -> HttpResponse:
    """`way` are the pages above; the last one names the subject of the numbers."""
    if numbers is None:
        raise Http404(_("There is no such chart."))
    context = {"numbers": numbers, "of": way[-1].text, "crumbs": [*way, Crumb(numbers.title)]}
    template = "parts/numbers.html" if is_polling(request) else "boards/chart_table.html"
    return render(request, template, context)


# --- The mean over all benchmarks against size --------------------------------------------


def size_card(cells: Cells) -> Card | None:
    """None if there are too few sizes. `cells` are those of the mean."""
    if not (points := _sizes(cells)):
        return None
    chart = _chart(points, get_language())
    url, table_url = reverse("means-chart"), reverse("means-table")
    return Card("size", chart.title, chart.subtitle, chart.height, url, table_url)


def _sizes(cells: Cells) -> tuple[_Point, ...]:
    """The smallest first; none if there are too few sizes."""
    points = [
        (e.parameters, e.shown_name, cell.value, cell.low, cell.high)
        for e, cell in cells.items()
        if e.parameters and not cell.without
    ]
    enough = len({x for x, *_rest in points}) >= scatter.FEWEST
    return tuple(sorted(points, key=lambda point: point[:2])) if enough else ()


# Kept: the home page, which shows no figure, spent a tenth of its time on pandas and the axis.
@lru_cache(maxsize=16)
def _chart(points: tuple[_Point, ...], _language: str | None) -> Chart:
    columns = ["x", "name", "value", "low", "high"]
    frame = pd.DataFrame(points, columns=columns).astype({"low": float, "high": float})
    return scatter.chart_of_sizes(frame, _("Mean over all benchmarks"))


@lru_cache(maxsize=16)
def _figure(points: tuple[_Point, ...], language: str | None) -> bytes:
    return _chart(points, language).figure().json() if points else b""


@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Language")
def means_chart(request: HttpRequest) -> HttpResponseBase:
    _columns, cells = columns_of(Site(request.user), BENCHMARK)
    return _json(request, _figure(_sizes(cells.get(MEAN, {})), get_language()))


@vary_on_headers("HX-Request")
def means_table(request: HttpRequest) -> HttpResponse:
    _columns, cells = columns_of(Site(request.user), BENCHMARK)
    points = _sizes(cells.get(MEAN, {}))
    numbers = _chart(points, get_language()).numbers() if points else None
    return _table(request, numbers, [Crumb(_("Overview"), reverse("home"))])

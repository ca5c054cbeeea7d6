"""A chart as JSON, for static/js/charts.js, and its numbers as a table."""

from __future__ import annotations

from hashlib import sha256

import pandas as pd
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.boards.frames import Frame
from leaderboard.boards.means import BENCHMARK, MEAN, Cells
from leaderboard.boards.site import Site
from leaderboard.pages.boards import chart_tables, findings
from leaderboard.pages.boards.charts import scatter
from leaderboard.pages.boards.columns import columns_of
from leaderboard.pages.boards.findings import CHARTS, KEEP, Card, Numbers
from leaderboard.pages.boards.views.selection import reader, select
from leaderboard.pages.shared.access import is_polling
from leaderboard.pages.shared.crumbs import Crumb


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Language")
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The figure for the selected board. Raises Http404 if there is nothing to draw."""
    board = select(request, slug).board
    by = request.GET.get("by", "")
    figure = findings.figure(board, name, by) if board and name in CHARTS else b""
    if not figure:
        raise Http404(_("There is no such chart."))
    return _json(request, figure)


def _json(request: HttpRequest, figure: bytes) -> HttpResponseBase:
    response = HttpResponse(figure, content_type="application/json")
    response["ETag"] = etag = quote_etag(sha256(figure).hexdigest()[:32])
    return get_conditional_response(request, etag=etag, response=response) or response


@require_safe
@vary_on_headers("HX-Request")
def chart_table(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The page of the table, or only the table if a script asks. Raises Http404 if there is nothing
    to draw."""
    selected = select(request, slug)
    numbers = None
    if selected.board and name in CHARTS:
        numbers = findings.numbers(selected.board, name, request.GET.get("by", ""))
    if numbers is None:
        raise Http404(_("There is no such chart."))
    board_url = selected.benchmark.get_absolute_url() + selected.query
    way = [
        Crumb(_("Benchmarks"), reverse("benchmarks")),
        Crumb(selected.title, f"{board_url}#chart-{name}"),
    ]
    return _table(request, numbers, way)


def _table(request: HttpRequest, numbers: Numbers, way: list[Crumb]) -> HttpResponse:
    """`way` are the pages above; the last one names the subject of the numbers."""
    context = {"numbers": numbers, "of": way[-1].text, "crumbs": [*way, Crumb(numbers.title)]}
    template = "parts/numbers.html" if is_polling(request) else "boards/chart_table.html"
    return render(request, template, context)


# --- Over all benchmarks ------------------------------------------------------------------


def size_card(cells: Cells) -> Card | None:
    """The card of the mean over all benchmarks against size; None if there are too few sizes.
    `cells` are the cells of this mean."""
    if len({entrant.parameters for entrant in _sized(cells)}) < scatter.SIZES:
        return None
    line = _("%(metric)s in per cent, with 95 %% intervals, of entrants whose size is known")
    return Card(
        "size",
        _("Score against size"),
        line % {"metric": _("Mean over all benchmarks")},
        reverse("means-chart"),
        "",
        reverse("means-table"),
    )


def _sized(cells: Cells) -> Cells:
    return {e: cell for e, cell in cells.items() if e.parameters and not cell.without}


def _means(request: HttpRequest) -> tuple[Card, Frame]:
    """Raises Http404 if there is nothing to draw."""
    _columns, cells = columns_of(Site(reader(request)), BENCHMARK)
    means = cells.get(MEAN, {})
    card = size_card(means)
    if card is None:
        raise Http404(_("There is no such chart."))
    sized = _sized(means).items()
    rows = [(e.name, e.parameters, cell.value, cell.low, cell.high) for e, cell in sized]
    frame = pd.DataFrame(rows, columns=["name", "x", "value", "low", "high"])
    frame = frame.astype({"low": float, "high": float})
    return card, frame.sort_values(["x", "name"], ignore_index=True)


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Language")
def means_chart(request: HttpRequest) -> HttpResponseBase:
    _card, points = _means(request)
    digest = sha256(points.to_json().encode()).hexdigest()
    key = f"means.{get_language()}.{digest}"
    figure: bytes | None = cache.get(key)
    if figure is None:
        figure = scatter.size(points).json()
        cache.set(key, figure, KEEP)
    return _json(request, figure)


@require_safe
@vary_on_headers("HX-Request")
def means_table(request: HttpRequest) -> HttpResponse:
    card, points = _means(request)
    numbers = Numbers(
        card.title, card.line, *chart_tables.of_sizes(points, _("Mean over all benchmarks"))
    )
    return _table(request, numbers, [Crumb(_("Overview"), reverse("home"))])

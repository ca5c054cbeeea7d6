"""A chart as JSON, for static/js/charts.js, and its numbers as a table."""

from __future__ import annotations

from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.pages.boards import findings
from leaderboard.pages.boards.findings import CHARTS
from leaderboard.pages.boards.views.selection import select
from leaderboard.pages.shared.access import is_polling
from leaderboard.pages.shared.crumbs import Crumb

FRESH = 60  # seconds


@require_safe
@cache_control(private=True, max_age=FRESH)
@vary_on_headers("Cookie", "Accept-Language")
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The figure for the selected board. Raises Http404 if there is nothing to draw."""
    board = select(request, slug).board
    by = request.GET.get("by", "")
    figure = findings.figure(board, name, by) if board and name in CHARTS else b""
    if not figure:
        raise Http404(_("There is no such chart."))
    response = HttpResponse(figure, content_type="application/json")
    response["ETag"] = etag = quote_etag(sha256(figure).hexdigest()[:32])
    return get_conditional_response(request, etag=etag, response=response) or response


@require_safe
@vary_on_headers("HX-Request")
def chart_table(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Only the table if a script asks. Raises Http404 if there is nothing to draw."""
    selected = select(request, slug)
    numbers = None
    if selected.board and name in CHARTS:
        numbers = findings.numbers(selected.board, name, request.GET.get("by", ""))
    if numbers is None:
        raise Http404(_("There is no such chart."))
    board_url = selected.benchmark.get_absolute_url() + selected.query
    context = {
        "selected": selected,
        "numbers": numbers,
        "crumbs": [
            Crumb(_("Benchmarks"), reverse("benchmarks")),
            Crumb(selected.title, f"{board_url}#chart-{name}"),
            Crumb(numbers.title),
        ],
    }
    template = "parts/numbers.html" if is_polling(request) else "boards/chart_table.html"
    return render(request, template, context)

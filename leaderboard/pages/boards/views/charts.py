"""A chart as JSON, for static/js/charts.js."""

from __future__ import annotations

from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.pages.boards.charts.breakdown import WORDS
from leaderboard.pages.boards.findings import CHARTS, kept
from leaderboard.pages.boards.frames import BoardFrames
from leaderboard.pages.boards.views.selection import select
from leaderboard.scores.models import Board

FRESH = 60  # seconds


@require_safe
@cache_control(private=True, max_age=FRESH)
@vary_on_headers("Cookie", "Accept-Language")
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """The figure for the selected board. Raises Http404 if there is nothing to draw."""
    board = select(request, slug).board
    by = request.GET.get("by", "")
    # Limits cache keys to known slices.
    figure = _figure(board, name, by if by in WORDS else "") if board and name in CHARTS else b""
    if not figure:
        raise Http404(_("There is no such chart."))
    response = HttpResponse(figure, content_type="application/json")
    response["ETag"] = etag = quote_etag(sha256(figure).hexdigest()[:32])
    return get_conditional_response(request, etag=etag, response=response) or response


def _figure(board: Board, name: str, by: str) -> bytes:
    def drawn(known: BoardFrames) -> bytes:
        drawing = CHARTS[name].draw(known, by)
        return drawing.json() if drawing else b""

    return kept(board, f"chart.{name}.{by}", drawn)

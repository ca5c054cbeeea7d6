"""Live parts of pages, sent again only after a change."""

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django_htmx.http import HttpResponseStopPolling

from leaderboard.pages.shared.record import context_of

# Templates of live parts contain this in their polling address, before any other occurrence.
SEEN = "seen=now"


def live_page(
    request: HttpRequest,
    template: str,
    part: str,
    page: Any,
    *,
    moving: bool,
    only_live: bool,
    version: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page with its live part, or the part alone, for which the page polls while it is
    `moving`: status 204 if the page has it already. `page` is the record of both templates.

    The polling address contains the `version` of the part: a name of the state that it shows, by
    default a hash of its HTML. The HTML must not differ per request: it has no CSRF token.
    """
    on_page = version_on_page(request)
    # Links in the part must not have the name of an older part.
    query = request.GET.copy()
    query.pop("seen", None)
    request.GET = query  # type: ignore[assignment]  # a mutable copy, only read
    context = context_of(page)
    html = render_to_string(part, context, request=request)
    version = version or state_name(html)
    if only_live and moving and on_page == version:
        return HttpResponse(status=204)
    # The template has escaped everything; only the version is inserted.
    context["live"] = html = mark_safe(html.replace(SEEN, f"seen={version}", 1))  # noqa: S308
    if not only_live:
        return render(request, template, context, status=status)
    return HttpResponse(html) if moving else HttpResponseStopPolling(html)


def state_name(made_of: str) -> str:
    return hashlib.sha256(made_of.encode("utf-8", "replace")).hexdigest()[:16]


def version_on_page(request: HttpRequest) -> str:
    return request.GET.get("seen", "")

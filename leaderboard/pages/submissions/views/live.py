"""Live parts of pages, sent again only after a change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django_htmx.http import HttpResponseStopPolling

# Templates of live parts contain this in their polling address, before any other occurrence.
SEEN = "seen=now"


@dataclass(frozen=True, slots=True)
class LivePart:
    """A live part's HTML. Its polling address contains its name: a hash of the HTML, or of what the
    HTML is made of. `is_on_page`: the page has it already."""

    html: SafeString
    name: str
    is_on_page: bool

    @classmethod
    def of(
        cls, request: HttpRequest, template: str, context: dict[str, object], name: str = ""
    ) -> LivePart:
        """Renders the part, which must not differ per request: it has no CSRF token."""
        on_page = version_on_page(request)
        # Links in the part must not have the name of an older part.
        query = request.GET.copy()
        query.pop("seen", None)
        request.GET = query  # type: ignore[assignment]  # a mutable copy, only read
        html = render_to_string(template, context, request=request)
        name = name or name_of(html)
        # The template has escaped everything; only the hash is inserted.
        html = mark_safe(html.replace(SEEN, f"seen={name}", 1))  # noqa: S308
        return cls(html, name, on_page == name)


def name_of(made_of: str) -> str:
    return hashlib.sha256(made_of.encode("utf-8", "replace")).hexdigest()[:16]


def version_on_page(request: HttpRequest) -> str:
    """The name of the part that the page already has."""
    return request.GET.get("seen", "")


def answer(part: LivePart, *, over: bool) -> HttpResponse:
    """The part, or status 204 if the page has it already; `over` ends the polling."""
    if over:
        return HttpResponseStopPolling(part.html)
    return HttpResponse(status=204) if part.is_on_page else HttpResponse(part.html)


def live_page(
    request: HttpRequest,
    page: str,
    part: str,
    context: dict[str, object],
    *,
    moving: bool,
    only_live: bool,
    version: str = "",
) -> HttpResponse:
    """The page with its live part, or the part alone, which is polled for while it is `moving`.
    `page` and `part` are templates; `version` names the state that the part shows."""
    live = LivePart.of(request, part, context, version)
    if only_live:
        return answer(live, over=not moving)
    return render(request, page, {**context, "live": live.html})

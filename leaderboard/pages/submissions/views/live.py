"""Parts of pages that change by themselves and are sent again only when they have changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django_htmx.http import HttpResponseStopPolling

# Templates of live parts ask for themselves by an address that ends so, before all else.
SEEN = "seen=now"


@dataclass(frozen=True, slots=True)
class LivePart:
    """Its HTML, which names itself in the address that it asks for next."""

    html: SafeString
    name: str

    @classmethod
    def of(cls, request: HttpRequest, template: str, context: dict[str, object]) -> LivePart:
        """Whatever differs from call to call, such as a CSRF token, must not be in it."""
        _forget_seen(request)
        html = render_to_string(template, context, request=request)
        name = hashlib.sha256(html.encode("utf-8", "replace")).hexdigest()[:16]
        # The template has escaped everything; only the name is put in.
        return cls(mark_safe(html.replace(SEEN, f"seen={name}", 1)), name)  # noqa: S308


def seen_by(request: HttpRequest) -> str:
    """The name of the part that the page has."""
    return request.GET.get("seen", "")


def _forget_seen(request: HttpRequest) -> None:
    """Links in the part keep the page's query, not the name of an older part."""
    query = request.GET.copy()
    query.pop("seen", None)
    request.GET = query  # type: ignore[assignment]  # immutable or not, it is only read


def answer(part: LivePart, *, seen: str, over: bool) -> HttpResponse:
    """The part, or nothing where the page has it already; `over` ends the asking."""
    if over:
        return HttpResponseStopPolling(part.html)
    return HttpResponse(status=204) if seen == part.name else HttpResponse(part.html)

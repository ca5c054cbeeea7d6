"""Adds headers to every response, refuses large bodies of strangers, and answers for the queue's
pages while the queue is away."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis.exceptions import RedisError

# Plotly sets style attributes; style elements and scripts come only from this site's files.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

# Python refuses to read a number of thousands of digits.
MOST_STRANGERS_BYTES, MOST_DIGITS = 2**20, 20


class ContentSecurityPolicy:
    """Allows only this site's own files as scripts and styles, and only this site as a target."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class LargeBodies:
    """Refuses a body over 1 MiB, or of unknown length, of a client who is not signed in. It stays
    unread: Django would store it on the disk before it looks at the form's token. Gunicorn then
    reads at most 64 KiB more and closes the connection."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        is_large = (
            "HTTP_TRANSFER_ENCODING" in request.META
            or not length.isdecimal()
            or len(length) > MOST_DIGITS
            or int(length) > MOST_STRANGERS_BYTES
        )
        # A request with a valid token is to pass here, too, once there are tokens.
        if is_large and not request.user.is_authenticated:
            return render(request, "413.html", status=413)
        return self._get_response(request)


class QueueAway:
    """Shows a page instead of an error if the queue of django-rq's dashboard does not answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, RedisError):
            return render(request, "admin/queue_away.html", status=503)
        return None

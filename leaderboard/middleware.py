"""Adds headers to every response, and answers for the queue's pages while the queue is away."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
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


class ContentSecurityPolicy:
    """Allows only this site's own files as scripts and styles, and only this site as a target."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


def is_personal(request: HttpRequest) -> bool:
    """Whether the client may have a session or messages, so that pages differ for it."""
    names = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}
    return bool(names & request.COOKIES.keys())


class NoStore:
    """Keeps answers that depend on the client out of every cache, unless their view decides."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if response.cookies or is_personal(request):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


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

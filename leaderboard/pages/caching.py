"""Caches the pages of boards, and the API's answers, for visitors until something public changes.

A visitor has neither a session nor messages, so all visitors with one language see the same page.
The key contains the state of the public changes, so a page that is out of date is never found.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import DisallowedHost, MiddlewareNotUsed
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language_from_request

from leaderboard.middleware import is_personal
from leaderboard.pages.models import PublicChange
from leaderboard.pages.shared.access import is_polling

# The views and routes that are cached, and the parameters that they read. A page repeats its own
# address in links, so a request with any other parameter is not cached.
VIEWS, API = "leaderboard.pages.boards.views.", "api/v1/"
PARAMETERS = frozenset(
    ("by", "category", "cursor", "entrant", "first", "hide", "level", "limit", "organisation")
    + ("page", "provenance", "revision", "second", "setting", "since", "size", "slice")
    + ("sort", "value", "weights")
)
MOST_BYTES = 2**20


class PublicPages:
    """Answers a visitor's GET from the cache, or stores the answer there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.CACHED_PAGES:
            raise MiddlewareNotUsed
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not _is_cacheable(request):
            return self._get_response(request)
        # Read before the page is made: after a change in between, nobody finds the stored page.
        try:
            key = _key(request)
        except DatabaseError:
            return self._get_response(request)
        stored = caches["pages"].get(key)
        if stored is None:
            response = self._get_response(request)
            is_public = (
                request.resolver_match is not None
                and is_shared(request.resolver_match)
                and response.status_code == 200
                and not response.streaming
                and not response.cookies
                and len(response.content) <= MOST_BYTES
            )
            if not is_public:
                return response
            response.headers.setdefault("Cache-Control", "no-cache")
            response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()}"'
            caches["pages"].set(key, (response.content, list(response.items())))
        else:
            content, headers = stored
            response = HttpResponse(content, headers=dict(headers))
        return get_conditional_response(request, response["ETag"], None, response) or response


def is_shared(match: ResolverMatch) -> bool:
    """Whether all visitors get the same answer from the view."""
    return match.func.__module__.startswith(VIEWS) or match.route.startswith(API)


def _is_cacheable(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return (
        request.method == "GET"
        and not is_personal(request)
        and not is_polling(request)
        and "Authorization" not in request.headers
        and set(request.GET) <= PARAMETERS
    )


def _key(request: HttpRequest) -> str:
    """Includes the date, because pages show dates in UTC, and whether the browser accepts gzip."""
    parts = (
        public_changes(),
        datetime.now(UTC).date(),
        request.scheme,
        request.get_host(),
        get_language_from_request(request),
        "gzip" in request.headers.get("Accept-Encoding", ""),
        request.path,
        sorted((name, request.GET.getlist(name)) for name in request.GET),
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def public_changes() -> Any:
    """A value that differs after each change. In SQL, since the ORM takes longer than the rest of a
    hit."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*), SUM(id), MAX(id) FROM {PublicChange._meta.db_table}")  # noqa: S608
        return cursor.fetchone()

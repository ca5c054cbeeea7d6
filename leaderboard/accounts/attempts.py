"""How often somebody may try in a while: counted in Django's cache, by account and address."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

MOST = 10
SECONDS = 15 * 60


def note_attempt(kind: str, request: HttpRequest | None, account: str) -> bool:
    """Counts one. False where there were too many already: then nothing may be tried.

    Counted before it is tried, so that many at once are no way around it.
    """
    key = _key(kind, request, account)
    cache.add(key, 0, SECONDS)
    try:
        return cache.incr(key) <= MOST
    except ValueError:  # it ran out between the two lines
        return True


def forget_attempts(kind: str, request: HttpRequest | None, account: str) -> None:
    cache.delete(_key(kind, request, account))


def _key(kind: str, request: HttpRequest | None, account: str) -> str:
    text = f"{account.casefold()}\0{_address(request)}"
    return f"attempts-{kind}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _address(request: HttpRequest | None) -> str:
    """Behind a proxy, what the proxy itself added to the list; the rest anyone may write."""
    if request is None:
        return ""
    passed_on = request.headers.get("X-Forwarded-For", "") if settings.HTTPS else ""
    return passed_on.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")

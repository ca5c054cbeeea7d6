"""Limits attempts by account and address; no limit without the cache, so that sign-in works."""

from __future__ import annotations

import hashlib
from contextlib import suppress

from django.core.cache import caches
from django.http import HttpRequest
from redis.exceptions import RedisError

from leaderboard.logs import address_of

MOST = 10
SECONDS = 15 * 60


def note_attempt(kind: str, request: HttpRequest | None, account: str) -> bool:
    """Counts an attempt before it is made. Returns False if there were too many."""
    key, cache = _key(kind, request, account), caches["shared"]
    try:
        cache.add(key, 0, SECONDS)
        return cache.incr(key) <= MOST
    except (ValueError, RedisError):  # ValueError: the counter expired between the two calls
        return True


def forget_attempts(kind: str, request: HttpRequest | None, account: str) -> None:
    with suppress(RedisError):
        caches["shared"].delete(_key(kind, request, account))


def _key(kind: str, request: HttpRequest | None, account: str) -> str:
    address = address_of(request) if request is not None else ""
    text = f"{account.casefold()}\0{address}"
    return f"attempts-{kind}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"

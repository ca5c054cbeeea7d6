"""Comparisons of texts on SQLite."""

import re
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver


@receiver(connection_created)
def fold_every_case(connection: BaseDatabaseWrapper, **_more: Any) -> None:
    """SQLite's own LIKE, by which Django looks up `icontains`, `iexact` and all their kin, ignores
    the case of ASCII letters alone."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("like", 3, like, deterministic=True)


def like(pattern: str | None, text: Any, escape: str) -> bool | None:
    """SQL's `text LIKE pattern ESCAPE escape` in lower case, as ILIKE does it on PostgreSQL."""
    if pattern is None or text is None:
        return None
    return bool(_expression(str(pattern).lower(), escape).fullmatch(str(text).lower()))


@lru_cache(maxsize=100)
def _expression(pattern: str, escape: str) -> re.Pattern[str]:
    signs = re.findall(f"({re.escape(escape)})?(.)", pattern, re.DOTALL)
    free = {"%": ".*", "_": "."}
    made = (
        re.escape(sign) if escaped else free.get(sign, re.escape(sign)) for escaped, sign in signs
    )
    return re.compile("".join(made), re.DOTALL)

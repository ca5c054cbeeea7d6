"""Writes and removes generations in short transactions: on SQLite each blocks all writers."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TypeAlias, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet

# A part ends at the limit that it reaches first; sizes are in characters or bytes.
PART_ROWS, PART_SIZE = 500, 2**20
LEAST_PAUSE_SECONDS = 0.05
ROWS_READ = 100

# Opens the transaction that a part is written in.
Write: TypeAlias = Callable[[], AbstractContextManager[None]]

_T = TypeVar("_T")
_M = TypeVar("_M", bound=Model)


def in_pages(rows: QuerySet[_M]) -> Iterator[_M]:
    """With a query open, SQLite refuses our writes once another connection has written."""
    last = 0
    while page := list(rows.order_by("pk").filter(pk__gt=last)[:ROWS_READ]):
        last = page[-1].pk
        yield from page


def in_parts(rows: Iterable[_T], size: Callable[[_T], int]) -> Iterator[list[_T]]:
    part: list[_T] = []
    total = 0
    for row in rows:
        part.append(row)
        total += size(row)
        if len(part) == PART_ROWS or total >= PART_SIZE:
            yield part
            part, total = [], 0
    if part:
        yield part


def paced(parts: Iterable[_T]) -> Iterator[_T]:
    """On SQLite, pauses after each part for as long as writing it took, to let other writers in.

    A waiting writer retries after at most 50 ms, or 100 ms once it has waited 200 ms."""
    free_until = 0.0
    for part in parts:
        if connection.vendor == "sqlite":
            time.sleep(max(0.0, free_until - time.monotonic()))
        began = time.monotonic()
        yield part
        ended = time.monotonic()
        free_until = ended + max(LEAST_PAUSE_SECONDS, ended - began)

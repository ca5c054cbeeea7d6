"""Rows that one worker at a time works on, for as long as it shows that it lives.

A claim raises `attempt`, the fencing number: whoever holds an older one writes nothing any
more. Times are the database's, never a host's. No opinion here on what the work is.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import F
from django.db.models.functions import Now

log = logging.getLogger(__name__)


class Leased(models.Model):
    """Columns of a row that is claimed, worked on under a lease, and given back."""

    owner = models.CharField(max_length=120, blank=True, editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    # When the queue was last told, so that it is not told again at each look.
    rung = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True


_Row = TypeVar("_Row", bound=Leased)


class ClaimLost(Exception):
    """The row has another owner now, or its work was cancelled: nothing more is written."""


def lease_end(seconds: float | None = None) -> Any:
    """The database's now and so many seconds more, by default one lease."""
    return Now() + timedelta(seconds=seconds or settings.LEASE_SECONDS)


@transaction.atomic
def claimed(
    rows: models.QuerySet[_Row],
    *,
    pk: int,
    owner: str,
    seconds: float | None = None,
    **changes: Any,
) -> _Row | None:
    """Takes the row if it is still among `rows`, those in the state to claim from.

    Gives it back as claimed, or None where somebody else was first.
    """
    everything = rows.model._default_manager
    # Locked by a statement of its own: where `rows` asks about other rows too, or about this one
    # in a subquery, PostgreSQL answers as of when a statement began, not as of when it had waited.
    everything.select_for_update(no_key=True).filter(pk=pk).order_by("pk").values("pk").first()
    taken = rows.filter(pk=pk).update(
        owner=owner, attempt=F("attempt") + 1, lease_until=lease_end(seconds), **changes
    )
    # In the same transaction, lest the attempt that is read be a later claim's.
    return everything.get(pk=pk) if taken else None


def held(rows: models.QuerySet[_Row], row: _Row) -> models.QuerySet[_Row]:
    """The row while its claim still stands, else nothing: what every write goes through."""
    return rows.filter(pk=row.pk, attempt=row.attempt, lease_until__gt=Now())


def run_out(rows: models.QuerySet[_Row]) -> models.QuerySet[_Row]:
    """Those whose worker has not shown that it lives for a whole lease."""
    return rows.filter(lease_until__lt=Now())


class Pulse(threading.Thread):
    """Renews a lease from the side while it is entered; sets `stop` when the claim is lost.

    `renew` says whether the claim still stands; it is called `every` so many seconds, by default
    four times a lease. A thread of its own with a connection of its
    own, since the work itself waits for containers or reads for long. Not for work inside one
    long transaction: on SQLite nobody else could write.
    """

    def __init__(
        self, renew: Callable[[], bool], stop: threading.Event, *, every: float | None = None
    ) -> None:
        super().__init__(name="pulse", daemon=True)
        self._every = every or settings.LEASE_SECONDS / 4
        self._renew, self._over, self._stop_work = renew, threading.Event(), stop

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        """A database that is away for a moment is no reason to stop; the lease decides."""
        try:
            while not self._over.wait(self._every):
                try:
                    if not self._renew():
                        self._stop_work.set()
                        return
                except Exception:
                    log.exception("A lease could not be renewed")
                    connection.close()
        finally:
            connection.close()

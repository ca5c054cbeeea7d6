"""Rows that one worker at a time works on, as long as it renews its lease.

A claim raises `attempt`, the fencing number: an owner with an older number can no longer write.
Times are the database's, never a host's."""

import logging
import os
import socket
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
    owner = models.CharField(max_length=120, blank=True, editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    # Time of the last bell (job), so that not every pass rings again.
    rung = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True


_Row = TypeVar("_Row", bound=Leased)


class ClaimLost(Exception):
    """The row has another owner now, or its work was cancelled: the caller must not write."""


def owner() -> str:
    """The name of this process as the owner of a lease."""
    return f"{socket.gethostname()}:{os.getpid()}"


def lease_end(seconds: float | None = None) -> Any:
    """The database's time plus `seconds`, by default one lease."""
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
    """Takes the row if it is still among `rows`. Returns None if another worker was faster."""
    everything = rows.model._default_manager
    # Locked by its own statement: if `rows` has subqueries, PostgreSQL evaluates them as of the
    # start of a statement, not as of the end of its wait for the lock.
    everything.select_for_update(no_key=True).filter(pk=pk).order_by("pk").values("pk").first()
    taken = rows.filter(pk=pk).update(
        owner=owner, attempt=F("attempt") + 1, lease_until=lease_end(seconds), **changes
    )
    # In the same transaction, so that the attempt that is read is not a later claim's.
    return everything.get(pk=pk) if taken else None


def held(rows: models.QuerySet[_Row], row: _Row) -> models.QuerySet[_Row]:
    """The row while its claim is valid, else nothing. Every write under a claim uses it."""
    return rows.filter(pk=row.pk, attempt=row.attempt, lease_until__gt=Now())


def run_out(rows: models.QuerySet[_Row]) -> models.QuerySet[_Row]:
    """Rows whose lease has expired."""
    return rows.filter(lease_until__lt=Now())


class Pulse(threading.Thread):
    """Renews a lease in the background while it is entered; sets `stop` when the claim is lost.

    `renew` returns whether the claim is still valid; it is called every `every` seconds in a
    thread, which has its own database connection only for that moment. Not for work inside one
    long transaction: on SQLite no other connection could write."""

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
        """Continues while the database is away for a moment: only the lease decides."""
        while not self._over.wait(self._every):
            try:
                if not self._renew():
                    self._stop_work.set()
                    return
            except Exception:
                log.exception("A lease could not be renewed")
            finally:
                connection.close()

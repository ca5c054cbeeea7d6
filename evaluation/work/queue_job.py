"""A job that can only be one of ours.

The serializer keeps values out of the queue that run code when they are read. But rq calls
whatever function a job names, and workers hold Docker's socket: so the names are a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rq.job import Job

JOBS = frozenset(
    f"evaluation.jobs.{name}"
    for name in (
        *("check_upload", "store_upload", "chunk", "score", "campaign", "board"),
        "generate",
    )
)


class ForeignJob(Exception):
    """Somebody has put into the queue what this site never puts there."""


class SiteJob(Job):
    """Calls the functions of evaluation.jobs, and nothing that a job adds to them."""

    @property
    def func(self) -> Callable[..., Any]:
        """Raises ForeignJob."""
        if self.func_name not in JOBS or self.instance is not None:
            raise ForeignJob(f"{self.func_name!r} is no job of this site.")
        found: Callable[..., Any] = super().func
        return found

    def restore(self, raw_data: Any) -> None:
        """Callbacks are further functions by name, webhooks requests to anywhere: not ours."""
        super().restore(raw_data)
        self._success_callback_name = None
        self._failure_callback_name = None
        self._stopped_callback_name = None
        self.webhooks = []

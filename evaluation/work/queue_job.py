"""A job class that runs only the functions of this site. rq calls any function that a job names,
and workers hold Docker's socket, so the names are a fixed list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rq.job import Job

from leaderboard.logs import Lines

JOBS = frozenset(
    f"evaluation.jobs.{name}"
    for name in ["check_upload", "store_upload", "generate", "chunk", "score", "campaign", "board"]
)


class ForeignJob(Exception):
    """The queue holds a job that this site never enqueues."""


class SiteJob(Job):
    @property
    def func(self) -> Callable[..., Any]:
        if self.func_name not in JOBS or self.instance is not None:
            raise ForeignJob(f"{self.func_name!r} is no job of this site.")
        function: Callable[..., Any] = super().func
        return function

    def perform(self) -> Any:
        """Lines of the log carry the id of the request that led to the job."""
        Lines.of_job = str(self.meta.get("request", ""))
        return super().perform()

    def restore(self, raw_data: Any) -> None:
        """Drops callbacks, which name further functions, and webhooks, which name any address."""
        super().restore(raw_data)
        self._success_callback_name = None
        self._failure_callback_name = None
        self._stopped_callback_name = None
        self.webhooks = []

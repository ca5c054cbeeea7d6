"""A run as a worker works on it: a model asked by the engine, how far it is noted, and a file of
predictions in the end. Knows nothing of queues, and moves no run.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.utils.translation import gettext as _

from evaluation.engine.errors import EndpointError, SandboxError, UploadError
from evaluation.engine.family import Script
from evaluation.engine.generation import run as conversing
from evaluation.engine.generation import static, writing
from evaluation.engine.generation.asking import Asker, Tally
from evaluation.engine.generation.endpoint import Asked, Endpoint
from evaluation.engine.generation.guard import allowed_origin
from evaluation.engine.generation.header import header, identity
from evaluation.engine.generation.journal import Journal, JournalTaken, OtherRun
from evaluation.engine.generation.pinned import pinned_client
from evaluation.engine.generation.retrying import Patience
from evaluation.engine.instructions import MULTI_TURN
from evaluation.engine.records import Json, Task
from leaderboard.benchmarks.records import public_record
from leaderboard.generation import runs
from leaderboard.generation.models import Run
from leaderboard.generation.runs import Made
from leaderboard.leases import Pulse

_Result = TypeVar("_Result")

# How often pages learn of answers, and how soon a run that was stopped stops.
NOTED_SECONDS = 1.0
_LOOK_SECONDS = 0.2
# As long as one answer may take in all.
ANSWER_SECONDS = 600.0
PATIENCE = Patience()


class Stopped(Exception):
    """The run was stopped, is somebody else's, or its worker is asked to end."""


@dataclass
class Work:
    """What is asked for a run, ready to be asked, and how far that is."""

    run: Run
    script: Script
    tasks: tuple[Task, ...]
    asked: Asked
    total: int
    tally: Tally = field(default_factory=Tally)
    began: float = field(default_factory=time.monotonic)

    @property
    def samples(self) -> int:
        return self.asked.sampling.samples

    def progress(self) -> dict[str, Any]:
        """As pages read it. `new` are this attempt's answers, `rate` how many come a second."""
        tally = self.tally
        seconds = max(time.monotonic() - self.began, 1e-9)
        counts = asdict(replace(tally, models=set(), lost={}))
        del counts["models"], counts["lost"]
        return {
            **counts,
            "new": tally.answered,
            "rate": tally.answered / seconds,
            "total": self.total,
            "lost": len(tally.lost),
            "reason": next(reversed(tally.lost.values()), ""),
        }


def generate(*, run: Run, stop: threading.Event) -> Made:
    """Asks for all that was not answered yet.

    Raises Stopped; EndpointError, UploadError or BenchmarkError where there is no use in going
    on; SandboxError where there may be later.
    """
    work = prepared(run)
    noted = partial(_note, work)
    with Pulse(noted, stop, every=NOTED_SECONDS):
        try:
            records, told = asyncio.run(_unless_stopped(stop, _asked(work)))
        finally:
            mine = noted()
    if not mine:
        raise Stopped
    path = runs.journal_path(run).with_suffix(".jsonl")
    writing.write(path, told, records)
    return Made(path, len(work.tally.lost))


def _note(work: Work) -> bool:
    return runs.note_progress(run=work.run, progress=work.progress())


def prepared(run: Run) -> Work:
    """Raises EndpointError, UploadError, BenchmarkError."""
    if not runs.are_allowed():
        raise UploadError(_("This site asks no endpoints for teams now."))
    script = runs.asking_of(run.revision).script(run.revision.prompts, run.setting, run.history)
    rows = run.revision.tasks.order_by("number")
    # An endpoint is told what everybody may read, and nothing that is hidden.
    tasks = tuple(public_record(row) for row in rows)
    conversing.require_prompts(script, tasks)
    asked = Asked(
        run.endpoint,
        run.model,
        run.asked_with(),
        stream=run.stream,
        seconds=ANSWER_SECONDS,
        key=runs.key_of(run),
    )
    messages = sum(len(static.asked_for(script, task)) for task in tasks)
    return Work(run, script, tasks, asked, messages * asked.sampling.samples)


async def _unless_stopped(stop: threading.Event, work: Coroutine[Any, Any, _Result]) -> _Result:
    """What comes of the work. Raises Stopped soon after it is to be stopped."""
    task = asyncio.create_task(work)
    while not task.done() and not stop.is_set():
        await asyncio.wait([task], timeout=_LOOK_SECONDS)
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    raise Stopped


async def _asked(work: Work) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The records of the predictions, and what is said of how they were made."""
    run, made_of = work.run, _identity(work)
    path = runs.journal_path(run)
    path.touch(mode=0o600)
    # Looked at again: what the operator lists may have changed since the order.
    origin = allowed_origin(run.endpoint, runs.allowed())
    model = Endpoint(work.asked, pinned_client(origin))
    async with model, _journal(path, made_of) as journal:
        asker = Asker(
            model, journal, width=run.width, patience=PATIENCE, told=partial(_bound, path)
        )
        work.tally = asker.tally
        talked = await conversing.converse_by_script(
            work.script, work.tasks, asker, samples=work.samples, width=run.width, given={}
        )
        told = _header(work, made_of, journal.began)
    family = run.revision.benchmark.family
    records = writing.generations(talked, lambda task: family.slots(task, run.setting))
    return list(records), told


def _journal(path: Path, made_of: dict[str, Json]) -> Journal:
    try:
        return Journal(path, made_of, _now())
    except JournalTaken:
        raise SandboxError("Another worker still has the run's answers open.") from None
    except OtherRun:
        raise UploadError(
            _("The answers so far were asked for by another release of this site. Start anew.")
        ) from None


def _bound(path: Path, _tally: Tally) -> None:
    """Raises EndpointError where the answers are more than anybody could upload."""
    if path.stat().st_size > settings.UPLOAD_MOST_BYTES:
        most = {"most": settings.UPLOAD_MOST_BYTES // 2**20}
        raise EndpointError(_("The answers take more than %(most)s MiB.") % most)


def _identity(work: Work) -> dict[str, Json]:
    run = work.run
    return identity(
        work.asked,
        family=run.revision.benchmark.family_slug,
        setting=run.setting,
        history=run.history if run.setting == MULTI_TURN else "",
        prompts="the tasks' own" if runs.asking_of(run.revision).in_tasks else "ours",
        tasks=run.revision.sha256,
    )


def _header(work: Work, made_of: dict[str, Json], began: str) -> dict[str, Any]:
    """Without the endpoint, which is the team's own affair: a header may be shown to everyone."""
    run = work.run
    told = header(
        made_of, work.asked, work.tally, began=began, ended=_now(), width=run.width,
        price=run.price, judged=None,
    )  # fmt: skip
    del told["endpoint"]
    return {**told, "revision": run.revision.label}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""A run as a worker works on it: a model asked by the engine, how far it is noted, and a file of
predictions in the end. Knows nothing of queues, and moves no run.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings

from evaluation.engine.errors import EndpointError, SandboxError, UploadError
from evaluation.engine.family import Script, Talks
from evaluation.engine.generation import run as conversing
from evaluation.engine.generation import static, writing
from evaluation.engine.generation.asking import Asker, Tally
from evaluation.engine.generation.endpoint import Asked, Endpoint
from evaluation.engine.generation.guard import allowed_origin
from evaluation.engine.generation.header import header, identity
from evaluation.engine.generation.journal import Journal, JournalTaken, OtherRun
from evaluation.engine.generation.pinned import pinned_client
from evaluation.engine.generation.retrying import Patience
from evaluation.engine.generation.turns import Turns
from evaluation.engine.instructions import MULTI_TURN
from evaluation.engine.records import Json, Task, TaskId
from evaluation.work.turns import Judged
from leaderboard import messages
from leaderboard.benchmarks.public import public_record
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
class Talking:
    """Conversations whose next message hangs on verdicts. They are `over`, some of them with
    answers from before alone; what judges them is `ready` after a while."""

    talks: Talks
    judged: Judged
    ready: bool = False
    over: int = 0
    over_before: int = 0

    def progress(self, seconds: float) -> dict[str, Any]:
        """`pace` is how many come to their end in a second."""
        pace = (self.over - self.over_before) / seconds
        return {"talks": self.over, "pace": pace, "ready": self.ready}


@dataclass
class Work:
    """What is asked for a run, ready to be asked, and how far that is."""

    run: Run
    course: Script | Talking
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
        talking = self.course.progress(seconds) if isinstance(self.course, Talking) else {}
        return {
            **counts,
            **talking,
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
            with _judging(work, stop) as judging:
                records, told = asyncio.run(_unless_stopped(stop, _asked(work, judging)))
        except SandboxError:
            # What a stop ends in the machinery is no fault of that.
            if stop.is_set():
                raise Stopped from None
            raise
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
        raise UploadError(messages.NO_RUNS())
    rows = run.revision.tasks.order_by("number")
    # An endpoint is told what everybody may read, and nothing that is hidden.
    tasks = tuple(public_record(row) for row in rows)
    course = _course(run)
    asked = Asked(
        run.endpoint,
        run.model,
        run.asked_with(),
        stream=run.stream,
        seconds=ANSWER_SECONDS,
        key=runs.key_of(run),
    )
    if isinstance(course, Talking):
        return Work(run, course, tasks, asked, len(tasks))
    conversing.require_prompts(course, tasks)
    total = sum(len(static.asked_for(course, task)) for task in tasks)
    return Work(run, course, tasks, asked, total * asked.sampling.samples)


def _course(run: Run) -> Script | Talking:
    asking = runs.asking_of(run.revision)
    if not run.by_verdicts:
        return asking.script(run.revision.prompts, run.setting, run.history)
    assert asking.talks is not None, "nobody could order it"
    talks = asking.talks(run.revision.prompts)
    return Talking(talks, Judged.of(run, talks))


@contextmanager
def _judging(work: Work, stop: threading.Event) -> Iterator[Turns | None]:
    """What judges turns, where any are: of the tasks that can be judged, which then are all."""
    course = work.course
    if not isinstance(course, Talking):
        yield None
        return
    with course.judged.opened(stop) as judging:
        work.tasks = tuple(task for task in work.tasks if task.id in judging.tasks)
        work.total, work.began, course.ready = len(work.tasks), time.monotonic(), True
        yield judging


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


async def _asked(
    work: Work, judging: Turns | None = None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
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
        if isinstance(work.course, Talking):
            assert judging is not None, "turns have to be judged"
            records = await _by_verdicts(work, work.course, judging, asker, journal)
        else:
            records = await _by_script(work, work.course, asker)
        return records, _header(work, made_of, journal.began, judging)


async def _by_script(work: Work, script: Script, asker: Asker) -> list[dict[str, Any]]:
    run, family = work.run, work.run.revision.benchmark.family
    talked = await conversing.converse_by_script(
        script, work.tasks, asker, samples=work.samples, width=run.width, given={}
    )
    return list(writing.generations(talked, lambda task: family.slots(task, run.setting)))


async def _by_verdicts(
    work: Work, talking: Talking, judging: Turns, asker: Asker, journal: Journal
) -> list[dict[str, Any]]:
    before = frozenset(journal.answers)

    def over(task: TaskId) -> None:
        new = any(place.task_id == task for place in journal.answers.keys() - before)
        talking.over += 1
        talking.over_before += not new

    said = await conversing.converse_by_verdicts(
        talking.talks, work.tasks, asker, judging.judge, journal, width=work.run.width, done=over
    )
    return list(writing.transcripts(said))


def _journal(path: Path, made_of: dict[str, Json]) -> Journal:
    try:
        return Journal(path, made_of, _now())
    except JournalTaken:
        raise SandboxError(messages.ANSWERS_TAKEN()) from None
    except OtherRun:
        raise UploadError(messages.ANSWERS_OF_ANOTHER()) from None


def _bound(path: Path, _tally: Tally) -> None:
    """Raises EndpointError where the answers are more than anybody could upload."""
    if path.stat().st_size > settings.UPLOAD_MOST_BYTES:
        most = settings.UPLOAD_MOST_BYTES // 2**20
        raise EndpointError(messages.ANSWERS_LARGE(most=most))


def _identity(work: Work) -> dict[str, Json]:
    run = work.run
    return identity(
        work.asked,
        family=run.revision.benchmark.family_slug,
        setting=run.setting,
        history=run.history if run.setting == MULTI_TURN else "",
        prompts=_whose_prompts(run),
        tasks=run.revision.sha256,
    )


def _whose_prompts(run: Run) -> str:
    if runs.asking_of(run.revision).in_tasks:
        return "the tasks' own"
    return "ours" if run.revision.prompts is None else "the revision's"


def _header(
    work: Work, made_of: dict[str, Json], began: str, judging: Turns | None
) -> dict[str, Any]:
    """Without the endpoint, which is the team's own affair: a header may be shown to everyone."""
    run = work.run
    told = header(
        made_of, work.asked, work.tally, began=began, ended=_now(), width=run.width,
        tries=PATIENCE.tries, price=run.price,
        judged=None if judging is None else judging.environment,
    )  # fmt: skip
    del told["endpoint"]
    return {**told, "revision": run.revision.label}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

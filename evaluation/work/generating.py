"""A worker's session with a model for a run. Knows no queue, and changes no run's state."""

import threading
import time
from functools import partial
from typing import Any

from django.conf import settings

from evaluation.engine.errors import EndpointError, SandboxError, UploadError
from evaluation.engine.family import Talks
from evaluation.engine.generation.answers import Asked, Patience
from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.journal import JournalTaken, OtherRun
from evaluation.engine.generation.session import Session, Stopped, write_predictions
from evaluation.work.turns import open_site_turns
from leaderboard import messages
from leaderboard.benchmarks.public import public_record
from leaderboard.generation import runs
from leaderboard.generation.models import Run
from leaderboard.generation.runs import Made
from leaderboard.leases import Pulse
from leaderboard.mail.webhooks import allowed

# Seconds between progress updates, and until a stopped run stops.
NOTED_SECONDS = 1.0
# Seconds that one answer may take in total.
ANSWER_SECONDS = 600.0
PATIENCE = Patience()
# The fields of a tally that pages show as they are.
_SHOWN = ("answered", "kept", "again", "tokens_in", "tokens_out", "uncounted", "cut_off", "trouble")


def generate(*, run: Run, stop: threading.Event) -> Made:
    """Asks for everything that has no answer yet. Raises Stopped if `stop` is set, or the run was
    stopped or claimed by another worker; EndpointError, UploadError or BenchmarkError if a retry
    does not help; SandboxError if it may."""
    session = prepared(run)
    session.journal.touch(mode=0o600)

    def noted() -> bool:
        return runs.note_progress(run=run, progress=progress(session))

    with Pulse(noted, stop, every=NOTED_SECONDS):
        try:
            header, records = session.predictions(stop.is_set)
        except JournalTaken:
            raise SandboxError(messages.ANSWERS_TAKEN()) from None
        except OtherRun:
            raise UploadError(messages.ANSWERS_OF_ANOTHER()) from None
        finally:
            mine = noted()
    if not mine:
        raise Stopped
    # Without the endpoint, which is private to the team: a header may be public.
    del header["endpoint"]
    path = session.journal.with_suffix(".jsonl")
    write_predictions(path, {**header, "revision": run.revision.label}, records)
    return Made(path, len(session.tally.lost))


def progress(session: Session) -> dict[str, Any]:
    """`new` counts this attempt's answers; `rate` is answers, `pace` conversations per second."""
    tally = session.tally
    seconds = max(time.monotonic() - tally.began, 1e-9)
    talks = {
        "talks": tally.over,
        "pace": (tally.over - tally.over_before) / seconds,
        "ready": session.ready,
    }
    return {
        **{name: getattr(tally, name) for name in _SHOWN},
        **(talks if isinstance(session.course, Talks) else {}),
        "new": tally.answered,
        "rate": tally.answered / seconds,
        "total": tally.total,
        "lost": len(tally.lost),
        "reason": next(reversed(tally.lost.values()), ""),
    }


def prepared(run: Run) -> Session:
    """Raises EndpointError, UploadError, BenchmarkError."""

    def watch(_tally: Tally) -> None:
        """Raises EndpointError if the answers exceed the size limit of uploads."""
        if journal.stat().st_size > settings.UPLOAD_MOST_BYTES:
            raise EndpointError(messages.ANSWERS_LARGE(most=settings.UPLOAD_MOST_BYTES // 2**20))

    if not runs.are_allowed():
        raise UploadError(messages.NO_RUNS())
    revision, journal = run.revision, runs.journal_path(run)
    whose = "ours" if revision.prompts is None else "the revision's"
    if runs.asking_of(revision).in_tasks:
        whose = "the tasks' own"
    return Session(
        family=revision.benchmark.family,
        setting=run.setting,
        history=run.history,
        # The endpoint receives only the public part of the tasks.
        tasks=tuple(public_record(row) for row in revision.tasks.order_by("number")),
        asked=Asked(
            run.endpoint,
            run.model,
            run.asked_with(),
            stream=run.stream,
            seconds=ANSWER_SECONDS,
            key=runs.key_of(run),
        ),
        journal=journal,
        width=run.width,
        patience=PATIENCE,
        prompts=revision.prompts,
        prompts_of=whose,
        files={"tasks": revision.sha256},
        price=run.price,
        # Read again: what the operator lists may have changed since the order.
        allowed=allowed(),
        turns=partial(open_site_turns, run) if run.by_verdicts else None,
        watch=watch,
    )

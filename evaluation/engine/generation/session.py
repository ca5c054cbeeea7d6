"""A session with a model, for commands and workers: from tasks to predictions."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.errors import SandboxError
from evaluation.engine.family import Family, Script, Talks
from evaluation.engine.generation import run
from evaluation.engine.generation.answers import Asked, Patience, Price
from evaluation.engine.generation.asking import Asker, Tally
from evaluation.engine.generation.guard import Allowed, allowed_origin, checked_url
from evaluation.engine.generation.journal import Journal, unwritten
from evaluation.engine.instructions import DYNAMIC, MULTI_TURN
from evaluation.engine.lines import write_whole
from evaluation.engine.records import Json, Slot, Task, TaskId
from evaluation.engine.uploads.decode import NAME

# Seconds between two calls of `stopped`.
_LOOK_SECONDS = 0.2
Stopper: TypeAlias = Callable[[], bool]


class Stopped(Exception):
    """The caller stopped the session."""


class Predictions(NamedTuple):
    header: dict[str, Any]
    records: list[dict[str, Any]]


@dataclass(kw_only=True)
class Session:
    """The inputs of a run, and its progress in `tally`.

    prompts: the JSON value of a prompts file, if there is one; `prompts_of` names its origin.
    files: hashes of the files that answers depend on, by name.
    allowed: the addresses that the endpoint may have; None allows any.
    turns(talks, stopped): opens the judge of dynamic conversations. Tasks that it cannot judge are
        left out.
    watch: called after each answer and before each retry; it may raise EngineError.

    Raises BenchmarkError if a task lacks a field that its prompts show."""

    family: Family
    setting: str
    history: str
    tasks: tuple[Task, ...]
    asked: Asked
    journal: Path
    width: int
    patience: Patience
    prompts_of: str
    files: Mapping[str, str | None]
    prompts: Json = None
    price: Price | None = None
    begun: run.Begun = field(default_factory=dict)
    allowed: Allowed | None = None
    turns: Callable[[Talks, Stopper], AbstractContextManager[run.Turns]] | None = None
    watch: Callable[[Tally], None] = lambda _: None
    tally: Tally = field(default_factory=Tally)
    ready: bool = False
    course: Script | Talks = field(init=False)

    def __post_init__(self) -> None:
        asking = self.family.asking
        assert asking is not None, "only families with prompts are asked for"
        if self.setting == DYNAMIC:
            assert asking.talks is not None and self.turns is not None
            self.course = asking.talks(self.prompts)
            self.tally.total = len(self.tasks)
            return
        script = self.course = asking.script(self.prompts, self.setting, self.history)
        for task in self.tasks:
            requirements = run.asked_for(script, task)
            for name in requirements:  # so that no prompt fails later
                script.messages(task, name, [""] * len(script.before(task, name)))
            for sample in range(self.asked.sampling.samples):
                present = self.begun.get((task.id, sample), ())
                self.tally.total += len(set(requirements) - set(present))

    def predictions(self, stopped: Stopper = lambda: False) -> Predictions:
        """Asks for everything that has no answer yet. Raises Stopped within a second after
        `stopped` returns true; EndpointError, UploadError or BenchmarkError if a retry does not
        help; SandboxError if it may."""
        try:
            with ExitStack() as stack:
                turns = None
                if not isinstance(self.course, Script):
                    assert self.turns is not None
                    turns = stack.enter_context(self.turns(self.course, stopped))
                    self.tasks = tuple(task for task in self.tasks if task.id in turns.tasks)
                    self.tally.total, self.ready = len(self.tasks), True
                return asyncio.run(self._until_stopped(stopped, turns))
        except SandboxError:
            # A stop ends sandboxes too.
            if stopped():
                raise Stopped from None
            raise

    async def _until_stopped(self, stopped: Stopper, turns: run.Turns | None) -> Predictions:
        task = asyncio.create_task(self._predictions(turns))
        while not task.done() and not stopped():
            await asyncio.wait([task], timeout=_LOOK_SECONDS)
        if task.done():
            return task.result()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise Stopped

    async def _predictions(self, turns: run.Turns | None) -> Predictions:
        # OpenAI's client takes a second, which other processes of a site need not spend.
        from evaluation.engine.generation.connections import pinned_client
        from evaluation.engine.generation.endpoint import Endpoint

        asked, tally, patience, width = self.asked, self.tally, self.patience, self.width
        sampling = asdict(asked.sampling)
        # A later run may add samples.
        del sampling["samples"]
        # Everything that answers depend on.
        identity: dict[str, Json] = {
            "made_by": f"Assay {ENGINE_VERSION}",
            "family": self.family.slug,
            "setting": self.setting,
            "history": self.history if self.setting == MULTI_TURN else "",
            "endpoint": checked_url(asked.url),
            "model": asked.model,
            "sampling": sampling,
            "prompts": self.prompts_of,
            "files": dict(self.files),
        }
        client = None
        if self.allowed is not None:
            client = pinned_client(allowed_origin(asked.url, self.allowed))
        model = Endpoint(asked, client)
        async with model, Journal(self.journal, identity, _now()) as journal:
            tally.began = time.monotonic()
            asker = Asker(
                model, journal, width=width, patience=patience, watch=self.watch, tally=tally
            )
            records = await self._records(asker, turns)
        tokens = {"sent": tally.tokens_in, "answered": tally.tokens_out}
        header: dict[str, Any] = {
            **identity,
            "samples": asked.sampling.samples,
            "stream": asked.stream,
            "at_a_time": width,
            "timeout": asked.seconds,
            "tries": patience.tries,
            "began": journal.began,
            "ended": _now(),
            "answers": tally.answered + tally.kept,
            "unanswered": len(tally.lost),
            "cut_off": tally.cut_off,
            "answered_by": sorted(tally.models),
            "tokens": {**tokens, "answers_uncounted": tally.uncounted},
        }
        if self.price is not None:
            total = round(self.price.total(tally.tokens_in, tally.tokens_out), 6)
            header["price"] = {**self.price._asdict(), "total": total}
        if turns is not None:
            header["judged"] = dict(turns.environment)
        return Predictions(header, records)

    async def _records(self, asker: Asker, turns: run.Turns | None) -> list[dict[str, Any]]:
        answers = asker.journal.answers
        if isinstance(self.course, Script):
            samples = self.asked.sampling.samples
            talked = await run.converse_by_script(
                self.course, self.tasks, asker, samples=samples, begun=self.begun
            )
            return list(generations(talked, lambda task: self.family.slots(task, self.setting)))
        assert turns is not None
        before = frozenset(answers)

        def over(task: TaskId) -> None:
            new = any(place.task_id == task for place in answers.keys() - before)
            self.tally.over += 1
            self.tally.over_before += not new

        said = await run.converse_by_verdicts(self.course, self.tasks, asker, turns.judge, over)
        return [{"task_id": task, "messages": messages} for task, messages in said.items()]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def generations(
    conversations: Iterable[run.Conversation], slots: Callable[[Task], Sequence[Slot]]
) -> Iterator[dict[str, Any]]:
    """A record for each answer that fills one of the setting's slots. Samples are numbered by their
    order in the file, so incomplete ones come last; otherwise the answers of one sample would be
    assigned to another."""
    by_task: dict[TaskId, list[run.Conversation]] = {}
    for conversation in conversations:
        by_task.setdefault(conversation.task.id, []).append(conversation)
    for samples in by_task.values():
        for conversation in sorted(samples, key=lambda c: (not c.whole, c.sample)):
            task, answers = conversation.task, conversation.answers
            for name in (slot.requirement for slot in slots(task)):
                if name in answers:
                    named = {} if name is None else {"requirement": name}
                    yield {"task_id": task.id, **named, "completion": answers[name]}


def write_predictions(
    path: Path, header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]
) -> None:
    """Replaces the file atomically. Raises SandboxError."""
    lines = ({NAME: dict(header)}, *records)
    try:
        write_whole(path, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    except OSError as error:
        raise unwritten(path, error) from error

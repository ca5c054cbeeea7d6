"""`generate`: asks a model for generations, and writes a file of predictions."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.cli.files import require_writable
from evaluation.cli.generation_places import opened_turns
from evaluation.cli.generation_progress import Progress
from evaluation.cli.generation_words import KEY_VARIABLE, SAMPLING
from evaluation.cli.intake import chosen
from evaluation.engine import registry, uploads
from evaluation.engine.conversations.wording import load_prompts
from evaluation.engine.digests import sha256_of
from evaluation.engine.errors import BenchmarkError, UploadError
from evaluation.engine.family import Asking, Family, Sampling, Talks
from evaluation.engine.generation import run, static, writing
from evaluation.engine.generation.addresses import is_key
from evaluation.engine.generation.asking import Asker, Tally
from evaluation.engine.generation.endpoint import Asked, Endpoint
from evaluation.engine.generation.guard import Allowed, allowed_origin
from evaluation.engine.generation.header import header, identity
from evaluation.engine.generation.journal import Journal
from evaluation.engine.generation.pinned import pinned_client
from evaluation.engine.generation.price import Price
from evaluation.engine.generation.retrying import Patience
from evaluation.engine.generation.turns import Turns
from evaluation.engine.instructions import BASE, DYNAMIC, MULTI_TURN
from evaluation.engine.records import Json, Task, TaskId
from evaluation.engine.variables import Variables

_INCOMPLETE = 3
_Given = dict[tuple[TaskId, int], dict[str | None, str]]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be asked, read and checked before anything is."""

    family: Family
    asking: Asking
    setting: str
    tasks: tuple[Task, ...]
    all_tasks: tuple[Task, ...]
    prompts: Json
    asked: Asked
    words: argparse.Namespace

    @property
    def history(self) -> str:
        """What of earlier turns is shown; "" where that is no question."""
        return str(self.words.history) if self.setting == MULTI_TURN else ""

    @property
    def width(self) -> int:
        return int(self.words.concurrency)

    @property
    def price(self) -> Price | None:
        return Price(*self.words.price) if self.words.price else None


def generate(arguments: argparse.Namespace) -> int:
    """Asks for what was not answered yet, then writes the predictions; 3 where some messages
    have no answer. Raises EngineError."""
    order = _ordered(arguments)
    require_writable(arguments.out)
    journal = _journal_beside(arguments.out)
    with _turns(order) as turns:
        tally = asyncio.run(_asked(order, journal, turns))
    for place, reason in tally.lost.items():
        where = f", {place.requirement}" if place.requirement else ""
        print(f"No answer for task {place.task_id}{where}: {reason}", file=sys.stderr)
    print(f"{arguments.out} is written.")
    if tally.lost:
        print("The same command asks for what is missing.", file=sys.stderr)
    return _INCOMPLETE if tally.lost else 0


def _turns(order: Order) -> AbstractContextManager[Turns | None]:
    """Where turns are judged; none where nothing hangs on verdicts."""
    if order.setting != DYNAMIC:
        return nullcontext()
    return opened_turns(order.family, _talks(order), order.tasks, order.all_tasks, order.words)


async def _asked(order: Order, journal_path: Path, turns: Turns | None) -> Tally:
    began = _now()
    made_of = _identity(order)
    asked = order.asked
    client = pinned_client(allowed_origin(asked.url, Allowed())) if order.words.public else None
    async with Endpoint(asked, client) as model, Journal(journal_path, made_of, began) as journal:
        progress = Progress(_total(order), order.price, by_conversation=turns is not None)
        patience = Patience(tries=order.words.tries)
        asker = Asker(model, journal, width=order.width, patience=patience, told=progress.show)
        try:
            records = await _records(order, asker, journal, turns, progress)
        finally:
            progress.close(asker.tally)
        told = header(
            made_of,
            asked,
            asker.tally,
            began=journal.began,
            ended=_now(),
            width=order.width,
            tries=patience.tries,
            price=order.price,
            judged=None if turns is None else turns.environment,
        )
        writing.write(order.words.out, told, records)
        return asker.tally


async def _records(
    order: Order, asker: Asker, journal: Journal, turns: Turns | None, progress: Progress
) -> list[dict[str, Any]]:
    """What the file of predictions holds."""
    if turns is not None:
        talks = _talks(order)
        said = await run.converse_by_verdicts(
            talks, order.tasks, asker, turns.judge, journal,
            width=order.width, done=progress.conversation,
        )  # fmt: skip
        return list(writing.transcripts(said))
    script = order.asking.script(order.prompts, order.setting, order.words.history)
    talked = await run.converse_by_script(
        script,
        order.tasks,
        asker,
        samples=order.asked.sampling.samples,
        width=order.width,
        given=_base_answers(order),
    )
    return list(writing.generations(talked, lambda t: order.family.slots(t, order.setting)))


def _talks(order: Order) -> Talks:
    assert order.asking.talks is not None, "a dynamic order has a family that talks"
    return order.asking.talks(order.prompts)


def _total(order: Order) -> int:
    """Messages, or conversations in dynamic ones."""
    if order.setting == DYNAMIC:
        return len(order.tasks)
    script = order.asking.script(order.prompts, order.setting, order.words.history)
    run.require_prompts(script, order.tasks)
    given = _base_answers(order)
    return sum(
        len(set(static.asked_for(script, task)) - set(given.get((task.id, sample), ())))
        for task in order.tasks
        for sample in range(order.asked.sampling.samples)
    )


def _ordered(words: argparse.Namespace) -> Order:
    """Raises BenchmarkError, UploadError, EndpointError."""
    family = registry.family(words.family)
    asking = family.asking
    assert asking is not None, "the words name families that have prompts alone"
    setting = words.setting or family.settings[0]
    known = family.settings
    if setting not in known:
        raise BenchmarkError(
            f"{family.slug} has no setting {setting!r}; it has {', '.join(known)}."
        )
    if words.base is not None and setting in (BASE, DYNAMIC):
        raise UploadError("--base is for settings that begin with the Base completion.")
    tasks = _tasks(family, asking, setting, words)
    return Order(
        family,
        asking,
        setting,
        chosen(tasks, words.only),
        tasks,
        words.prompts and load_prompts(words.prompts),
        Asked(
            words.endpoint,
            words.model,
            _sampling(asking.sampling, setting, words),
            words.stream,
            words.timeout,
            _key(words.key_file),
        ),
        words,
    )


def _tasks(
    family: Family, asking: Asking, setting: str, words: argparse.Namespace
) -> tuple[Task, ...]:
    """With their answers where these are given, or turns have to be judged."""
    if words.answers is None and setting != DYNAMIC and asking.questions is not None:
        return asking.questions(words.tasks)
    return family.load_tasks(words.tasks, words.answers)


def _sampling(published: Sampling, setting: str, words: argparse.Namespace) -> Sampling:
    given = {name: value for name, value in vars(words).items() if name in SAMPLING}
    samples = words.samples or (1 if setting == DYNAMIC else published.samples)
    if setting == DYNAMIC and samples != 1:
        raise UploadError("A dynamic conversation is held once for each task: leave --samples.")
    return replace(published, samples=samples, **given)


def _key(path: Path | None) -> str:
    """The key, "" where there is none. Raises UploadError, which never tells it."""
    if path is None:
        text = Variables().text(KEY_VARIABLE)
    else:
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            # Not its name, which may be the key itself.
            raise UploadError(
                "The file given as --key-file holds no key that can be read."
            ) from None
    key = text.strip()
    if not is_key(key):
        raise UploadError("The endpoint's key holds what no key has: blanks, or other letters.")
    return key


def _base_answers(order: Order) -> _Given:
    """The Base completions of a file of predictions, by task and sample."""
    path = order.words.base
    if path is None:
        return {}
    index = uploads.SlotIndex.for_setting(order.family, order.all_tasks, BASE)
    report = uploads.check(path, index, family=order.family.slug)
    if report.problems:
        raise UploadError(report.problems, more=report.more)
    read = uploads.read(path, index, family=order.family.slug)
    return {(one.key.task_id, one.key.sample): {None: one.text} for one in read}


def _identity(order: Order) -> dict[str, Json]:
    words = order.words
    whose = "the tasks' own" if order.asking.in_tasks else "ours"
    return identity(
        order.asked,
        family=order.family.slug,
        setting=order.setting,
        history=order.history,
        prompts=whose if words.prompts is None else "a file's",
        tasks=sha256_of(words.tasks),
        answers=words.answers and sha256_of(words.answers) if order.setting == DYNAMIC else None,
        prompts_file=words.prompts and sha256_of(words.prompts),
        base=words.base and sha256_of(words.base),
    )


def _journal_beside(out: Path) -> Path:
    """Raises UploadError where the file to be written is there, and not by this command."""
    journal = out.with_name(out.name + ".journal")
    if out.exists() and not journal.exists():
        raise UploadError(f"{out} exists; name another file for the predictions.")
    return journal


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

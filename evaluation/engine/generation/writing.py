"""Writes a run's predictions file: a header line with the run's inputs and statistics, then a
record for each generation."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.conversations.filling import Message
from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.endpoint import Asked
from evaluation.engine.generation.guard import checked_url
from evaluation.engine.generation.journal import unwritten
from evaluation.engine.generation.price import Price
from evaluation.engine.generation.run import Conversation
from evaluation.engine.records import Json, Slot, Task, TaskId
from evaluation.engine.uploads.header import NAME


def identity(
    asked: Asked, *, family: str, setting: str, history: str, prompts: str, **files: str | None
) -> dict[str, Json]:
    """Everything that answers depend on. Omits the number of samples, because a later run may add
    some. `prompts` names the prompts' origin, `files` maps names of input files to hashes."""
    sampling = asdict(asked.sampling)
    del sampling["samples"]
    return {
        "made_by": f"Assay {ENGINE_VERSION}",
        "family": family,
        "setting": setting,
        "history": history,
        "endpoint": checked_url(asked.url),
        "model": asked.model,
        "sampling": sampling,
        "prompts": prompts,
        "files": dict(files),
    }


def header(
    identity: Mapping[str, Json],
    asked: Asked,
    tally: Tally,
    *,
    began: str,
    ended: str,
    width: int,
    tries: int,
    price: Price | None,
    judged: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """`judged` is the environment that judged dynamic turns, if any."""
    record: dict[str, Any] = {
        **identity,
        "samples": asked.sampling.samples,
        "stream": asked.stream,
        "at_a_time": width,
        "timeout": asked.seconds,
        "tries": tries,
        "began": began,
        "ended": ended,
        "answers": tally.answered + tally.kept,
        "unanswered": len(tally.lost),
        "cut_off": tally.cut_off,
        "answered_by": sorted(tally.models),
        "tokens": {
            "sent": tally.tokens_in,
            "answered": tally.tokens_out,
            "answers_uncounted": tally.uncounted,
        },
    }
    if price is not None:
        record["price"] = {**price._asdict(), "total": round(price.of(tally), 6)}
    if judged is not None:
        record["judged"] = dict(judged)
    return record


def generations(
    conversations: Iterable[Conversation], slots: Callable[[Task], Sequence[Slot]]
) -> Iterator[dict[str, Any]]:
    """A record for each answer that fills one of the setting's slots.

    Samples are numbered by their order in the file, so incomplete ones come last; otherwise the
    answers of one sample would be assigned to another.
    """
    by_task: dict[TaskId, list[Conversation]] = {}
    for conversation in conversations:
        by_task.setdefault(conversation.task.id, []).append(conversation)
    for samples in by_task.values():
        for conversation in sorted(samples, key=lambda c: (not c.whole, c.sample)):
            task, answers = conversation.task, conversation.answers
            for name in (slot.requirement for slot in slots(task)):
                if name in answers:
                    named = {} if name is None else {"requirement": name}
                    yield {"task_id": task.id, **named, "completion": answers[name]}


def transcripts(by_task: Mapping[TaskId, Sequence[Message]]) -> Iterator[dict[str, Any]]:
    for task, messages in by_task.items():
        yield {"task_id": task, "messages": list(messages)}


def write(path: Path, header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> None:
    """Replaces the file atomically. Raises SandboxError."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("w", encoding="utf-8") as file:
            for record in ({NAME: dict(header)}, *records):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise unwritten(path, error) from error

"""Writes a run's predictions file: a header line, then a record for each generation."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.engine.conversations.filling import Message
from evaluation.engine.generation.journal import unwritten
from evaluation.engine.generation.run import Conversation
from evaluation.engine.records import Slot, Task, TaskId
from evaluation.engine.uploads.header import NAME


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
        for one in sorted(samples, key=lambda each: (not each.whole, each.sample)):
            for slot in slots(one.task):
                if slot.requirement in one.answers:
                    yield _record(one.task.id, slot.requirement, one.answers[slot.requirement])


def _record(task: TaskId, requirement: str | None, text: str) -> dict[str, Any]:
    named = {} if requirement is None else {"requirement": requirement}
    return {"task_id": task, **named, "completion": text}


def transcripts(found: Mapping[TaskId, Sequence[Message]]) -> Iterator[dict[str, Any]]:
    for task, messages in found.items():
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

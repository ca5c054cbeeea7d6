"""Writes a run's predictions file: a header line with the run's inputs and statistics, then a
record for each generation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.engine.generation.journal import unwritten
from evaluation.engine.generation.run import Conversation
from evaluation.engine.lines import write_whole
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
        for conversation in sorted(samples, key=lambda c: (not c.whole, c.sample)):
            task, answers = conversation.task, conversation.answers
            for name in (slot.requirement for slot in slots(task)):
                if name in answers:
                    named = {} if name is None else {"requirement": name}
                    yield {"task_id": task.id, **named, "completion": answers[name]}


def write(path: Path, header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> None:
    """Replaces the file atomically. Raises SandboxError."""
    lines = ({NAME: dict(header)}, *records)
    try:
        write_whole(path, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    except OSError as error:
        raise unwritten(path, error) from error

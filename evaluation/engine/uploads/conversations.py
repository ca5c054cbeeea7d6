"""From the messages of a transcript to its turns, or what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.engine.family import Transcripts, Turn
from evaluation.engine.records import Task
from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.decode import Rejected, is_clean
from evaluation.engine.uploads.formats import fault


def turns_of(
    reader: Transcripts, task: Task, messages: Any, bounds: Bounds, *, exact: bool
) -> Sequence[Turn]:
    """The turns of a conversation about the task. Raises Rejected where it is none, or no
    verdict could make it one that keeps to the rules."""
    try:
        turns = reader.turns(messages)
    except ValueError as error:
        raise Rejected(f"`messages` hold no conversation: {error}. {_ADVICE}") from None
    for number, turn in enumerate(turns, 1):
        _check_texts(number, turn, bounds.generation_chars, exact=exact)
    misfit = reader.misfit(task, turns)
    if misfit:
        raise Rejected(f"{misfit} {_ADVICE}")
    return turns


def _check_texts(number: int, turn: Turn, limit: int, *, exact: bool) -> None:
    for text in turn:
        if len(text) > limit or not (exact or is_clean(text)):
            raise Rejected(f"Turn {number} {fault(text, limit)}")


_ADVICE = (
    "Upload the transcript as the run wrote it, made with the tasks of this revision and its "
    "wording of the feedback, or ours; or leave the task out."
)

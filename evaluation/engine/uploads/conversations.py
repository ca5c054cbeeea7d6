"""Reads the turns of a transcript from its messages, or reports their faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.engine.family import Transcripts, Turn
from evaluation.engine.records import Task
from evaluation.engine.texts import said_by
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.decode import Rejected, is_clean


def turns_of(
    reader: Transcripts, task: Task, messages: Any, bounds: Bounds, *, exact: bool
) -> Sequence[Turn]:
    """Returns the turns of a conversation about the task. Raises Rejected if it is not a
    conversation, or if no verdict could make it follow the rules."""
    try:
        turns = reader.turns(messages)
    except ValueError as error:
        raise Rejected(texts.NO_CONVERSATION(fault=said_by(error))) from None
    for number, turn in enumerate(turns, 1):
        _check_texts(number, turn, bounds.generation_chars, exact=exact)
    misfit = reader.misfit(task, turns)
    if misfit:
        raise Rejected(texts.MISFIT(sentence=misfit))
    return turns


def _check_texts(number: int, turn: Turn, limit: int, *, exact: bool) -> None:
    for text in turn:
        if len(text) > limit:
            raise Rejected(texts.TURN_LONG(turn=number, most=f"{limit:,}"))
        if not (exact or is_clean(text)):
            raise Rejected(texts.TURN_SURROGATE(turn=number))

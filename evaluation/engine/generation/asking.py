"""Answers messages from the journal if possible, else from the model."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.engine.generation import texts
from evaluation.engine.generation.answers import Answer, Patience, Refused, Unanswered
from evaluation.engine.generation.journal import Journal, fingerprint
from evaluation.engine.records import Key
from evaluation.engine.texts import said_by

# Consecutive messages without an answer that end a run: the endpoint is down or rejects a
# parameter.
_IN_A_ROW = 5


class Model(Protocol):
    async def answer(self, messages: Sequence[dict[str, str]]) -> Answer: ...


@dataclass
class Tally:
    """A run's progress.

    total: messages; conversations in dynamic settings.
    over: ended conversations; for `over_before` of them all answers are from earlier runs.
    began: time.monotonic() before the first message; 0 until then.
    answered: answers of this run; `kept` counts those of earlier runs.
    again: retries; `trouble` is the reason for the last one.
    uncounted: answers whose tokens the endpoint does not count.
    lost: the reason for each message without an answer."""

    total: int = 0
    over: int = 0
    over_before: int = 0
    began: float = 0.0
    answered: int = 0
    kept: int = 0
    again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    cut_off: int = 0
    trouble: str = ""
    models: set[str] = field(default_factory=set)
    lost: dict[Key, str] = field(default_factory=dict)


class Asker:
    """Asks `width` messages at a time, and no further ones while it is `closed`. `watch` is called
    after each answer and before retries."""

    def __init__(
        self,
        model: Model,
        journal: Journal,
        *,
        width: int,
        patience: Patience,
        watch: Callable[[Tally], None] = lambda _: None,
        tally: Tally | None = None,
    ) -> None:
        self.tally = tally or Tally()
        self._model, self.journal, self.width = model, journal, width
        self._patience, self._watch = patience, watch
        self.closed = False
        self._room = asyncio.Semaphore(width)
        self._in_a_row = 0

    async def ask(self, place: Key, messages: Sequence[dict[str, str]]) -> str | None:
        """The answer, which is on disk already. Returns None, with a reason in `tally.lost`, if
        there is none. Raises EndpointError if no further message can succeed, UploadError if the
        journal's answer is to other messages, SandboxError if the journal cannot be written,
        CancelledError if it is closed."""
        saved = self.journal.answers.get(place)
        if saved is not None:
            if saved.fingerprint != fingerprint(messages):
                raise UploadError(
                    f"The journal holds an answer for task {place.task_id} to other messages; "
                    "name another file for the predictions, or remove the journal."
                )
            self.tally.kept += 1
            self._count(saved.answer)
            return saved.answer.text
        tries = 0
        while True:
            tries += 1
            try:
                async with self._room:
                    if self.closed:
                        raise asyncio.CancelledError
                    answer = await self._model.answer(messages)
                break
            except (Refused, Unanswered) as error:
                pause = self._pause(place, error, tries)
            if pause is None:
                return None
            await asyncio.sleep(pause)
        await self.journal.save_answer(place, messages, answer)
        self._in_a_row = 0
        self.tally.answered += 1
        self._count(answer)
        return answer.text

    def _count(self, answer: Answer) -> None:
        tally = self.tally
        tally.tokens_in += answer.tokens_in or 0
        tally.tokens_out += answer.tokens_out or 0
        tally.uncounted += answer.tokens_in is None or answer.tokens_out is None
        tally.cut_off += answer.cut_off
        tally.models |= {answer.model} - {""}
        self._watch(tally)

    def _pause(self, place: Key, error: Refused | Unanswered, tries: int) -> float | None:
        """Seconds until the next try; None if the message stays without an answer."""
        reason = said_by(error)
        if isinstance(error, Unanswered):
            pause = self._patience.pause(error, tries)
            if pause is not None:
                self.tally.again += 1
                self.tally.trouble = reason
                self._watch(self.tally)
                return pause
        self.tally.lost[place] = reason
        if isinstance(error, Refused) and error.everything:
            raise EndpointError(texts.REFUSES(answer=reason))
        # After an answer, a refusal concerns its own message only, for example its length.
        if isinstance(error, Unanswered) or not self.tally.answered + self.tally.kept:
            self._in_a_row += 1
        if self._in_a_row >= _IN_A_ROW:
            raise EndpointError(texts.ANSWERS_NOTHING(answer=reason))
        return None

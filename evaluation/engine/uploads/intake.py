"""Takes the records of one file one by one and gives each generation its place.

Holds which places are filled, never a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from evaluation.engine.records import Problem, Slot, TaskId
from evaluation.engine.uploads.bounds import Bounds, in_words
from evaluation.engine.uploads.decode import Rejected, decode, decode_slowly, is_clean, printable
from evaluation.engine.uploads.formats import Format, Record, described
from evaluation.engine.uploads.slots import Offer, SlotIndex


class Taken(NamedTuple):
    """The generations of one record; their samples count on from `first`."""

    task_id: TaskId
    slot: Slot
    first: int
    texts: Sequence[str]


class Filled(NamedTuple):
    """What a place holds so far.

    `line` is where its first record begins, `kind` a field that it must share with
    further records; `closed` says that its record claimed to be all there is.
    """

    line: int
    closed: bool
    kind: str | None
    samples: int


class Intake:
    """`filled` is by the text of the task's id and the requirement."""

    def __init__(self, form: Format, index: SlotIndex, bounds: Bounds) -> None:
        self.filled: dict[tuple[str, str | None], Filled] = {}
        self._form = form
        self._index = index
        self._bounds = bounds

    def take(self, line: int, raw: bytes | None) -> Taken | Problem:
        """The record's generations, or what is wrong with it; then it fills nothing."""
        try:
            record, given, exact = self._opened(raw)
        except Rejected as rejection:
            return Problem(rejection.sentence, line)
        try:
            return self._placed(line, record, given, exact)
        except Rejected as rejection:
            return Problem(rejection.sentence, line, self._shown_id(given))

    def _opened(self, raw: bytes | None) -> tuple[Record, object, bool]:
        if raw is None:
            limit = in_words(self._bounds.record_bytes)
            raise Rejected(f"The record is longer than {limit}. Shorten it or split it up.")
        record, exact = decode(raw)
        if not isinstance(record, dict):
            raise Rejected(f"The record is {described(record)} where it should be an object.")
        given = self._form.task_id(record)
        if exact and isinstance(given, float):  # it may be an integer beyond 64 bits
            record, exact = decode_slowly(raw), False
            given = self._form.task_id(record)
        return record, given, exact

    def _placed(self, line: int, record: Record, given: object, exact: bool) -> Taken:
        offer = self._offer(given)
        requirement, kind = self._requirement(record)
        slot = offer.slots.get(requirement)
        if slot is None:
            raise Rejected(_no_slot(offer, requirement))
        texts, closed = self._form.texts(record)
        self._check_texts(texts, exact)
        place = (offer.text, requirement)
        held = self.filled.get(place)
        if held is None:
            self.filled[place] = Filled(line, closed, kind, len(texts))
            return Taken(offer.id, slot, 0, cast(Sequence[str], texts))
        self._check_further(held, closed, kind, requirement)
        self.filled[place] = held._replace(samples=held.samples + len(texts))
        return Taken(offer.id, slot, held.samples, cast(Sequence[str], texts))

    def _offer(self, given: object) -> Offer:
        if isinstance(given, bool) or not isinstance(given, (int, str)):
            raise Rejected(
                f"The task id is {described(given)} where it should be a whole number or a string."
            )
        offer = self._index.offers.get(str(given))
        if offer is None:
            raise Rejected(
                "This benchmark has no such task. Correct the id, or check that the file "
                "belongs to this benchmark and revision."
            )
        return offer

    def _requirement(self, record: Record) -> tuple[str | None, str | None]:
        """The requirement, and the record's hint where it was not that."""
        given = self._form.requirement(record)
        if given is not None and not isinstance(given, str):
            raise Rejected(
                f"`requirement` is {described(given)} where it should be the requirement's name."
            )
        hint: Any = record.get(self._form.hint) if self._form.hint else None
        kind = hint if isinstance(hint, str) else None
        if given is None and kind in self._index.requirements:
            return kind, None
        return given, kind

    def _check_texts(self, texts: Sequence[object], exact: bool) -> None:
        limit = self._bounds.generation_chars
        for number, text in enumerate(texts, 1):
            if not isinstance(text, str):
                raise Rejected(
                    f"Generation {number} is {described(text)} where it should be a string."
                )
            if len(text) > limit:
                raise Rejected(f"Generation {number} is longer than {limit:,} characters.")
            if not exact and not is_clean(text):
                raise Rejected(
                    f"Generation {number} holds half of a surrogate pair, which is no character. "
                    "Remove or replace it."
                )
        if len(texts) > self._bounds.generations_per_slot:
            raise Rejected(_too_many(self._bounds))

    def _check_further(
        self, held: Filled, closed: bool, kind: str | None, requirement: str | None
    ) -> None:
        where = "task" if requirement is None else "task and requirement"
        if held.closed != closed:
            raise Rejected(
                f"Line {held.line} gives generations of this {where} in the other form. Use "
                "either one list of `outputs` or one record per generation."
            )
        if closed:
            raise Rejected(
                f"Line {held.line} already holds the generations of this {where}. "
                + self._form.repeated
            )
        if held.kind != kind:
            raise Rejected(
                f"The `type` differs from line {held.line} of the same {where}, so these are not "
                "samples of one generation. Check that the file belongs to this setting."
            )
        if held.samples >= self._bounds.generations_per_slot:
            raise Rejected(_too_many(self._bounds))

    def _shown_id(self, given: object) -> TaskId | None:
        if isinstance(given, bool) or not isinstance(given, (int, str)):
            return None
        offer = self._index.offers.get(str(given))
        return offer.id if offer else printable(str(given))


def _no_slot(offer: Offer, requirement: str | None) -> str:
    names = [name for name in offer.slots if name is not None]
    if not offer.slots:
        return "The task takes no generations in this setting. Leave it out."
    if requirement is None:
        return (
            "The record names no requirement, and this setting judges each by itself. Add a "
            f"`requirement` field with one of {_listed(names)}; or choose the setting that "
            "takes generations without requirements."
        )
    if not names:
        return (
            f"The requirement {printable(requirement)} fits no place: in this setting the task "
            "takes generations without a requirement. Leave the field out, or choose the "
            "setting that the file was made for."
        )
    return (
        f"The task has no requirement {printable(requirement)} in this setting. It has "
        f"{_listed(names)}: name one of these, or leave the record out."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _too_many(bounds: Bounds) -> str:
    return (
        f"There are more than {bounds.generations_per_slot:,} generations for one place. "
        "Leave some out."
    )

"""Finds the task and slot of each record of an upload, and assigns its generations to the slot.
Keeps no texts."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Self

import orjson

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Family, Transcripts, Turn
from evaluation.engine.records import Generation, Json, Key, Problem, Slot, Task, TaskId
from evaluation.engine.texts import Message, Text, said_by
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.decode import (
    TASK_KEY,
    Rejected,
    decode,
    decode_slowly,
    decode_text,
    is_clean,
    printable,
)
from evaluation.engine.uploads.formats import FILE, Fields, Format, described, with_keys
from evaluation.engine.uploads.kinds import is_answer
from evaluation.engine.uploads.source import Bounds, in_words, unfit

# Strings, which are keys before a colon, and the bounds of objects.
_KEYS = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")(\s*+:)?|[{}]', re.DOTALL)
_MOST_UNKNOWN = 10_000  # more than a benchmark has tasks
_ID_CHARACTERS = 1000  # longer than the ids of tasks


@dataclass(frozen=True, slots=True)
class Offer:
    """A task and its slots by requirement."""

    task: Task
    text: str
    slots: Mapping[str | None, Slot]
    required: tuple[str | None, ...]

    @property
    def id(self) -> TaskId:
        return self.task.id


@dataclass(frozen=True, slots=True)
class SlotIndex:
    """The tasks of one revision in one setting, looked up by the ids in a file, as text."""

    offers: Mapping[str, Offer]
    requirements: frozenset[str]
    transcripts: Transcripts | None = None

    @classmethod
    def for_setting(
        cls, family: Family, tasks: Sequence[Task], setting: str, prompts: Json = None
    ) -> Self:
        """`prompts` is the wording that transcripts may have. Raises BenchmarkError like `of`."""
        transcripts = family.transcripts_in(setting, prompts)
        return cls.of(tasks, lambda task: family.slots(task, setting), transcripts)

    @classmethod
    def of(
        cls,
        tasks: Sequence[Task],
        slots_of: Callable[[Task], Sequence[Slot]],
        transcripts: Transcripts | None = None,
    ) -> Self:
        """Raises BenchmarkError if a file could not distinguish two tasks or slots."""
        offers: dict[str, Offer] = {}
        # Most tasks have equal slots: one shared mapping stays in the processor's cache.
        shared: dict[tuple[Slot, ...], Mapping[str | None, Slot]] = {}
        for task in tasks:
            text = str(task.id)
            if text in offers:
                raise BenchmarkError(f"Two tasks have the id {text}.")
            slots = tuple(slots_of(task))
            if slots not in shared:
                shared[slots] = {slot.requirement: slot for slot in slots}
                if len(shared[slots]) < len(slots):
                    raise BenchmarkError(f"Task {task.id} has two slots for one requirement.")
            required = tuple(slot.requirement for slot in slots if slot.required)
            offers[text] = Offer(task, text, shared[slots], required)
        names = {name for offer in offers.values() for name in offer.slots if name is not None}
        return cls(offers, frozenset(names), transcripts)

    def find(self, task_id: TaskId, requirement: str | None) -> tuple[TaskId, Slot] | None:
        """Ids match by their text, so "13" finds 13."""
        offer = self.offers.get(str(task_id))
        slot = offer.slots.get(requirement) if offer else None
        return (offer.id, slot) if offer and slot else None


class Taken(NamedTuple):
    """The generations of one record. Their samples count from `first`."""

    task_id: TaskId
    slot: Slot
    first: int
    texts: Sequence[str]

    def generations(self) -> Iterator[Generation]:
        slot = self.slot
        for sample, text in enumerate(self.texts, self.first):
            yield Generation(Key(self.task_id, sample, slot.requirement, slot.turn), text)


class Conversed(NamedTuple):
    """The conversation of one record. Each turn's answer is a generation."""

    task_id: TaskId
    turns: Sequence[Turn]

    def generations(self) -> Iterator[Generation]:
        for number, turn in enumerate(self.turns, 1):
            yield Generation(Key(self.task_id, 0, None, number), turn.answer, turn.asked)


@dataclass(slots=True)
class Filled:
    """The file's generations so far for one requirement, by the text of the task's id. `kinds` has
    a field that further records must share with the first one; `closed` has the tasks whose record
    claims to be complete. The values are plain, because more objects for the garbage collector
    would cost more than parsing."""

    samples: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)

    def open(self, task: str, line: int, closed: bool, kind: str | None) -> None:
        self.lines[task] = line
        if closed:
            self.closed.add(task)
        if kind is not None:
            self.kinds[task] = kind


class Intake:
    """`filled` is by requirement; `member` names a file inside a zip, `header` is the file's.
    `unknown` has ids of no task. `size` is that of the texts, in bytes of UTF-8. `once`: a second
    record for the same slot is a sample, but probably a mistake; `warnings` name it, and keys that
    are twice in a record."""

    def __init__(self, form: Format, index: SlotIndex, bounds: Bounds, member: str = "") -> None:
        self.form = form
        self.once = form is FILE
        self.warnings: list[Message] = []
        self._places: dict[tuple[str, str | None], str] = {}
        self.member = member
        self.header: Mapping[str, Json] | None = None
        self.filled: dict[str | None, Filled] = defaultdict(Filled)
        self.unknown: set[str] = set()
        self._records = self.taken = self.empty = self.size = 0
        self._index, self._bounds = index, bounds

    def take(self, line: int, raw: bytes | None) -> Taken | Conversed | Problem:
        """Returns the record's generations or its problem. A faulty record fills no slot."""
        self._records += 1
        record_id: object = None
        try:
            if raw is None:
                raise Rejected(self._too_long())
            record, exact = decode(raw)
            if not isinstance(record, dict):
                raise Rejected(texts.RECORD_NO_OBJECT(kind=described(record)))
            self._warn_of_keys(line, raw, record)
            record_id = self.form.task_id(record)
            if exact and isinstance(record_id, float):  # it may be an integer beyond 64 bits
                record, exact = decode_slowly(raw), False
                record_id = self.form.task_id(record)
            key = record.get(TASK_KEY)
            if isinstance(key, str) and key in self._index.offers and key != str(record_id):
                raise Rejected(texts.KEY_OTHERWISE(key=key, id=printable(str(record_id))))
            placed = self._placed if self._index.transcripts is None else self._conversed
            return placed(line, self._offer(record_id), self.form.entry(record), exact)
        except Rejected as rejection:
            sentence = rejection.sentence
            if sentence.text is texts.REQUIREMENT_MISSING:
                sentence = with_keys(sentence, record, "requirement")
            return Problem(sentence, line, self._shown_id(record_id), self.member)

    def _warn_of_keys(self, line: int, raw: bytes, record: Mapping[str, object]) -> None:
        """Doubles in objects inside of the record count as well: an id may be in `meta`."""
        strings = [*map(type, record.values())].count(str)
        if raw.count(b'"') == 2 * (len(record) + strings):  # a plain record without doubles
            return
        with suppress(TypeError):  # orjson writes neither all numbers nor deep objects
            if orjson.dumps(record).count(b":") == raw.count(b":"):
                return
        if len(self.warnings) >= self._bounds.problems:
            return
        objects: list[dict[str, int]] = []  # with the first place of each key
        doubles: dict[int, tuple[str, int]] = {}
        for token in _KEYS.finditer(raw):
            if token[0] == b"{":
                objects.append({})
            elif token[0] == b"}":
                objects.pop()
            elif token[2]:
                name, place = token[1][1:-1].decode(), token.start()
                name = json.loads(token[1]) if "\\" in name else name
                if (first := objects[-1].setdefault(name, place)) < place:
                    doubles[first] = name, place
        for first, (name, last) in islice(doubles.items(), self._bounds.problems):
            befores = {"first": raw[:first], "second": raw[:last]}
            places = {
                word: texts.PLACE(line=line + text.count(b"\n"), position=len(text.decode()) + 1)
                for word, text in befores.items()
            }
            self._warn(texts.DOUBLE_KEY, key=printable(name), number=self._records, **places)

    def _warn(self, text: Text, **words: str | int) -> None:
        if len(self.warnings) < self._bounds.problems:
            self.warnings.append(text(**words))

    def take_file(self, task_id: TaskId, content: bytes | None) -> Taken | Problem:
        try:
            if content is None:
                raise Rejected(self._too_long())
            if not is_answer(content) and (fault := unfit(content)):
                raise Rejected(fault)
            text = decode_text(content).removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
            return self._placed(0, self._offer(task_id), (None, (text,), False, None), True)
        except Rejected as rejection:
            return Problem(rejection.sentence, None, self._shown_id(task_id), self.member)

    def _too_long(self) -> Message:
        return texts.RECORD_LONG(size=in_words(self._bounds.record_bytes))

    def _placed(self, line: int, offer: Offer, entry: Fields, exact: bool) -> Taken:
        requirement, outputs, closed, hint = entry
        if requirement is not None and not isinstance(requirement, str):
            kind_of = described(requirement)
            raise Rejected(texts.FIELD_NO_REQUIREMENT(field="requirement", kind=kind_of))
        kind = hint if isinstance(hint, str) else None
        if requirement is None and kind in self._index.requirements:
            # The hint names the requirement.
            requirement, kind = kind, None
        slot = offer.slots.get(requirement)
        if slot is None:
            raise Rejected(_no_slot(offer, requirement))
        limit = self._bounds.generation_chars
        for number, text in enumerate(outputs, 1):
            if not isinstance(text, str):
                raise Rejected(texts.GENERATION_NO_STRING(number=number, kind=described(text)))
            if len(text) > limit:
                raise Rejected(texts.GENERATION_LONG(number=number, most=f"{limit:,}"))
            if not (exact or is_clean(text)):
                raise Rejected(texts.GENERATION_SURROGATE(number=number))
        if len(outputs) > self._bounds.generations_per_slot:
            raise Rejected(texts.MANY_GENERATIONS(most=f"{self._bounds.generations_per_slot:,}"))
        filled, task = self.filled[requirement], offer.text
        first = filled.samples.get(task, 0)
        if first:
            self._check_further(filled, task, closed, kind, named=requirement is not None)
        else:
            filled.open(task, line, closed, kind)
        filled.samples[task] = first + len(outputs)
        if self.once:
            here = texts.RECORD(number=self._records, line=line) if line else self.member
            before = self._places.setdefault((task, requirement), here)
            if before is not here:
                self._warn(texts.DOUBLE_TASK, task=task, first=before, second=here)
        self.taken += len(outputs)
        self.empty += sum(not text or text.isspace() for text in outputs)
        self.size += sum(len(text.encode()) for text in outputs)
        return Taken(offer.id, slot, first, outputs)

    def _conversed(self, line: int, offer: Offer, entry: Fields, exact: bool) -> Conversed:
        """A conversation counts as one sample of its task. Rejects what is none, and one that no
        verdict could make follow the rules."""
        reader = self._index.transcripts
        assert reader is not None, "asked for where there are conversations alone"
        try:
            turns = reader.turns(entry[1][0])
        except ValueError as error:
            raise Rejected(texts.NO_CONVERSATION(fault=said_by(error))) from None
        limit = self._bounds.generation_chars
        for number, turn in enumerate(turns, 1):
            for text in turn:
                if len(text) > limit:
                    raise Rejected(texts.TURN_LONG(turn=number, most=f"{limit:,}"))
                if not (exact or is_clean(text)):
                    raise Rejected(texts.TURN_SURROGATE(turn=number))
        if misfit := reader.misfit(offer.task, turns):
            raise Rejected(texts.MISFIT(sentence=misfit))
        filled = self.filled[None]
        if offer.text in filled.samples:
            self._check_further(filled, offer.text, True, None, named=False)
        filled.open(offer.text, line, True, None)
        filled.samples[offer.text] = 1
        self.taken += len(turns)
        self.size += sum(len(text.encode()) for turn in turns for text in turn)
        return Conversed(offer.id, turns)

    def _offer(self, record_id: object) -> Offer:
        text = _id_text(record_id)
        if text is None:
            raise Rejected(texts.ID_KIND(kind=described(record_id)))
        offer = self._index.offers.get(text)
        if offer is None:
            if len(self.unknown) < _MOST_UNKNOWN:
                self.unknown.add(text[:_ID_CHARACTERS])
            raise Rejected(texts.NO_SUCH_TASK())
        return offer

    def _check_further(
        self, filled: Filled, task: str, closed: bool, kind: str | None, *, named: bool
    ) -> None:
        line = filled.lines[task]
        if (task in filled.closed) != closed:
            raise Rejected(texts.OTHER_FORM(line=line))
        if closed:
            text = texts.REPEATED_REQUIREMENT if named else texts.REPEATED
            raise Rejected(text(line=line, advice=self.form.repeated()))
        if filled.kinds.get(task) != kind:
            raise Rejected(texts.OTHER_TYPE(line=line))
        if filled.samples[task] >= self._bounds.generations_per_slot:
            raise Rejected(texts.MANY_GENERATIONS(most=f"{self._bounds.generations_per_slot:,}"))

    def _shown_id(self, record_id: object) -> TaskId | None:
        text = _id_text(record_id)
        if text is None:
            return None
        offer = self._index.offers.get(text)
        return offer.id if offer else printable(text)


def _id_text(record_id: object) -> str | None:
    if isinstance(record_id, int) and not isinstance(record_id, bool):
        return str(record_id)
    return record_id if isinstance(record_id, str) else None


def _no_slot(offer: Offer, requirement: str | None) -> Message:
    names = [name for name in offer.slots if name is not None]
    if not offer.slots:
        return texts.NO_SLOTS()
    if requirement is None:
        return texts.REQUIREMENT_MISSING(names=_listed(names))
    if not names:
        return texts.REQUIREMENT_SUPERFLUOUS(requirement=printable(requirement))
    return texts.REQUIREMENT_UNKNOWN(requirement=printable(requirement), names=_listed(names))


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return texts.NAMES_AND(first=", ".join(names[:-1]), last=names[-1])

"""Finds the task and slot that a line of an upload belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Family, Transcripts
from evaluation.engine.records import Json, Slot, Task, TaskId


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
    ) -> SlotIndex:
        """`prompts` is the wording that transcripts may have. Raises BenchmarkError like `of`."""
        transcripts = family.transcripts_in(setting, prompts)
        return cls.of(tasks, lambda task: family.slots(task, setting), transcripts)

    @classmethod
    def of(
        cls,
        tasks: Sequence[Task],
        slots_of: Callable[[Task], Sequence[Slot]],
        transcripts: Transcripts | None = None,
    ) -> SlotIndex:
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

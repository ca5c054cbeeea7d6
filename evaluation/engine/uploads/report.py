"""A summary of an upload for the page before submitting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.engine.records import Json, Problem, TaskId
from evaluation.engine.texts import Message
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.intake import Filled
from evaluation.engine.uploads.slots import SlotIndex

# A file that covers less of the tasks needs a confirmation.
LEAST_COVERED = 0.9


@dataclass(frozen=True, slots=True)
class UploadReport:
    """The contents and problems of a file.

    format: a short name ("mera", "harness", "records"), or "" if none was recognised.
    size: bytes of the generations' texts as UTF-8, with the messages of a transcript.
    more: number of problems beyond those listed.
    repeats: how many of these have the sentence of a listed one, by sentence.
    confirmations: warnings that a person has to confirm before the file is submitted.
    missing: tasks whose required slots are all empty, in the benchmark's order.
    samples_min, samples_max: over the slots with generations; None if there are none.
    filled: the slots with generations, as the task's id in text and the requirement.
    """

    format: str = ""
    format_words: str = ""
    member: str = ""
    generations: int = 0
    size: int = 0
    tasks_seen: int = 0
    problems: tuple[Problem, ...] = ()
    more: int = 0
    warnings: tuple[str, ...] = ()
    confirmations: tuple[str, ...] = ()
    missing: tuple[TaskId, ...] = ()
    samples_min: int | None = None
    samples_max: int | None = None
    header: Mapping[str, Json] | None = None
    repeats: Mapping[str, int] = field(default_factory=dict)
    filled: frozenset[tuple[str, str | None]] = frozenset()

    @property
    def ok(self) -> bool:
        """Whether the file may be submitted. Warnings do not prevent that."""
        return not self.problems

    @property
    def cautions(self) -> tuple[str, ...]:
        return *self.confirmations, *self.warnings


def coverage(index: SlotIndex, filled: Mapping[str | None, Filled]) -> UploadReport:
    """Counts the filled slots. A task is missing if all its required slots are empty."""
    counts = [n for places in filled.values() for n in places.samples.values()]
    empty: Counter[str] = Counter()
    for name in (None, *index.requirements):
        samples = filled[name].samples if name in filled else {}
        empty.update(
            task
            for task in index.offers.keys() - samples.keys()
            if name in index.offers[task].required
        )
    missing = {
        task: len(offer.required)
        for task, offer in (index.offers.items() if empty else ())
        if offer.required and empty[task] == len(offer.required)
    }
    elsewhere = empty.total() - sum(missing.values())
    warnings: list[str] = []
    confirmations: list[str] = []
    if counts:
        # Empty slots count as the largest n, because one entrant has one n.
        low, high, tasks = min(counts), max(counts), len(index.offers)
        if missing:
            wrong = _wrong(sum(missing.values()) * high)
            text = texts.TASKS_WITHOUT_GENERATION
            sentence = text(missing=len(missing), tasks=tasks, samples=wrong)
            if index.transcripts is not None:
                sentence = texts.TASKS_WITHOUT_TRANSCRIPT(missing=len(missing), tasks=tasks)
            if (seen := tasks - len(missing)) >= LEAST_COVERED * tasks:
                warnings.append(sentence)
            else:
                words = {"seen": seen, "tasks": tasks}
                confirmations.append(texts.COVERS_FEW(**words, missing=sentence))
        if elsewhere:
            wrong = _wrong(elsewhere * high)
            text = texts.REQUIREMENTS_WITHOUT_GENERATION
            warnings.append(text(missing=elsewhere, samples=wrong))
        if low < high:
            warnings.append(texts.K_LIMITED(low=low, high=high, limit=low))
    return UploadReport(
        generations=sum(counts),
        tasks_seen=len(set[str]().union(*(places.samples for places in filled.values()))),
        warnings=tuple(warnings),
        confirmations=tuple(confirmations),
        missing=tuple(index.offers[task].id for task in missing),
        samples_min=min(counts, default=None),
        samples_max=max(counts, default=None),
    )


def _wrong(samples: int) -> Message:
    return texts.ONE_WRONG_SAMPLE() if samples == 1 else texts.WRONG_SAMPLES(number=samples)

"""The two ways through an upload: `check` tells all that is wrong, `read` gives the generations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Generation, Key, Problem
from evaluation.engine.uploads.bounds import BOUNDS, Bounds
from evaluation.engine.uploads.formats import Format, recognise
from evaluation.engine.uploads.intake import Intake, Taken
from evaluation.engine.uploads.layout import Layout, find_layout, raw_records
from evaluation.engine.uploads.report import UploadReport, coverage
from evaluation.engine.uploads.slots import SlotIndex
from evaluation.engine.uploads.source import opened


def check(
    path: Path, index: SlotIndex, bounds: Bounds = BOUNDS, *, family: str = ""
) -> UploadReport:
    """One pass over the file that holds no texts; everything wrong is in the report.

    `family` picks the file of that name where a zip holds several. Raises only
    OSError, where the file itself cannot be read.
    """
    listing = _Listing(bounds.problems)
    try:
        upload = _Upload.recognised(path, bounds, family)
    except UploadError as error:
        listing.add(*error.problems)
        return replace(coverage(index, {}), problems=tuple(listing.problems))
    intake = upload.intake(index)
    seen = False
    try:
        for item in upload.records(intake):
            seen = True
            if isinstance(item, Problem):
                listing.add(item)
    except UploadError as error:
        listing.add(*error.problems)
    if not seen and not listing.problems:
        listing.add(upload.empty)
    return replace(
        coverage(index, intake.filled),
        format=upload.form.name,
        format_words=f"{upload.form.words} ({upload.layout.value})",
        member=upload.member,
        problems=tuple(listing.problems),
        more=listing.more,
    )


def read(
    path: Path, index: SlotIndex, bounds: Bounds = BOUNDS, *, family: str = ""
) -> Iterator[Generation]:
    """The generations in the file's order, as `check` counted them.

    Raises UploadError at the first problem, so what came before it may have been
    yielded already; OSError where the file itself cannot be read.
    """
    upload = _Upload.recognised(path, bounds, family)
    seen = False
    for item in upload.records(upload.intake(index)):
        seen = True
        if isinstance(item, Problem):
            raise UploadError([item])
        yield from _generations(item)
    if not seen:
        raise UploadError([upload.empty])


def _generations(taken: Taken) -> Iterator[Generation]:
    slot = taken.slot
    for sample, text in enumerate(taken.texts, taken.first):
        yield Generation(Key(taken.task_id, sample, slot.requirement, slot.turn), text)


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file whose format is known, and what it takes to open it again."""

    path: Path
    bounds: Bounds
    family: str
    layout: Layout
    form: Format
    member: str

    @classmethod
    def recognised(cls, path: Path, bounds: Bounds, family: str) -> _Upload:
        """Raises UploadError."""
        with opened(path, bounds, family) as source:
            layout, member = find_layout(source, bounds), source.member
        with opened(path, bounds, family) as source:
            form = recognise(source, layout, bounds)
        return cls(path, bounds, family, layout, form, member)

    @property
    def empty(self) -> Problem:
        return Problem("The file holds no generations.", member=self.member)

    def intake(self, index: SlotIndex) -> Intake:
        return Intake(self.form, index, self.bounds, self.member)

    def records(self, intake: Intake) -> Iterator[Taken | Problem]:
        """Raises UploadError where the file cannot be followed any further."""
        with opened(self.path, self.bounds, self.family) as source:
            for line, raw in raw_records(source, self.layout, self.bounds):
                yield intake.take(line, raw)


@dataclass(slots=True)
class _Listing:
    """The first `limit` problems, and how many came after them."""

    limit: int
    problems: list[Problem] = field(default_factory=list)
    more: int = 0

    def add(self, *problems: Problem) -> None:
        room = max(0, self.limit - len(self.problems))
        self.problems += problems[:room]
        self.more += len(problems[room:])

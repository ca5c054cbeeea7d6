"""The two ways to read an upload: `check` reports all problems, `read` yields the generations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Generation, Problem, TaskId
from evaluation.engine.texts import Message
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.bounds import BOUNDS, Bounds
from evaluation.engine.uploads.decode import Rejected, header_of, printable
from evaluation.engine.uploads.formats import FILE, recognise
from evaluation.engine.uploads.intake import Conversed, Intake, Taken
from evaluation.engine.uploads.layout import Layout, find_layout, raw_records
from evaluation.engine.uploads.report import UploadReport, coverage
from evaluation.engine.uploads.slots import SlotIndex
from evaluation.engine.uploads.source import member_names, members, opened

# Maximum number of listed problems with the same sentence.
FIRST = 5
# Maps the name of a file in a zip to the task that it predicts; None if it is not a prediction.
MemberTask: TypeAlias = Callable[[str], TaskId | None]


def check(
    path: Path,
    index: SlotIndex,
    bounds: Bounds = BOUNDS,
    *,
    family: str = "",
    member: MemberTask | None = None,
) -> UploadReport:
    """Reads the file once; the report lists all problems. If a zip holds several files, `family`
    selects one by its whole name, or by its name without folders and suffix. With `member`, a zip
    may also hold one file per prediction. Raises only OSError, if the file itself cannot be
    read."""
    listing = _Listing(bounds.problems)
    try:
        upload = _recognised(path, index, bounds, family, member)
    except UploadError as error:
        listing.add(*error.problems)
        return replace(coverage(index, {}), problems=tuple(listing.problems))
    intake = upload.intake
    has_records = False
    try:
        for item in upload.records:
            has_records = True
            if isinstance(item, Problem):
                listing.add(item)
    except UploadError as error:
        listing.add(*error.problems)
    if not has_records and not listing.problems:
        listing.add(Problem(texts.NO_GENERATIONS(), member=upload.member))
    report = coverage(index, intake.filled)
    warnings = [*report.warnings, *intake.doubles]
    if intake.empty:
        counts = {"empty": f"{intake.empty:,}", "generations": f"{intake.taken:,}"}
        warnings.append(texts.EMPTY_GENERATIONS(**counts))
    return replace(
        report,
        generations=intake.taken,
        size=intake.size,
        warnings=tuple(warnings),
        format=intake.form.name,
        format_words=upload.words,
        member=upload.member,
        problems=tuple(listing.problems),
        more=listing.more,
        repeats=dict(listing.repeats),
        header=intake.header,
        filled=frozenset(
            (task, name) for name, slots in intake.filled.items() for task in slots.samples
        ),
    )


def read(
    path: Path,
    index: SlotIndex,
    bounds: Bounds = BOUNDS,
    *,
    family: str = "",
    member: MemberTask | None = None,
) -> Iterator[Generation]:
    """Yields the generations in the file's order, with the same samples as `check` counts. Raises
    UploadError at the first problem, and OSError if the file itself cannot be read."""
    upload = _recognised(path, index, bounds, family, member)
    has_records = False
    for item in upload.records:
        has_records = True
        if isinstance(item, Problem):
            raise UploadError([item])
        yield from item.generations()
    if not has_records:
        raise UploadError([Problem(texts.NO_GENERATIONS(), member=upload.member)])


class _Upload(NamedTuple):
    """An upload of a known format. Reading `records` fills the intake, and raises UploadError if
    the rest of the file cannot be read."""

    intake: Intake
    words: Message
    member: str
    records: Iterator[Taken | Conversed | Problem]


def _recognised(
    path: Path, index: SlotIndex, bounds: Bounds, family: str, member: MemberTask | None
) -> _Upload:
    """Raises UploadError. A zip with at least one prediction file counts as a folder of them."""
    if member is not None and any(member(name) is not None for name in member_names(path, bounds)):
        intake = Intake(FILE, index, bounds)
        return _Upload(intake, FILE.words(), "", _files(path, bounds, member, intake))
    with opened(path, bounds, family) as source:
        layout, name = find_layout(source, bounds, index.offers), source.member
    with opened(path, bounds, family) as source:
        form = recognise(source, layout, bounds, transcripts=index.transcripts is not None)
    intake = Intake(form, index, bounds, name)
    intake.once = layout is Layout.KEYED
    records = _records(path, bounds, family, layout, intake)
    words = texts.FORM(records=form.words(), layout=layout.value())
    return _Upload(intake, words, name, records)


def _records(
    path: Path, bounds: Bounds, family: str, layout: Layout, intake: Intake
) -> Iterator[Taken | Conversed | Problem]:
    with opened(path, bounds, family) as source:
        records = raw_records(source, layout, bounds)
        first = None if layout is Layout.DOCUMENT else next(records, None)
        if first is not None:
            try:
                intake.header = header_of(first[1])
            except Rejected as rejection:
                problem = Problem(rejection.sentence, first[0], member=source.member)
                raise UploadError([problem]) from None
            if intake.header is None:
                yield intake.take(*first)
        for line, raw in records:
            yield intake.take(line, raw)


def _files(
    path: Path, bounds: Bounds, task_of: MemberTask, intake: Intake
) -> Iterator[Taken | Problem]:
    for name, content in members(path, bounds):
        task = task_of(name)
        intake.member = printable(name)
        if task is None:
            yield Problem(texts.NO_PREDICTION(), member=intake.member)
        else:
            yield intake.take_file(task, content)


@dataclass(slots=True)
class _Listing:
    """Lists at most `limit` problems, of which at most FIRST have the same sentence. Counts the
    others."""

    limit: int
    problems: list[Problem] = field(default_factory=list)
    more: int = 0
    repeats: Counter[str] = field(default_factory=Counter)
    _listed: Counter[str] = field(default_factory=Counter)

    def add(self, *problems: Problem) -> None:
        for problem in problems:
            if self._listed[problem.sentence] == FIRST:
                self.repeats[problem.sentence] += 1
                self.more += 1
            elif len(self.problems) == self.limit:
                self.more += 1
            else:
                self._listed[problem.sentence] += 1
                self.problems.append(problem)

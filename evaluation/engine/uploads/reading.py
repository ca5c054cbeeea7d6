"""The two ways to read an upload: `check` reports all problems and sums up the contents for the
page before submitting, `read` yields the generations."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import NamedTuple, TypeAlias

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Generation, Json, Problem, TaskId
from evaluation.engine.texts import Message
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.decode import Rejected, header_of, printable
from evaluation.engine.uploads.formats import FILE, recognise
from evaluation.engine.uploads.intake import Conversed, Filled, Intake, SlotIndex, Taken
from evaluation.engine.uploads.layout import Layout, find_layout, raw_records
from evaluation.engine.uploads.source import BOUNDS, Bounds, member_names, members, opened

# Maximum number of listed problems with the same sentence.
FIRST = 5
# Maps the name of a file in a zip to the task that it predicts; None if it is not a prediction.
MemberTask: TypeAlias = Callable[[str], TaskId | None]
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
    unknown: the ids of no task."""

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
    unknown: frozenset[str] = frozenset()

    @property
    def ok(self) -> bool:
        """Whether the file may be submitted. Warnings do not prevent that."""
        return not self.problems

    @property
    def cautions(self) -> tuple[str, ...]:
        return *self.confirmations, *self.warnings


class _Upload(NamedTuple):
    """An upload of a known format. Reading `records` fills the intake, and raises UploadError if
    the rest of the file cannot be read."""

    intake: Intake
    words: Message
    member: str
    records: Iterator[Taken | Conversed | Problem]


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
    listing, upload, has_records = _Listing(bounds.problems), None, False
    try:
        upload = _recognised(path, index, bounds, family, member)
        for item in upload.records:
            has_records = True
            if isinstance(item, Problem):
                listing.add(item)
    except UploadError as error:
        listing.add(*error.problems)
    if upload is None:
        return replace(coverage(index, {}), problems=tuple(listing.problems))
    intake = upload.intake
    if not has_records and not listing.problems:
        listing.add(Problem(texts.NO_GENERATIONS(), member=upload.member))
    report = coverage(index, intake.filled)
    warnings = [*report.warnings, *intake.warnings]
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
        unknown=frozenset(intake.unknown),
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


def _recognised(
    path: Path, index: SlotIndex, bounds: Bounds, family: str, member: MemberTask | None
) -> _Upload:
    """Raises UploadError. A zip with at least one prediction file counts as a folder of them."""
    if member is not None:
        predicted = (name for name in member_names(path, bounds) if member(name) is not None)
        if endings := {PurePath(name).suffix.lower() for name in predicted}:
            intake = Intake(FILE, index, bounds)
            files = _files(path, bounds, member, endings, intake)
            return _Upload(intake, FILE.words(), "", files)
    with opened(path, bounds, family) as source:
        layout, name = find_layout(source, bounds, index.offers), source.member
    with opened(path, bounds, family) as source:
        form = recognise(source, layout, bounds, transcripts=index.transcripts is not None)
    intake = Intake(form, index, bounds, name)
    intake.once = layout is Layout.KEYED
    records = _records(path, bounds, family, layout, intake)
    return _Upload(intake, texts.FORM(records=form.words(), layout=layout.value()), name, records)


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
    path: Path, bounds: Bounds, task_of: MemberTask, endings: Collection[str], intake: Intake
) -> Iterator[Taken | Problem]:
    """A file with another ending than predictions have is left out: of a project, or compiled."""
    left_out: list[str] = []
    for name, content in members(path, bounds):
        task = task_of(name)
        intake.member = printable(name)
        if PurePath(name).suffix.lower() not in endings:
            left_out.append(intake.member)
        elif task is None:
            yield Problem(texts.NO_PREDICTION(), member=intake.member)
        else:
            yield intake.take_file(task, content)
    if left_out:
        listed, number = ", ".join(sorted(endings)), len(left_out)
        warning = texts.FILES_LEFT_OUT(endings=listed, number=number, first=left_out[0])
        intake.warnings.append(warning)


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
            if (covered := tasks - len(missing)) >= LEAST_COVERED * tasks:
                warnings.append(sentence)
            else:
                words = texts.COVERS_FEW(seen=covered, tasks=tasks, missing=sentence)
                confirmations.append(words)
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

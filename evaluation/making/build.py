"""Builds a tasks file from a repository. A function makes a task if its own body passes twice
(which detects flaky tests) and every body that does nothing fails."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.lines import GrowingFile, line
from evaluation.engine.preparation import sources
from evaluation.engine.records import Project
from evaluation.making.choosing import Candidate, functions, named_by_tests, spread
from evaluation.making.languages import LANGUAGES, Origin, write_tasks
from evaluation.making.reasons import UNREACHED, Reason
from evaluation.making.site import Drafts, Host, Site, prepared_for

_BEGINS = b'{"build": '
# Functions per worker between writes of the report.
PORTION = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """`most` is the maximum number of tasks, None for no maximum."""

    origin: Origin
    language: str
    out: Path
    report: Path
    most: int | None = None


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Numbers of functions. `reasons` counts the rejected ones, the most frequent reason first."""

    found: int
    cut: int
    reached: int
    tried: int
    kept: int
    reasons: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Fate:
    """The result of a function: a task, or the reason for its rejection. `detail` is for users."""

    path: str
    line: int
    function: str
    kept: bool
    reason: str = ""
    detail: str = ""

    @property
    def place(self) -> tuple[str, int]:
        return self.path, self.line


class ReportFile(GrowingFile):
    """A build's report, from which an interrupted build resumes: the first line holds the build's
    inputs, each other line one function's result."""

    def __init__(self, path: Path, build: Mapping[str, Any]) -> None:
        """Raises BenchmarkError if the file is another build's report, or no report."""
        self.fates: list[Fate] = []
        self._path, self._build = path, dict(build)
        try:
            if path.exists():
                with path.open("rb") as file:
                    start = file.read(len(_BEGINS))
                if not _BEGINS.startswith(start):
                    raise BenchmarkError(
                        f"{path} exists and is not the report of a build; name another file."
                    )
            super().__init__(path)
        except OSError as error:
            raise BenchmarkError(f"{path} cannot be used: {error.strerror}.") from error
        if not self.load(self._take):
            self.write([line({"build": self._build})])

    def add(self, fates: Iterable[Fate]) -> None:
        """Stores the fates of functions that the report lacks. Returns when they are on disk."""
        places = {fate.place for fate in self.fates}
        new = [fate for fate in fates if fate.place not in places]
        self.write(line(asdict(fate)) for fate in new)
        self.fates += new

    def _take(self, number: int, text: bytes) -> None:
        try:
            value = json.loads(text)
            if number > 1:
                self.fates.append(Fate(**value))
                return
            build = value["build"]
        except (ValueError, KeyError, TypeError):
            raise BenchmarkError(f"{self._path} is damaged; name another report.") from None
        if build != self._build:
            raise BenchmarkError(f"{self._path} is the report of another build; name another.")


def build(wanted: Wanted, host: Host) -> BuildReport:
    """Writes the tasks and the report, from which an interrupted build resumes. Raises
    BenchmarkError if the repository cannot be fetched or built, if none of its tests passes, or if
    none of its functions can be cut out; SandboxError."""
    origin, language = wanted.origin, LANGUAGES[wanted.language]
    project = Project(origin.repository, origin.commit, origin.image, origin.build_command)
    with tempfile.TemporaryDirectory(prefix="assay-build-") as folder:
        sources.checkout(project, host.options, Path(folder))
        texts = sources.texts(Path(folder), ())
    candidates, uncut = functions(texts, language.suffix, language.cut)
    if not candidates:
        raise BenchmarkError(f"No function can be cut out of {origin.repository}.")
    host.say(f"{len(candidates) + len(uncut):,} functions, {len(candidates):,} can be cut out.")
    identity = {**asdict(origin), "language": wanted.language, "engine": ENGINE_VERSION}
    with (
        ReportFile(wanted.report, identity) as report,
        prepared_for(Drafts(origin, wanted.language, candidates), host) as site,
    ):
        report.add(Fate(path, one.line, one.name, False, one.why) for path, one in uncut)
        if language.watched:
            host.say("Looking which of them the tests enter ...")
            reached = site.entered(candidates)
        else:
            reached = named_by_tests(candidates, texts)
        host.say(f"{len(reached):,} of them are reached by tests.")
        near = {candidate.place for candidate in reached}
        report.add(_fate(c, Reason(UNREACHED)) for c in candidates if c.place not in near)
        order = spread(reached, f"{origin.repository}@{origin.commit}")
        kept = _try(site, order, report, wanted.most, host)[: wanted.most]
        write_tasks(wanted.out, site.records(sorted(kept, key=lambda candidate: candidate.place)))
    return BuildReport(
        found=len(candidates) + len(uncut),
        cut=len(candidates),
        reached=len(reached),
        tried=len(near & {fate.place for fate in report.fates}),
        kept=len(kept),
        reasons=dict(Counter(f.reason for f in report.fates if not f.kept).most_common()),
    )


def _try(
    site: Site, order: Sequence[Candidate], report: ReportFile, most: int | None, host: Host
) -> list[Candidate]:
    """Tries candidates until `most` are kept; returns all that are kept."""

    def kept() -> list[Candidate]:
        places = {fate.place for fate in report.fates if fate.kept}
        return [candidate for candidate in order if candidate.place in places]

    settled = {fate.place for fate in report.fates}
    left = iter([candidate for candidate in order if candidate.place not in settled])
    while most is None or len(kept()) < most:
        portion = PORTION * host.workers
        if most is not None:
            portion = min(portion, max(most - len(kept()), host.workers))
        candidates = list(islice(left, portion))
        if not candidates:
            break
        report.add(map(_fate, candidates, site.tried(candidates)))
        done = len({c.place for c in order} & {fate.place for fate in report.fates})
        host.say(f"{done:,} of {len(order):,} functions tried, {len(kept()):,} kept.")
    return kept()


def _fate(candidate: Candidate, reason: Reason) -> Fate:
    cut = candidate.cut
    return Fate(candidate.path, cut.line, cut.name, not reason.why, reason.why, reason.detail)

"""Builds a tasks file from a repository. A function makes a task if its own body passes twice
(which detects flaky tests) and every body that does nothing fails."""

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice, zip_longest
from pathlib import Path, PurePosixPath
from typing import Any

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.lines import GrowingFile, line
from evaluation.engine.preparation import sources
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.records import Project
from evaluation.engine.uploads.decode import is_clean
from evaluation.making.cuts import Cut, Function, Uncut
from evaluation.making.java_bodies import names_in
from evaluation.making.languages import LANGUAGES, Origin, write_tasks
from evaluation.making.site import UNREACHED, Reason, Site

_BEGINS = b'{"build": '
# Functions per worker between writes of the report.
PORTION = 4
_TEST_FOLDERS = {"test", "tests"}


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


class FatesFile(GrowingFile):
    """A build's report, from which an interrupted build resumes: the first line holds the build's
    inputs, each other line one function's result."""

    def __init__(self, path: Path, build: Mapping[str, Any]) -> None:
        """Raises BenchmarkError if the file is another build's report, or no report."""
        self.fates: list[Fate] = []
        self.places: set[tuple[str, int]] = set()

        def take(number: int, text: bytes) -> None:
            try:
                value = json.loads(text)
                if number > 1:
                    self._keep([Fate(**value)])
                    return
                stored = value["build"]
            except (ValueError, KeyError, TypeError):
                raise BenchmarkError(f"{path} is damaged; name another report.") from None
            if stored != build:
                raise BenchmarkError(f"{path} is the report of another build; name another.")

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
        if not self.load(take):
            self.write([line({"build": build})])

    def add(self, fates: Iterable[Fate]) -> None:
        """Stores the fates of functions that the report lacks. Returns when they are on disk."""
        new = [fate for fate in fates if fate.place not in self.places]
        self.write(line(asdict(fate)) for fate in new)
        self._keep(new)

    def _keep(self, fates: Sequence[Fate]) -> None:
        self.fates += fates
        self.places.update(fate.place for fate in fates)


def build(
    origin: Origin, language_name: str, out: Path, report_path: Path, most: int | None, setup: Setup
) -> BuildReport:
    """Writes at most `most` tasks to `out`, and the report, from which an interrupted build
    resumes. Raises BenchmarkError if the repository cannot be fetched or built, if none of its
    tests passes, or if none of its functions can be cut out; SandboxError."""
    language = LANGUAGES[language_name]
    project = Project(origin.repository, origin.commit, origin.image, origin.build_command)
    with tempfile.TemporaryDirectory(prefix="assay-build-") as folder:
        sources.checkout(project, setup.options(), Path(folder))
        texts = sources.texts(Path(folder), ())
    candidates, uncut = functions(texts, language.suffix, language.cut)
    if not candidates:
        raise BenchmarkError(f"No function can be cut out of {origin.repository}.")
    setup.say(f"{len(candidates) + len(uncut):,} functions, {len(candidates):,} can be cut out.")
    identity = {**asdict(origin), "language": language_name, "engine": ENGINE_VERSION}
    site = Site(origin, language, candidates, setup)
    with FatesFile(report_path, identity) as report, site.prepared():
        report.add(Fate(f.path, f.line, f.name, False, f.why) for f in uncut)
        if language.watched:
            setup.say("Looking which of them the tests enter ...")
            reached = site.entered(candidates)
        else:
            reached = named_by_tests(candidates, texts)
        setup.say(f"{len(reached):,} of them are reached by tests.")
        near = {candidate.place for candidate in reached}
        report.add(_fate(c, Reason(UNREACHED)) for c in candidates if c.place not in near)
        order = spread(reached, f"{origin.repository}@{origin.commit}")
        cuts = _try(site, order, report, most, setup)[:most]
        write_tasks(out, site.records(sorted(cuts, key=lambda candidate: candidate.place)))
    return BuildReport(
        found=len(candidates) + len(uncut),
        cut=len(candidates),
        reached=len(reached),
        tried=len(near & report.places),
        kept=len(cuts),
        reasons=dict(Counter(f.reason for f in report.fates if not f.kept).most_common()),
    )


def _try(
    site: Site, order: Sequence[Cut], report: FatesFile, most: int | None, setup: Setup
) -> list[Cut]:
    def kept() -> list[Cut]:
        places = {fate.place for fate in report.fates if fate.kept}
        return [candidate for candidate in order if candidate.place in places]

    untried = iter([candidate for candidate in order if candidate.place not in report.places])
    while most is None or len(kept()) < most:
        portion = PORTION * setup.workers
        if most is not None:
            portion = min(portion, max(most - len(kept()), setup.workers))
        candidates = list(islice(untried, portion))
        if not candidates:
            break
        report.add(map(_fate, candidates, site.tried(candidates)))
        done = sum(candidate.place in report.places for candidate in order)
        setup.say(f"{done:,} of {len(order):,} functions tried, {len(kept()):,} kept.")
    return kept()


def _fate(cut: Cut, reason: Reason) -> Fate:
    return Fate(cut.path, cut.line, cut.name, not reason.why, reason.why, reason.detail)


def is_test(path: str) -> bool:
    *folders, name = PurePosixPath(path).parts
    stem = PurePosixPath(name).stem
    pytest_file = name == "conftest.py" or (
        name.endswith(".py") and (stem.startswith("test_") or stem.endswith("_test"))
    )
    return pytest_file or not _TEST_FOLDERS.isdisjoint(folders)


def functions(
    texts: Mapping[str, str], suffix: str, cut: Callable[[str], list[Function]]
) -> tuple[list[Cut], list[Uncut]]:
    """The product's functions that can be cut out, and the others; by path and line."""
    every = [
        replace(function, path=path)
        for path in sorted(texts)
        # A task cannot hold a file name that is not UTF-8.
        if path.endswith(suffix) and not is_test(path) and is_clean(path)
        for function in cut(texts[path])
    ]
    cuts = [function for function in every if isinstance(function, Cut)]
    return cuts, [function for function in every if isinstance(function, Uncut)]


def spread(candidates: Iterable[Cut], seed: str) -> list[Cut]:
    """The first n come from as many files as possible; `seed` decides the order."""

    def order(candidate: Cut) -> str:
        place = f"{seed}\0{candidate.path}\0{candidate.line}"
        return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()

    files: dict[str, list[Cut]] = {}
    for candidate in sorted(candidates, key=order):
        files.setdefault(candidate.path, []).append(candidate)
    in_turn = chain.from_iterable(zip_longest(*files.values()))
    return [candidate for candidate in in_turn if candidate is not None]


def named_by_tests(candidates: Sequence[Cut], texts: Mapping[str, str]) -> list[Cut]:
    """Candidates whose name occurs in the tests or, transitively, in the body of such a
    candidate. Includes too many rather than too few: other code may call an annotated function
    (`@Override`)."""
    names = {name for path, text in texts.items() if is_test(path) for name in names_in(text)}
    near = [
        candidate
        for candidate in candidates
        if candidate.name in names or "@" in candidate.left.split("\n", candidate.top - 1)[-1]
    ]
    places = set[tuple[str, int]]()
    while near:
        places.update(candidate.place for candidate in near)
        names.update(*(candidate.names for candidate in near))
        left = [candidate for candidate in candidates if candidate.place not in places]
        near = [candidate for candidate in left if candidate.name in names]
    return [candidate for candidate in candidates if candidate.place in places]

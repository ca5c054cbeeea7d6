"""`locate-sources`: finds the commit of each project from which a benchmark's tasks were cut."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from evaluation.engine.datasets import Problems
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation.options import Options
from evaluation.engine.projects.locating import SourceSpan, place_of
from evaluation.engine.projects.sources import Source, sources_in, task_entries, write_sources
from evaluation.making.locating import Located, locate

_SHOWN_EVERY = 100


@dataclass(frozen=True, slots=True)
class Named:
    """A project and its repository, which is at `location` or, without one, at the templates'
    locations."""

    project: str
    repository: str
    location: str = ""

    def locations(self, templates: Sequence[str]) -> list[str]:
        owner, _, name = self.repository.rpartition("/")
        parts = {"repository": self.repository, "owner": owner, "name": name}
        return [self.location] if self.location else [t.format(**parts) for t in templates]


def named(text: str) -> Named:
    """Parses `PROJECT=OWNER/NAME`; the last two parts of a path or URL give its OWNER/NAME."""
    project, given, where = text.partition("=")
    parts = where.removesuffix("/").removesuffix(".git").split("/")
    if not (project and given) or len(parts) < 2 or not all(parts[-2:]):
        raise argparse.ArgumentTypeError(f"{text!r} is not PROJECT=OWNER/NAME")
    elsewhere = len(parts) > 2 or where.startswith(".")
    return Named(project, "/".join(parts[-2:]), where if elsewhere else "")


def template(text: str) -> str:
    """A location of repositories with {owner} and {name}, or {repository}, as placeholders."""
    try:
        text.format(owner="", name="", repository="")
    except (LookupError, ValueError):
        known = "{owner}, {name} and {repository}"
        raise argparse.ArgumentTypeError(f"{text!r} may contain only {known}") from None
    return text


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tasks", type=Path, required=True, metavar="PATH", help="the tasks file, or a folder"
    )
    command.add_argument(
        "--repository",
        type=named,
        action="append",
        default=[],
        metavar="PROJECT=OWNER/NAME",
        help="a project's repository, or its path or URL; repeat for each project",
    )
    command.add_argument(
        "--git",
        type=template,
        metavar="TEMPLATE",
        help="where repositories lie: a path or URL with {owner} and {name}, or {repository} "
        "(default: ASSAY_REPOSITORIES)",
    )
    command.add_argument(
        "--out", type=Path, required=True, metavar="sources.json", help="existing entries are kept"
    )
    command.add_argument("--again", action="store_true", help="also projects that have an entry")
    command.set_defaults(command=locate_sources)


def locate_sources(arguments: argparse.Namespace) -> int:
    """Writes each entry as soon as it is found; returns 2 if a project has none or lacks a task."""
    options = Options.from_environment()
    if arguments.git:
        options = replace(options, repositories=(arguments.git,))
    by_project = _places(arguments.tasks)
    repositories = _repositories(by_project, arguments.repository)
    known = sources_in(arguments.out) if arguments.out.exists() else {}
    whole = 0
    for project, places in by_project.items():
        if project in known and not arguments.again:
            _say(f"{project} already has an entry.")
            whole += 1
            continue
        if project not in repositories:
            _say(f"{project}: name its repository with --repository {project}=OWNER/NAME.")
            continue
        found = _located(repositories[project], places, options)
        if found is not None:
            repository = repositories[project].repository
            # Keeps the other fields, such as build commands, which may have been edited.
            entry = known.get(project) or Source(repository)
            known[project] = replace(
                entry, repository=repository, commit=found.commit, tag=found.tag
            )
            write_sources(arguments.out, known)
            whole += found.lacks == (0, 0)
        _say(_summary(project, found, places))
    _say(f"{whole} of {len(by_project)} projects contain the code of all their tasks.")
    return 0 if whole == len(by_project) else 2


def _say(text: str) -> None:
    print(text, flush=True)


def _places(path: Path) -> dict[str, list[SourceSpan]]:
    """Raises BenchmarkError naming every entry without a place."""
    problems = Problems()
    found: dict[str, list[SourceSpan]] = {}
    for entry in task_entries(path, problems):
        place = problems.attempt(entry, None, place_of, entry.value)
        if place is not None:
            found.setdefault(place.project, []).append(place)
    problems.raise_any()
    return dict(sorted(found.items()))


def _repositories(projects: Iterable[str], given: Sequence[Named]) -> dict[str, Named]:
    """The last part of a project's name suffices. Raises BenchmarkError for an unknown or ambiguous
    name."""
    found = {}
    for each in given:
        meant = [p for p in projects if each.project in (p, p.rpartition("/")[2])]
        if not meant:
            raise BenchmarkError(
                f"--repository names {each.project}, but the tasks have no such project."
            )
        if len(meant) > 1:
            raise BenchmarkError(
                f"--repository names {each.project}, which may be {' or '.join(meant)}: give the "
                "whole name."
            )
        found[meant[0]] = each
    return found


def _summary(project: str, found: Located | None, places: Sequence[SourceSpan]) -> str:
    if found is None:
        return f"{project}: no commit contains the code of any task."
    tag = f" ({found.tag})" if found.tag else ""
    held = len(places) - len(found.missing)
    words = f"{project}: {found.commit}{tag} holds the code of {held} of {len(places)} tasks."
    reasons = {**found.untested, **found.missing}
    return "\n  ".join([words, *(f"{task}: {reason}" for task, reason in reasons.items())])


def _located(named: Named, places: Sequence[SourceSpan], options: Options) -> Located | None:
    """Prints the reason and returns None if no location of the repository can be read."""
    for location in named.locations(options.repositories):
        try:
            with contextlib.ExitStack() as stack:
                folder = stack.enter_context(_repository(location, options))
                history = stack.enter_context(contextlib.closing(Git(folder)))
                return locate(history, places, _progress)
        except BenchmarkError as error:
            _say(f"{named.project}: {location}: {error}")
    return None


def _progress(tried: int) -> None:
    if tried % _SHOWN_EVERY == 0:
        print(f"  {tried} commits checked", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _repository(location: str, options: Options) -> Iterator[Path]:
    if Path(location).is_dir():
        yield Path(location)
        return
    bundle = options.network.ca_bundle
    with tempfile.TemporaryDirectory(prefix="assay-sources-") as folder:
        certificates = {} if bundle is None else {"GIT_SSL_CAINFO": str(bundle)}
        _git("clone", "--quiet", "--bare", "--", location, folder, **certificates)
        yield Path(folder)


def _git(*words: str, **variables: str) -> str:
    """git's standard output. Raises BenchmarkError with its last error line."""
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/true", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["git", *words],
        env={**os.environ, **quiet, **variables},
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed."]
        raise BenchmarkError(said[-1])
    return done.stdout.decode("utf-8", "surrogateescape")


class Git:
    """A repository's history, read with `git`; close it after use."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names = self._reader("--batch-check=%(objecttype) %(objectname)")
        self._contents = self._reader("--batch=%(objectsize)")

    def _reader(self, how: str) -> subprocess.Popen[bytes]:
        words = ["git", "-C", self._folder, "cat-file", how]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self) -> None:
        for reader in (self._names, self._contents):
            with reader:
                assert reader.stdin is not None
                reader.stdin.close()

    def tags(self) -> Iterable[tuple[str, str]]:
        shown = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)"
        told = _git("-C", self._folder, "for-each-ref", "--sort=-creatordate", shown, "refs/tags")
        for line in told.splitlines():
            name, plain, peeled = line.split("\0")
            yield name, peeled or plain

    def commits(self, paths: Sequence[str]) -> Iterable[str]:
        # Side branches too: a state of several files may exist on one branch only.
        words = ("log", "--all", "--full-history", "--format=%H", "--", *paths)
        yield from _git("-C", self._folder, "--literal-pathspecs", *words).split()

    def blobs(self, commit: str, paths: Sequence[str]) -> Sequence[str | None]:
        return [self._blob(commit, path) for path in paths]

    def _blob(self, commit: str, path: str) -> str | None:
        kind, _, name = _asked(self._names, f"{commit}:{path}").rpartition(" ")
        return name if kind == "blob" else None

    def text(self, blob: str) -> str:
        size = int(_asked(self._contents, blob))
        content = _stream(self._contents.stdout).read(size + 1)[:-1]
        return content.decode("utf-8", "surrogateescape")


def _asked(reader: subprocess.Popen[bytes], question: str) -> str:
    """Raises BenchmarkError if git has ended."""
    try:
        stream = _stream(reader.stdin)
        stream.write(question.encode("utf-8", "surrogateescape") + b"\n")
        stream.flush()
        line = _stream(reader.stdout).readline()
    except BrokenPipeError:
        line = b""
    if not line:
        raise BenchmarkError("git cat-file ended before it answered.")
    return line.decode("utf-8", "surrogateescape").rstrip("\n")


def _stream(found: IO[bytes] | None) -> IO[bytes]:
    assert found is not None
    return found

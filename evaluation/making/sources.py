"""`locate-sources`: finds the commit of each project from which a benchmark's tasks were cut."""

import argparse
import contextlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

from evaluation.engine.datasets import Problems
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.sources import GitFailed, git
from evaluation.engine.projects.sources import (
    Node,
    Source,
    SourceSpan,
    difference,
    place_of,
    sources_in,
    task_entries,
    write_sources,
)

_SHOWN_EVERY = 100


@dataclass(frozen=True, slots=True)
class Named:
    """A project and its repository, which is at `location` or, without one, at the templates'
    locations."""

    project: str
    repository: str
    location: str = ""


@dataclass(frozen=True, slots=True)
class Located:
    """A commit. It lacks the code of the tasks in `missing` and the tests of those in `untested`;
    each task has its reason."""

    commit: str
    tag: str
    missing: Mapping[str, str]
    untested: Mapping[str, str]

    @property
    def lacks(self) -> tuple[int, int]:
        return len(self.missing), len(self.untested)


def named(text: str) -> Named:
    """Parses `PROJECT=OWNER/NAME`; the last two parts of a path or URL give its OWNER/NAME."""
    project, equals, where = text.partition("=")
    parts = where.removesuffix("/").removesuffix(".git").split("/")
    if not (project and equals) or len(parts) < 2 or not all(parts[-2:]):
        raise argparse.ArgumentTypeError(f"{text!r} is not PROJECT=OWNER/NAME")
    elsewhere = len(parts) > 2 or where.startswith(".")
    return Named(project, "/".join(parts[-2:]), where if elsewhere else "")


def template(text: str) -> str:
    """A location of repositories with {owner} and {name}, or {repository}, as placeholders."""
    try:
        text.format(owner="", name="", repository="")
    except (LookupError, ValueError):
        placeholders = "{owner}, {name} and {repository}"
        raise argparse.ArgumentTypeError(f"{text!r} may contain only {placeholders}") from None
    return text


def add_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--tasks", type=Path, required=True, metavar="PATH", help="the tasks file, or a folder")
    add(
        "--repository", type=named, action="append", default=[], metavar="PROJECT=OWNER/NAME",
        help="a project's repository, or its path or URL; repeat for each project",
    )  # fmt: skip
    add(
        "--git", type=template, metavar="TEMPLATE",
        help="where repositories lie: a path or URL with {owner} and {name}, or {repository} "
        "(default: ASSAY_REPOSITORIES)",
    )  # fmt: skip
    add(
        "--out", type=Path, required=True, metavar="sources.json",
        help="existing entries are kept",
    )  # fmt: skip
    add("--again", action="store_true", help="also projects that have an entry")
    command.set_defaults(command=locate_sources)


def locate_sources(arguments: argparse.Namespace) -> int:
    """Writes each entry as soon as it is found; returns 2 if a project has none or lacks a task.
    Raises BenchmarkError, among others naming every task without a place."""
    options = Options.from_environment()
    if arguments.git:
        options = replace(options, repositories=(arguments.git,))
    problems = Problems()
    by_project: dict[str, list[SourceSpan]] = {}
    for entry in task_entries(arguments.tasks, problems):
        place = problems.attempt(entry, None, place_of, entry.value)
        if place is not None:
            by_project.setdefault(place.project, []).append(place)
    problems.raise_any()
    by_project = dict(sorted(by_project.items()))
    repositories = _repositories(by_project, arguments.repository)
    stored = sources_in(arguments.out) if arguments.out.exists() else {}
    whole = 0
    for project, places in by_project.items():
        if project in stored and not arguments.again:
            print(f"{project} already has an entry.", flush=True)
            whole += 1
            continue
        if project not in repositories:
            hint = f"name its repository with --repository {project}=OWNER/NAME."
            print(f"{project}: {hint}", flush=True)
            continue
        located = _located(repositories[project], places, options)
        if located is None:
            print(f"{project}: no commit contains the code of any task.", flush=True)
            continue
        repository, commit, tag = repositories[project].repository, located.commit, located.tag
        # Keeps the other fields, such as build commands, which may have been edited.
        source = stored.get(project) or Source(repository)
        stored[project] = replace(source, repository=repository, commit=commit, tag=tag)
        write_sources(arguments.out, stored)
        whole += located.lacks == (0, 0)
        place_words = f"{commit} ({tag})" if tag else commit
        held = len(places) - len(located.missing)
        print(f"{project}: {place_words} holds the code of {held} of {len(places)} tasks.")
        for task, reason in {**located.untested, **located.missing}.items():
            print(f"  {task}: {reason}", flush=True)
    print(f"{whole} of {len(by_project)} projects contain the code of all their tasks.")
    return 0 if whole == len(by_project) else 2


def _located(named: Named, places: Sequence[SourceSpan], options: Options) -> Located | None:
    """Prints the reason and returns None if no location of the repository can be read."""

    def show(count: int) -> None:
        if count % _SHOWN_EVERY == 0:
            print(f"  {count} commits checked", file=sys.stderr, flush=True)

    owner, _, name = named.repository.rpartition("/")
    parts = {"repository": named.repository, "owner": owner, "name": name}
    templates = [template.format(**parts) for template in options.repositories]
    for location in [named.location] if named.location else templates:
        try:
            with tempfile.TemporaryDirectory(prefix="assay-sources-") as clone:
                folder = location
                if not Path(location).is_dir():
                    git(["clone", "--quiet", "--bare", "--", location, clone], options)
                    folder = clone
                with contextlib.closing(Git(folder, options)) as history:
                    return locate(history, places, show)
        except (BenchmarkError, GitFailed) as error:
            print(f"{named.project}: {location}: {error}", flush=True)
    return None


def _repositories(projects: Iterable[str], names: Sequence[Named]) -> dict[str, Named]:
    """The last part of a project's name suffices. Raises BenchmarkError for an unknown or ambiguous
    name."""
    repositories = {}
    for name in names:
        meant = [p for p in projects if name.project in (p, p.rpartition("/")[2])]
        if not meant:
            raise BenchmarkError(
                f"--repository names {name.project}, but the tasks have no such project."
            )
        if len(meant) > 1:
            raise BenchmarkError(
                f"--repository names {name.project}, which may be {' or '.join(meant)}: give the "
                "whole name."
            )
        repositories[meant[0]] = name
    return repositories


class Git:
    """A repository's history, newest first, read with `git`; close it after use."""

    def __init__(self, folder: str, options: Options) -> None:
        self._folder, self._options = folder, options
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
        """(tag, commit) pairs."""
        shown = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)"
        words = ["-C", self._folder, "for-each-ref", "--sort=-creatordate", shown, "refs/tags"]
        for line in git(words, self._options).splitlines():
            name, plain, peeled = line.split("\0")
            yield name, peeled or plain

    def commits(self, paths: Sequence[str]) -> Iterable[str]:
        """Commits that changed at least one of the paths."""
        # Side branches too: a state of several files may exist on one branch only.
        words = ["-C", self._folder, "--literal-pathspecs", "log", "--all", "--full-history"]
        yield from git([*words, "--format=%H", "--", *paths], self._options).split()

    def blobs(self, commit: str, paths: Sequence[str]) -> Sequence[str | None]:
        """The blob id of each path; None if the commit has no such file."""
        answers = [self._ask(self._names, f"{commit}:{path}").rpartition(" ") for path in paths]
        return [name if kind == "blob" else None for kind, _, name in answers]

    def text(self, blob: str) -> str:
        size = int(self._ask(self._contents, blob))
        assert self._contents.stdout is not None
        return self._contents.stdout.read(size + 1)[:-1].decode("utf-8", "surrogateescape")

    @staticmethod
    def _ask(reader: subprocess.Popen[bytes], question: str) -> str:
        """Raises BenchmarkError if git has ended."""
        assert reader.stdin is not None and reader.stdout is not None
        try:
            reader.stdin.write(question.encode("utf-8", "surrogateescape") + b"\n")
            reader.stdin.flush()
            line = reader.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise BenchmarkError("git cat-file ended before it answered.")
        return line.decode("utf-8", "surrogateescape").rstrip("\n")


def locate(
    history: Git, places: Sequence[SourceSpan], tried: Callable[[int], None] = lambda _: None
) -> Located | None:
    """The newest commit with the code and tests of all places, tagged if possible; else the one
    that lacks least. Returns None if no commit has the code of any place.

    tried: called with the number of commits examined."""
    nodes = {place: [Node.of(test) for test in place.tests] for place in places}
    code = {place.path for place in places}
    paths = sorted(code.union(node.path for tests in nodes.values() for node in tests))
    text = cache(history.text)

    @cache
    def lacks_code(blob: str, place: SourceSpan) -> str:
        return difference(text(blob), place)

    @cache
    def lacks_test(blob: str, node: Node) -> str:
        # Search the whole file: a class may inherit the test from another.
        if re.search(rf"^\s*(?:async\s+)?def\s+{node.name}\b", text(blob), re.MULTILINE):
            return ""
        return f"There is no {node.name} in {node.path}."

    best: Located | None = None
    tagged = ((commit, tag) for tag, commit in history.tags())
    others = ((commit, "") for commit in history.commits(paths))
    for count, (commit, tag) in enumerate(chain(tagged, others), 1):
        tried(count)
        blobs = dict(zip(paths, history.blobs(commit, paths), strict=True))
        absent = {path: f"There is no {path}." for path, blob in blobs.items() if blob is None}
        missing, untested = dict[str, str](), dict[str, str]()
        for place in places:
            blob = blobs[place.path]
            if reason := absent.get(place.path) or lacks_code(blob, place):
                missing[place.task] = reason
            reasons = (absent.get(n.path) or lacks_test(blobs[n.path], n) for n in nodes[place])
            if reason := next(filter(None, reasons), ""):
                untested[place.task] = reason
        located = Located(commit, tag, missing, untested)
        if len(missing) < len(places) and (best is None or located.lacks < best.lacks):
            best = located
        if located.lacks == (0, 0):
            break
    return best

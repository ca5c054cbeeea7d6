"""Finds the commit of a repository that contains the tasks' code and tests.

Knows no family and runs nothing; the caller supplies the repository's history.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from evaluation.engine.projects.locating import Node, SourceSpan, difference


class History(Protocol):
    """A repository's commits, newest first."""

    def tags(self) -> Iterable[tuple[str, str]]:
        """(tag, commit) pairs."""

    def commits(self, paths: Sequence[str]) -> Iterable[str]:
        """Commits that changed at least one of the paths."""

    def blobs(self, commit: str, paths: Sequence[str]) -> Sequence[str | None]:
        """The blob id of each path; None if the commit has no such file."""

    def text(self, blob: str) -> str:
        """The content of the blob."""


@dataclass(frozen=True, slots=True)
class Located:
    """`missing` and `untested` map tasks whose code or tests the commit lacks to the reason."""

    commit: str
    tag: str
    missing: Mapping[str, str]
    untested: Mapping[str, str]

    @property
    def lacks(self) -> tuple[int, int]:
        return len(self.missing), len(self.untested)


def locate(
    history: History, places: Sequence[SourceSpan], tried: Callable[[int], None] = lambda _: None
) -> Located | None:
    """The newest commit with the code and tests of all places, tagged if possible; else the one
    that lacks least. Returns None if no commit has the code of any place.

    tried: called with the number of commits examined.
    """
    search = _Search(history, places)
    best: Located | None = None
    for count, (commit, tag) in enumerate(search.candidates(), 1):
        tried(count)
        found = search.look(commit, tag)
        if len(found.missing) < len(places) and (best is None or found.lacks < best.lacks):
            best = found
        if found.lacks == (0, 0):
            break
    return best


class _Search:
    def __init__(self, history: History, places: Sequence[SourceSpan]) -> None:
        self._history, self._places = history, places
        code = {place.path for place in places}
        tests = {Node.of(test).path for place in places for test in place.tests}
        self._paths = sorted(code | tests)
        self._texts: dict[str, str] = {}
        self._found: dict[tuple[str, str], str] = {}

    def candidates(self) -> Iterator[tuple[str, str]]:
        for tag, commit in self._history.tags():
            yield commit, tag
        for commit in self._history.commits(self._paths):
            yield commit, ""

    def look(self, commit: str, tag: str) -> Located:
        blobs = dict(zip(self._paths, self._history.blobs(commit, self._paths), strict=True))
        code = {
            place.task: self._looked(
                blobs, place.path, place.task, partial(difference, place=place)
            )
            for place in self._places
        }
        tests = {place.task: self._tests(place, blobs) for place in self._places}
        return Located(commit, tag, _with_reasons(code), _with_reasons(tests))

    def _tests(self, place: SourceSpan, blobs: Mapping[str, str | None]) -> str:
        for test in place.tests:
            node = Node.of(test)
            reason = self._looked(blobs, node.path, test, partial(_untested, node=node))
            if reason:
                return reason
        return ""

    def _looked(
        self, blobs: Mapping[str, str | None], path: str, what: str, look: Callable[[str], str]
    ) -> str:
        blob = blobs[path]
        if blob is None:
            return f"There is no {path}."
        if (blob, what) not in self._found:
            if blob not in self._texts:
                self._texts[blob] = self._history.text(blob)
            self._found[blob, what] = look(self._texts[blob])
        return self._found[blob, what]


def _untested(text: str, node: Node) -> str:
    # Search the whole file: a class may inherit the test from another.
    if re.search(rf"^\s*(?:async\s+)?def\s+{node.name}\b", text, re.MULTILINE):
        return ""
    return f"There is no {node.name} in {node.path}."


def _with_reasons(reasons: Mapping[str, str]) -> dict[str, str]:
    return {task: reason for task, reason in reasons.items() if reason}

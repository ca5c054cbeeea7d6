"""Finds the commit of a repository that contains the tasks' code and tests.

Knows no family and runs nothing; the caller supplies the repository's history.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
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
    tagged = ((commit, tag) for tag, commit in history.tags())
    others = ((commit, "") for commit in history.commits(search.paths))
    for count, (commit, tag) in enumerate(chain(tagged, others), 1):
        tried(count)
        located = search.look(commit, tag)
        if len(located.missing) < len(places) and (best is None or located.lacks < best.lacks):
            best = located
        if located.lacks == (0, 0):
            break
    return best


class _Search:
    def __init__(self, history: History, places: Sequence[SourceSpan]) -> None:
        self._history, self._places = history, places
        code = {place.path for place in places}
        tests = {Node.of(test).path for place in places for test in place.tests}
        self.paths = sorted(code | tests)
        self._texts: dict[str, str] = {}
        self._reasons: dict[tuple[str, str], str] = {}

    def look(self, commit: str, tag: str) -> Located:
        blobs = dict(zip(self.paths, self._history.blobs(commit, self.paths), strict=True))
        missing, untested = dict[str, str](), dict[str, str]()
        for place in self._places:
            compared = partial(difference, place=place)
            if reason := self._reason(blobs, place.path, place.task, compared):
                missing[place.task] = reason
            for test in place.tests:
                node = Node.of(test)
                if reason := self._reason(blobs, node.path, test, partial(_no_test, node=node)):
                    untested[place.task] = reason
                    break
        return Located(commit, tag, missing, untested)

    def _reason(
        self, blobs: Mapping[str, str | None], path: str, what: str, compare: Callable[[str], str]
    ) -> str:
        """Why the file lacks something; "" if it does not."""
        blob = blobs[path]
        if blob is None:
            return f"There is no {path}."
        if (blob, what) not in self._reasons:
            if blob not in self._texts:
                self._texts[blob] = self._history.text(blob)
            self._reasons[blob, what] = compare(self._texts[blob])
        return self._reasons[blob, what]


def _no_test(text: str, node: Node) -> str:
    # Search the whole file: a class may inherit the test from another.
    if re.search(rf"^\s*(?:async\s+)?def\s+{node.name}\b", text, re.MULTILINE):
        return ""
    return f"There is no {node.name} in {node.path}."

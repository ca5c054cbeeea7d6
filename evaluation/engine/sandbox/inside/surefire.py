"""Reads the reports of Maven's Surefire from a tree that a candidate could write to."""

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple
from xml.parsers import expat

FOLDER = "surefire-reports"
MESSAGE = 200
MOST_ENTRIES = 1_000_000
MOST_REPORTS = 20_000
# Limits of one report, and of all.
REPORT_BYTES, ALL_BYTES = 32 * 2**20, 256 * 2**20
# More than any report needs.
_DEPTH = 16
_KEPT = 4 * MESSAGE
# Children of a test and the outcome that they mean. A test that was retried failed, and so did one
# that wrote to the error stream. The first in this order decides.
_CHILDREN = {
    "error": "error",
    "failure": "failed",
    "flakyError": "failed",
    "flakyFailure": "failed",
    "rerunError": "failed",
    "rerunFailure": "failed",
    "system-err": "failed",
    "skipped": "skipped",
}
_WORST = ("error", "failed", "skipped", "passed")


class Results(NamedTuple):
    """`tests`: {"package.Class::method": [outcome, message]}; `reports` is how many were read;
    `sound` is False if some could not be read."""

    tests: "dict[str, list[str]]"
    reports: int
    sound: bool


class _Report:
    """Reads one report. Of tests with the same id the worst outcome counts. Raises ValueError for
    content that Surefire does not write."""

    def __init__(self, tests: "dict[str, list[str]]") -> None:
        self._tests = tests
        self._path: list[str] = []
        self._name = ""
        self._found: dict[str, str] = {}
        self._text: list[str] | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        # A document type can declare entities.
        raise ValueError("a document type")

    def _start(self, name: str, attributes: "dict[str, str]") -> None:
        self._path.append(name)
        if len(self._path) > _DEPTH or self._path[0] != "testsuite":
            raise ValueError("not a report")
        if name == "testcase":
            if self._path != ["testsuite", "testcase"]:
                raise ValueError("a test in another place")
            self._name = f"{attributes.get('classname', '')}::{attributes.get('name', '')}"
            self._found = {}
        elif self._path[-2:-1] == ["testcase"] and name in _CHILDREN:
            said = attributes.get("message", "")
            self._found.setdefault(name, said)
            self._text = None if said else []

    def _characters(self, data: str) -> None:
        if self._text is not None and sum(map(len, self._text)) < _KEPT:
            self._text.append(data[:_KEPT])

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._path[-1:] == ["testcase"] and name in self._found:
            self._found[name] = self._found[name] or "".join(self._text or [])
            self._text = None
        elif name == "testcase":
            child = next((name for name in _CHILDREN if name in self._found), None)
            outcome = "passed" if child is None else _CHILDREN[child]
            said = "" if child is None else self._found[child].strip()
            previous_result = self._tests.get(self._name)
            if previous_result is None or _WORST.index(outcome) < _WORST.index(previous_result[0]):
                self._tests[self._name] = [outcome, said.partition("\n")[0].strip()[:MESSAGE]]


def _reports(root: str) -> "Iterator[str]":
    """TEST-*.xml in every folder of reports below the root; links are not followed. Raises
    ValueError, OSError."""
    folders, count = [root], 0
    while folders:
        folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                count += 1
                if count > MOST_ENTRIES:
                    raise ValueError("too many files")
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif folder.endswith(f"/{FOLDER}") and fnmatchcase(entry.name, "TEST-*.xml"):
                    yield entry.path


def read(root: str) -> Results:
    """All results below the root."""
    tests: dict[str, list[str]] = {}
    count, left, sound = 0, ALL_BYTES, True
    try:
        for path in _reports(root):
            count += 1
            if count > MOST_REPORTS:
                raise ValueError("too many reports")
            most = min(left, REPORT_BYTES)
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(fd, "rb") as file:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise ValueError("no file")
                data = file.read(most + 1)
            if len(data) > most:
                raise ValueError("too large")
            left -= len(data)
            _Report(tests).parser.Parse(data, True)
    except (OSError, expat.ExpatError, LookupError, ValueError):  # encodings too
        sound = False
    return Results(tests, count, sound)

"""Decides which copies of withheld files leave an image.

Pure: inside.searching does the search, the caller moves the files."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.engine.records import Json
from evaluation.engine.sandbox.inside import searching

# Shorter files hold no answer and equal many unrelated files.
LEAST_BYTES = 64
# Newlines by which the ends of two copies may differ.
_MARGIN = 8
_PACKAGE = re.compile(r"\s*package\s+([\w.]+)\s*;")
_TYPE = re.compile(r"(?<![\w.])(?:class|interface|enum|record)\s+(\w+)|([{}])")
_NOT_CODE = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?\*/', re.S
)
# Tests by the command that ran them and their id.
Passed: TypeAlias = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Copy:
    """A file that is a copy, or an archive with `members` that are. A group moves together."""

    group: str
    path: str
    members: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{self.path}!{member}" for member in self.members) or self.path


def wanted(withheld: Mapping[str, bytes]) -> dict[str, Json]:
    """The job of inside.searching."""
    sources: list[Json] = []
    classes: list[Json] = []
    for path, data in withheld.items():
        if len(data) < LEAST_BYTES:
            continue
        if path.endswith(".java"):
            classes += java_classes(data.decode("utf-8", "replace"))
        text = searching.normal(data)
        crlf = len(text) + text.count(b"\n")
        sources.append(
            {
                "path": path,
                "digest": hashlib.sha256(text).hexdigest(),
                "least": len(text),
                "most": crlf + _MARGIN,
                "sizes": [len(data)],
            }
        )
    return {"sources": sources, "classes": classes}


def java_classes(source: str) -> list[str]:
    """Class file paths, without ".class", of a Java source's top-level types."""
    code = _NOT_CODE.sub('""', source)
    package = _PACKAGE.search(code)
    folder = package[1].replace(".", "/") + "/" if package else ""
    names, depth = [], 0
    for match in _TYPE.finditer(code):
        if match[2]:
            depth += 1 if match[2] == "{" else -1
        elif depth == 0:
            names.append(folder + match[1])
    return names


def copies(answer: Iterable[Sequence[object]]) -> list[Copy]:
    """Parses the answer of inside.searching. Raises ValueError if it is malformed."""
    made = []
    for group, path, members in answer:
        if not isinstance(members, list):
            raise ValueError("the members of a copy are a list")
        made.append(Copy(str(group), str(path), tuple(map(str, members))))
    return made


def withhold(
    candidates: Collection[Copy],
    before: Passed,
    passed: Callable[[], Passed],
    take: Callable[[Sequence[Copy]], None],
    give_back: Callable[[Sequence[Copy]], None],
) -> list[Copy]:
    """Takes away copies that no test of `before` needs, and returns the others. Tries all copies at
    once, then group by group. If it returns none, the last call of passed() saw the final state."""
    if not candidates:
        return []
    groups: dict[str, list[Copy]] = {}
    for copy in candidates:
        groups.setdefault(copy.group, []).append(copy)
    take(list(candidates))
    if not lost(before, passed):
        return []
    give_back(list(candidates))
    remains: list[Copy] = []
    for group in groups.values():
        if len(groups) > 1:
            take(group)
            if not lost(before, passed):
                continue
            give_back(group)
        remains += group
    return remains


def lost(before: Passed, passed: Callable[[], Passed]) -> Passed:
    """The tests of `before` that pass no more. Flaky ones get a second run, unless all fail."""
    now = passed()
    missing = before - now
    return missing - passed() if missing and now else missing

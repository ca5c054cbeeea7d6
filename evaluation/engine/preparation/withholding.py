"""What is looked for when answers are to be nowhere in an image, and what is done about it.

A pure part: the looking itself is inside.searching's, the taking away the caller's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.engine.records import Json
from evaluation.engine.sandbox.inside import searching

# Shorter files hold no answer, and are like many others.
LEAST_BYTES = 64
# Files may end in so many newlines more or less and still be copies.
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
    """A file that is a copy, or an archive that has copies among its members."""

    group: str
    path: str
    members: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{self.path}!{member}" for member in self.members) or self.path


def wanted(withheld: Mapping[str, bytes]) -> dict[str, Json]:
    """What inside.searching is to look for, for the withheld files by path."""
    told = {path: data for path, data in withheld.items() if len(data) >= LEAST_BYTES}
    classes: list[Json] = []
    for path, data in told.items():
        if path.endswith(".java"):
            classes += java_classes(data.decode("utf-8", "replace"))
    return {"sources": [_source(path, data) for path, data in told.items()], "classes": classes}


def _source(path: str, data: bytes) -> Json:
    text = searching.normal(data)
    crlf = len(text) + text.count(b"\n")
    return {
        "path": path,
        "digest": hashlib.sha256(text).hexdigest(),
        "least": len(text),
        "most": crlf + _MARGIN,
        "sizes": [len(data)],
    }


def java_classes(source: str) -> list[str]:
    """The files of the types that a Java source declares at its top, without ".class"."""
    code = _NOT_CODE.sub('""', source)
    package = _PACKAGE.search(code)
    folder = package[1].replace(".", "/") + "/" if package else ""
    names, depth = [], 0
    for found in _TYPE.finditer(code):
        if found[2]:
            depth += 1 if found[2] == "{" else -1
        elif depth == 0:
            names.append(folder + found[1])
    return names


def copies(found: Iterable[Sequence[object]]) -> list[Copy]:
    """What inside.searching found. Raises ValueError for what it never says."""
    made = []
    for group, path, members in found:
        if not isinstance(members, list):
            raise ValueError("the members of a copy are a list")
        made.append(Copy(str(group), str(path), tuple(map(str, members))))
    return made


def withhold(
    found: Collection[Copy],
    before: Passed,
    passed: Callable[[], Passed],
    take: Callable[[Sequence[Copy]], None],
    give_back: Callable[[Sequence[Copy]], None],
) -> list[Copy]:
    """Takes copies away as far as every test still passes that did `before`, with all of them;
    those that had to stay. All go at once if they can, else group by group. Where none had to
    stay, what passed() saw last is how things are."""
    if not found:
        return []
    groups: dict[str, list[Copy]] = {}
    for copy in found:
        groups.setdefault(copy.group, []).append(copy)
    take(list(found))
    if _still(before, passed):
        return []
    give_back(list(found))
    remains: list[Copy] = []
    for group in groups.values():
        if len(groups) > 1:
            take(group)
            if _still(before, passed):
                continue
            give_back(group)
        remains += group
    return remains


def _still(before: Passed, passed: Callable[[], Passed]) -> bool:
    """A test that passes now and then gets a second chance; that all fail is no accident."""
    now = passed()
    lost = before - now
    return not lost or (bool(now) and not lost - passed())

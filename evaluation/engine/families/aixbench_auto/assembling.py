"""Assembles the Java class that is compiled for a generation.

EvaluationN loads the class `<package>.<prefix>N` (the authors' AbstractBaseEvaluation).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    declarations,
    method_of,
)
from evaluation.engine.families.aixbench_auto.extraction import code_in
from evaluation.engine.java_tokens import Token, tokens
from evaluation.engine.records import Task

# A separate package: a generation's further declarations must not replace a class that an
# evaluation refers to.
PACKAGE = "com.aixcode.autoTest.generate.submitted"
PREFIX = "Generated"
BASE = "GenerateMethodBase"
BASE_CLASS = f"com.aixcode.autoTest.{BASE}"

STATIC_DROPPED, FINAL_DROPPED = "static_dropped", "final_dropped"
SYNCHRONIZED_DROPPED, PUBLIC_SET = "synchronized_dropped", "public_set"
SUPERCLASS_ADDED, SUBCLASS_ADDED = "superclass_added", "subclass_added"
REPAIRS = frozenset(
    {
        *(STATIC_DROPPED, FINAL_DROPPED, SYNCHRONIZED_DROPPED, PUBLIC_SET),
        *(SUPERCLASS_ADDED, SUBCLASS_ADDED),
    }
)

_DROPPED = {
    "static": STATIC_DROPPED,
    "final": FINAL_DROPPED,
    "synchronized": SYNCHRONIZED_DROPPED,
}
_OF_A_FILE = (Kind.PACKAGE, Kind.IMPORT, Kind.EMPTY, Kind.CLASS, Kind.TYPE)
# The line ends of javac.
_LINE_END = re.compile(r"\r\n|\r|\n")
_IN_A_LINE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Lines:
    """Maps lines of a unit to lines of a text, both from 1: `header` gives the text's line (or
    None) for each first line; the lines `first` to `last` follow in order."""

    header: tuple[int | None, ...]
    first: int
    last: int

    def own(self, line: int) -> int | None:
        if line <= len(self.header):
            return self.header[line - 1] if line > 0 else None
        # javac reports missing tokens after the end.
        return min(self.first + line - len(self.header) - 1, self.last)


@dataclass(frozen=True, slots=True)
class Assembled:
    """The compiled units by path below a source root, the generation's own first; EvaluationN gets
    `package` and `prefix`."""

    package: str
    prefix: str
    units: Mapping[str, str]
    flags: tuple[str, ...]
    lines: Lines

    def own_line(self, path: str, line: int) -> int | None:
        """The generation's line for a unit's line, both from 1, or None."""
        return self.lines.own(line) if path == next(iter(self.units)) else None


class _Edit(NamedTuple):
    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Given:
    id: str
    asked: Declaration
    code: str
    found: list[Token]
    top: list[Declaration]

    def members(self, of: Declaration) -> list[Declaration]:
        return list(declarations(self.found, of.body or 0))


@dataclass(frozen=True, slots=True)
class _Plan:
    edits: list[_Edit]
    flags: list[str]
    prefix: str
    file: str
    opening: tuple[str, ...] = ()
    closing: str = ""
    further: Mapping[str, str] = field(default_factory=dict)


def assemble(task: Task, text: str) -> Assembled | None:
    """Returns None if the text holds no code. Accepts any text: the compiler reports errors."""
    start, end = code_in(text)
    code = text[start:end].encode("utf-8", "replace").decode()
    found = tokens(code)
    if not found:
        return None
    top = list(declarations(found))
    given = _Given(str(task.id), method_of(task.public["signature"]), code, found, top)
    plan = _whole_class(given) or _members(given)
    return _joined(given, plan, task.hidden["imports"], len(line_starts(text[:start])))


def _joined(given: _Given, plan: _Plan, imports: Iterable[str], first: int) -> Assembled:
    starts, leading = line_starts(given.code), _leading(given.top)
    header: list[tuple[str, int | None]] = [(f"package {PACKAGE};", None)]
    header += [(line, None) for line in (f"import {BASE_CLASS};", *imports)]
    for one in leading:
        if one.kind is Kind.IMPORT:
            header.append((f"import {one.names};", first + bisect_right(starts, one.start) - 1))
    header += [(line, None) for line in plan.opening]
    blanks = [
        _Edit(one.start, one.end, _IN_A_LINE.sub(" ", given.code[one.start : one.end]))
        for one in leading
    ]
    before = "".join(f"{line}\n" for line, _own in header)
    source = before + _edited(given.code, [*plan.edits, *blanks]) + plan.closing
    lines = Lines(tuple(own for _line, own in header), first, first + len(starts) - 1)
    units = {_path(plan.file): source, **plan.further}
    return Assembled(PACKAGE, plan.prefix, units, tuple(plan.flags), lines)


def _leading(top: list[Declaration]) -> list[Declaration]:
    found = []
    for one in top:
        if one.kind not in (Kind.PACKAGE, Kind.IMPORT, Kind.EMPTY):
            break
        found.append(one)
    return found


def _members(given: _Given) -> _Plan:
    edits, flags = _opened(given.asked, given.top)
    prefix = _unused_prefix(given.code)
    name = prefix + given.id
    opening = (f"public class {name} extends {BASE} {{",)
    return _Plan(edits, flags, prefix, name, opening, "\n}\n")


def _whole_class(given: _Given) -> _Plan | None:
    """Returns None if the code has other members or no class."""
    if any(one.kind not in _OF_A_FILE for one in given.top):
        return None
    chosen = _chosen_class(given)
    if chosen is None:
        return None
    edits, flags = _opened(given.asked, given.members(chosen))
    if (at := _without_superclass(chosen)) is not None:
        edits.append(_Edit(at, at, f" extends {BASE}"))
        flags.append(SUPERCLASS_ADDED)
    file = next((one.name for one in given.top if one.has("public")), chosen.name)
    if chosen.has("public") and chosen.name.endswith(given.id):
        return _Plan(edits, flags, chosen.name.removesuffix(given.id), file)
    prefix = _unused_prefix(given.code)
    unit = f"package {PACKAGE};\npublic class {prefix}{given.id} extends {chosen.name} {{}}\n"
    further = {_path(prefix + given.id): unit}
    return _Plan(edits, [*flags, SUBCLASS_ADDED], prefix, file, further=further)


def _chosen_class(given: _Given) -> Declaration | None:
    def order(one: Declaration) -> tuple[bool, bool]:
        return not _asked_for(given.asked, given.members(one)), not one.has("public")

    return min((one for one in given.top if one.kind is Kind.CLASS), key=order, default=None)


def _asked_for(asked: Declaration, members: Iterable[Declaration]) -> list[Declaration]:
    methods = (one for one in members if one.kind is Kind.METHOD and one.name == asked.name)
    return [one for one in methods if one.parameters == asked.parameters]


def _opened(asked: Declaration, members: Iterable[Declaration]) -> tuple[list[_Edit], list[str]]:
    """Edits that let the task's method override the base's; keeps columns where possible."""
    edits: list[_Edit] = []
    flags: dict[str, None] = {}
    for one in _asked_for(asked, members):
        dropped = [token for token in one.modifiers if token.text in _DROPPED]
        hiding = [token for token in one.modifiers if token.text in ("private", "protected")]
        flags |= dict.fromkeys(_DROPPED[token.text] for token in dropped)
        room = [_Edit(token.start, token.end) for token in (*hiding, *dropped)]
        if not one.has("public"):
            flags[PUBLIC_SET] = None
            place, *room = room or [_Edit(one.words[0].start, one.words[0].start)]
            edits.append(_written(place, "public" if place.start < place.end else "public "))
        edits += [_written(place, "") for place in room]
    return edits, [*flags]


def _written(place: _Edit, text: str) -> _Edit:
    return place._replace(text=text.ljust(place.end - place.start))


def _without_superclass(chosen: Declaration) -> int | None:
    """The position for an extends clause, or None if the class has one."""
    depth, after = 0, 2
    for at, token in enumerate(chosen.words[2:], start=2):
        depth += (token.text == "<") - (token.text == ">")
        if depth == 0 and token.text != ">":
            break
        after = at + 1
    heads = [token.text for token in chosen.words[after : after + 1]]
    return None if heads == ["extends"] else chosen.words[after - 1].end


def _unused_prefix(code: str) -> str:
    """A name that the code does not hold: it cannot hold its own hash."""
    if PREFIX not in code:
        return PREFIX
    return f"{PREFIX}{hashlib.sha256(code.encode()).hexdigest()[:16]}_"


def _path(name: str) -> str:
    return f"{PACKAGE.replace('.', '/')}/{name}.java"


def line_starts(text: str) -> list[int]:
    """Offset of each line, including the empty line after a final line end."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


def _edited(text: str, edits: list[_Edit]) -> str:
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])

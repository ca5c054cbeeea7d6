"""Assembles the Java class that is compiled for a generation.

EvaluationN loads the class `<package>.<prefix>N` (the authors' AbstractBaseEvaluation).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    declarations,
    method_of,
)
from evaluation.engine.families.aixbench_auto.extraction import code_in
from evaluation.engine.java_tokens import tokens
from evaluation.engine.records import Task

# A separate package: a generation's further declarations must not replace a class that an
# evaluation refers to.
PACKAGE = "com.aixcode.autoTest.generate.submitted"
PREFIX = "Generated"
BASE = "GenerateMethodBase"
BASE_CLASS = f"com.aixcode.autoTest.{BASE}"

PUBLIC_SET, SUPERCLASS_ADDED = "public_set", "superclass_added"
SUBCLASS_ADDED = "subclass_added"
_DROPPED = {word: f"{word}_dropped" for word in ("static", "final", "synchronized")}
REPAIRS = frozenset({*_DROPPED.values(), PUBLIC_SET, SUPERCLASS_ADDED, SUBCLASS_ADDED})

_BEFORE_TYPES = (Kind.PACKAGE, Kind.IMPORT, Kind.EMPTY)
_OF_A_FILE = (*_BEFORE_TYPES, Kind.CLASS, Kind.TYPE)
# The line ends of javac.
_LINE_END = re.compile(r"\r\n|\r|\n")
_IN_A_LINE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Assembled:
    """The compiled units by path below a source root, the generation's own first; EvaluationN gets
    PACKAGE and `prefix`. `lines`: the line of the answer for each line of the own unit, from 1."""

    prefix: str
    units: Mapping[str, str]
    flags: tuple[str, ...]
    lines: tuple[int | None, ...]

    def own_line(self, path: str, line: int) -> int | None:
        """The generation's line for a unit's line, both from 1, or None."""
        if path != next(iter(self.units)) or line < 1:
            return None
        # javac reports missing tokens after the end.
        return self.lines[min(line, len(self.lines)) - 1]


class _Edit(NamedTuple):
    start: int
    end: int
    text: str = ""


def assemble(task: Task, text: str) -> Assembled | None:
    """Returns None if the text holds no code. Accepts any text: the compiler reports errors."""
    start, end = code_in(text)
    code = text[start:end].encode("utf-8", "replace").decode()
    code_tokens = tokens(code)
    if not code_tokens:
        return None
    top = list(declarations(code_tokens))
    method = method_of(task.public["signature"])

    def members(of: Declaration) -> list[Declaration]:
        return list(declarations(code_tokens, of.body or 0))

    chosen = _chosen_class(method, top, members)
    edits, flags = _opened(method, top if chosen is None else members(chosen))
    # The code cannot hold its own hash.
    own_hash = hashlib.sha256(code.encode()).hexdigest()[:16]
    prefix = PREFIX if PREFIX not in code else f"{PREFIX}{own_hash}_"
    file = name = f"{prefix}{task.id}"
    opening, closing, further = [f"public class {name} extends {BASE} {{"], "\n}\n", {}
    if chosen is not None:
        opening, closing = [], ""
        if (at := _without_superclass(chosen)) is not None:
            edits.append(_Edit(at, at, f" extends {BASE}"))
            flags.append(SUPERCLASS_ADDED)
        file = next(
            (declaration.name for declaration in top if declaration.has("public")), chosen.name
        )
        if chosen.has("public") and chosen.name.endswith(str(task.id)):
            prefix = chosen.name.removesuffix(str(task.id))
        else:
            subclass = f"package {PACKAGE};\npublic class {name} extends {chosen.name} {{}}\n"
            further = {_path(name): subclass}
            flags.append(SUBCLASS_ADDED)
    first, starts = len(line_starts(text[:start])), line_starts(code)
    header = [f"package {PACKAGE};", f"import {BASE_CLASS};", *task.hidden["imports"]]
    own_lines: list[int | None] = [None] * len(header)
    for declaration in takewhile(lambda declaration: declaration.kind in _BEFORE_TYPES, top):
        if declaration.kind is Kind.IMPORT:
            header.append(f"import {declaration.names};")
            own_lines.append(first + bisect_right(starts, declaration.start) - 1)
        blanks = _IN_A_LINE.sub(" ", code[declaration.start : declaration.end])
        edits.append(_Edit(declaration.start, declaration.end, blanks))
    own_lines += [*(None for _ in opening), *range(first, first + len(starts))]
    parts, done = [f"{line}\n" for line in (*header, *opening)], 0
    for edit in sorted(edits):
        parts += [code[done : edit.start], edit.text]
        done = edit.end
    source = "".join([*parts, code[done:], closing])
    return Assembled(prefix, {_path(file): source, **further}, tuple(flags), tuple(own_lines))


def _chosen_class(
    method: Declaration, top: list[Declaration], members: Callable[[Declaration], list[Declaration]]
) -> Declaration | None:
    """The class with the task's method, else a public one, else the first. Returns None if the code
    has other members or no class."""
    if any(declaration.kind not in _OF_A_FILE for declaration in top):
        return None

    def order(of: Declaration) -> tuple[bool, bool]:
        return not _overriding(method, members(of)), not of.has("public")

    classes = (declaration for declaration in top if declaration.kind is Kind.CLASS)
    return min(classes, key=order, default=None)


def _overriding(method: Declaration, members: Iterable[Declaration]) -> list[Declaration]:
    methods = (one for one in members if one.kind is Kind.METHOD and one.name == method.name)
    return [one for one in methods if one.parameters == method.parameters]


def _opened(method: Declaration, members: Iterable[Declaration]) -> tuple[list[_Edit], list[str]]:
    """Edits that let the task's method override the base's; keeps columns where possible."""
    edits: list[_Edit] = []
    flags: dict[str, None] = {}
    for member in _overriding(method, members):
        dropped = [token for token in member.modifiers if token.text in _DROPPED]
        hiding = [token for token in member.modifiers if token.text in ("private", "protected")]
        flags |= dict.fromkeys(_DROPPED[token.text] for token in dropped)
        room = [_Edit(token.start, token.end) for token in (*hiding, *dropped)]
        if not member.has("public"):
            flags[PUBLIC_SET] = None
            place, *room = room or [_Edit(member.words[0].start, member.words[0].start)]
            width = place.end - place.start
            edits.append(place._replace(text="public".ljust(width) if width else "public "))
        edits += [place._replace(text=" " * (place.end - place.start)) for place in room]
    return edits, [*flags]


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


def _path(name: str) -> str:
    return f"{PACKAGE.replace('.', '/')}/{name}.java"


def line_starts(text: str) -> list[int]:
    """Offset of each line, including the empty line after a final line end."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]

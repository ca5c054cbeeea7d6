"""Assembles the Java class that is compiled for a generation.

EvaluationN loads the class `<package>.<prefix>N` (the authors' AbstractBaseEvaluation).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    after_bracket,
    declarations,
    method_of,
)
from evaluation.engine.families.aixbench_auto.extraction import MOST_NESTED, extract
from evaluation.engine.java_tokens import Token, tokens
from evaluation.engine.records import Task

# A separate package: a generation's further declarations must not replace a class that an
# evaluation refers to.
PACKAGE = "com.aixcode.autoTest.generate.submitted"
PREFIX = "Generated"
BASE = "GenerateMethodBase"
BASE_CLASS = f"com.aixcode.autoTest.{BASE}"

CLASS_ADDED, DELEGATE_ADDED, IMPORTS_ADDED = "class_added", "delegate_added", "imports_added"
REPAIRS = frozenset({CLASS_ADDED, DELEGATE_ADDED, IMPORTS_ADDED})

_BEFORE_TYPES = (Kind.PACKAGE, Kind.IMPORT, Kind.EMPTY)
_OF_A_FILE = (*_BEFORE_TYPES, Kind.CLASS, Kind.TYPE)
_PRIMITIVE = {"int", "long", "double", "float", "short", "byte", "char", "boolean"}
_OVERRIDE = re.compile(r"@\s*Override\b")
# More methods of the task's name are not looked at.
_MOST_TARGETS = 100
# The line ends of javac.
_LINE_END = re.compile(r"\r\n|\r|\n")
_IN_A_LINE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Assembled:
    """The compiled units by path below a source root, the generation's own first; EvaluationN gets
    PACKAGE and `prefix`. `imports`: what the compiler imports for the names that are left
    unresolved. `lines`: the line of the answer for each line of the own unit, from 1."""

    prefix: str
    units: Mapping[str, str]
    imports: Mapping[str, list[str]]
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
    signature = str(task.public["signature"])
    part, method = extract(text, signature), method_of(signature)
    code = text[part.start : part.end].encode("utf-8", "replace").decode()
    code_tokens = tokens(code)
    if not code_tokens:
        return None
    top = list(declarations(code_tokens))
    # The code cannot hold its own hash.
    own_hash = hashlib.sha256(code.encode()).hexdigest()[:16]
    prefix = PREFIX if PREFIX not in code else f"{PREFIX}{own_hash}_"
    edits, opening, closing, flags = [], [], "", [DELEGATE_ADDED]
    types = [declared for declared in top if declared.is_type]
    if not types or any(declared.kind not in _OF_A_FILE for declared in top):
        holder = Declaration(Kind.CLASS, 0, len(code), [], [], f"{prefix}Answer", 0)
        overriding = [one for one in top if one.is_like(method)]
        overrides = any(_OVERRIDE.search(code, one.start, one.end) for one in overriding)
        opening = [f"class {holder.name} {f'extends {BASE} ' * overrides}{{"]
        closing, flags, types = "\n}\n", [CLASS_ADDED, DELEGATE_ADDED], [holder]
        if any(one.has("static") for one in overriding):
            # The static method can use the classes beside it.
            edits = [
                _Edit(one.words[0].start, one.words[0].start, "static ")
                for one in top
                if one.kind is Kind.CLASS and not one.has("static")
            ]
    target = _target(method, code_tokens, types)
    if (door := _door(target, f"{prefix}_", code)) is not None:
        at = len(code) if closing else target.outermost.declared.end - 1
        edits.append(_Edit(at, at, f"\n{door} " if closing else door))
    first, starts = len(line_starts(text[: part.start])), line_starts(code)
    header, own_lines, imported = [f"package {PACKAGE};"], list[int | None]([None]), []
    for declaration in takewhile(lambda declaration: declaration.kind in _BEFORE_TYPES, top):
        if declaration.kind is Kind.EMPTY:
            continue
        if declaration.kind is Kind.IMPORT:
            imported.append(declaration.names)
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
    name = f"{prefix}{task.id}"
    delegate = _delegate(name, method, signature, target, f"{prefix}_" if door else "")
    further = [line.removeprefix("import ").rstrip(";") for line in task.hidden["imports"]]
    imports = {
        "imported": imported,
        "declared": [declared.name for declared in types],
        # A class by its name precedes one on demand, as in Java.
        "importable": [
            *sorted(part.imports, key=_is_on_demand),
            *(BASE_CLASS, *sorted(further, key=_is_on_demand)),
        ],
    }
    units = {_path(f"{prefix}Answer"): source, _path(name): delegate}
    return Assembled(prefix, units, imports, tuple(flags), tuple(own_lines))


def _is_on_demand(name: str) -> bool:
    return name.endswith("*")


@dataclass(frozen=True, slots=True)
class _Owner:
    """A class of the answer, and the class that it is in."""

    declared: Declaration
    members: list[Declaration]
    outer: _Owner | None

    @property
    def path(self) -> str:
        return f"{self.outer.path}.{self.declared.name}" if self.outer else self.declared.name

    @property
    def outermost(self) -> _Owner:
        return self.outer.outermost if self.outer else self

    @property
    def word(self) -> str:
        """The first word of the declaration: class, interface, enum or record."""
        return self.declared.words[0].text if self.declared.words else "class"

    @property
    def constructors(self) -> list[Declaration]:
        return [
            member
            for member in self.members
            if member.kind is Kind.METHOD and member.name == self.declared.name
        ]

    @property
    def is_made(self) -> bool:
        """Whether an object is made without arguments."""
        without = any(constructor.parameters == 0 for constructor in self.constructors)
        match self.word:
            case "interface":
                methods = (member for member in self.members if member.kind is Kind.METHOD)
                return all(member.body is not None for member in methods)
            case "record":
                return without or self.declared.parameters == 0
            case "class":
                return not self.declared.has("abstract") and (without or not self.constructors)
        return self.word == "enum"

    @property
    def expression(self) -> str:
        """An expression that makes an object."""
        if self.word == "enum":
            return f"{self.path}.values()[0]"
        if self.word == "interface":
            return f"new {self.path}() {{}}"
        is_inner = self.word == "class" and not self.declared.has("static")
        if self.outer is not None and self.outer.word != "interface" and is_inner:
            return f"{self.outer.expression}.new {self.declared.name}()"
        return f"new {self.path}()"

    @property
    def is_private(self) -> bool:
        """Whether its name or a constructor is private."""
        parts = (self.declared, *self.constructors)
        outer = self.outer is not None and self.outer.is_private
        return outer or any(part.has("private") for part in parts)


class _Target(NamedTuple):
    """The task's method, which is None if it is missing. `owner` is the class that the call names:
    that of the object, or that of a static method."""

    owner: _Owner
    method: Declaration | None

    @property
    def is_static(self) -> bool:
        return self.method is None or self.method.has("static")

    @property
    def outermost(self) -> _Owner:
        return self.owner.outermost


def _target(method: Declaration, code_tokens: list[Token], types: list[Declaration]) -> _Target:
    """The first method that can be called, in a public class, else in one that is in no other, else
    anywhere. javac chooses among overloads."""

    def owners(declared: Declaration, outer: _Owner | None, depth: int) -> Iterator[_Owner]:
        owner = _Owner(declared, list(declarations(code_tokens, declared.body or 0)), outer)
        yield owner
        for member in owner.members if depth > 0 else ():
            if member.is_type:
                yield from owners(member, owner, depth - 1)

    everyone = [owner for declared in types for owner in owners(declared, None, MOST_NESTED)]
    # By the names of classes that they extend or implement.
    heirs: dict[str, list[_Owner]] = defaultdict(list)
    for owner in everyone:
        for token in owner.declared.words[2:]:
            heirs[token.text].append(owner)

    def targets() -> Iterator[_Target]:
        for owner in everyone:
            for member in owner.members:
                if member.is_like(method):
                    made = (one for one in (owner, *heirs[owner.declared.name]) if one.is_made)
                    yield _Target(owner if member.has("static") else next(made, owner), member)

    def order(target: _Target) -> tuple[bool, bool, bool]:
        callable_ = target.is_static or target.owner.is_made
        inside = target.owner.outer is not None
        return not callable_, inside or not target.owner.declared.has("public"), inside

    return min(islice(targets(), _MOST_TARGETS), key=order, default=_Target(everyone[0], None))


def _door(target: _Target, name: str, code: str) -> str | None:
    """A member of the outermost class that calls a private method, or makes an object of a class
    with a private name or constructor. None if nothing is private, or if the class has no end."""
    owner, method = target
    outermost = target.outermost.declared
    if method is None or not (
        method.has("private") or (owner.is_private and not (target.is_static and not owner.outer))
    ):
        return None
    if outermost.words and not code[: outermost.end].endswith("}"):
        return None
    head = code[method.words[0].start : _closing(method).end]
    field = "" if target.is_static else f"final {owner.path} answer = {owner.expression}; "
    return (
        f"static class {name} {{ {field}{name}() throws Throwable {{}} {head} throws Throwable "
        f"{{ {_call(method, owner.path if target.is_static else 'answer', cast=False)} }} }}"
    )


def _delegate(name: str, method: Declaration, signature: str, target: _Target, door: str) -> str:
    """The unit of the class that EvaluationN loads. Exceptions that the base does not declare pass
    too."""
    type_, expression = target.owner.path, target.owner.expression
    if door:
        type_ = f"{target.outermost.path}.{door}"
        expression = f"new {type_}()"
    failing = f"catch (Throwable thrown_) {{ throw {name}.<RuntimeException>passing_(thrown_); }}"
    made, called = "", type_
    if door or not target.is_static:
        called = "this.answer_"
        made = (
            f"private {type_} answer_;\n"
            f"public {name}() {{ try {{ answer_ = {expression}; }} {failing} }}\n"
        )
    head = signature[method.words[0].start : _closing(method).end]
    return (
        f"package {PACKAGE};\npublic class {name} extends {BASE_CLASS} {{\n{made}"
        f"@Override public {head} {{ try {{ {_call(method, called, cast=True)} }} {failing} }}\n"
        "private static <T_ extends Throwable> RuntimeException passing_(Throwable thrown) "
        "throws T_ { throw (T_) thrown; }\n}\n"
    )


def _closing(method: Declaration) -> Token:
    return method.words[after_bracket(method.words, method.opening) - 1]


def _call(method: Declaration, called: str, *, cast: bool) -> str:
    """The statement that calls the method. With `cast` generic arguments and the result are cast to
    their types without type arguments, so that only these types have to fit."""
    arguments = []
    for words in method.parameter_words:
        at = max(at for at, token in enumerate(words) if token.kind == "word")
        type_, is_generic = _erased(words[:at])
        arguments.append(f"({type_}) {words[at].text}" if cast and is_generic else words[at].text)
    call = f"{called}.{method.name}({', '.join(arguments)});"
    result, _is_generic = _erased(method.words[: method.opening - 1])
    if result == "void":
        return call
    return f"return ({result}) {call}" if cast and result not in _PRIMITIVE else f"return {call}"


def _erased(words: list[Token]) -> tuple[str, bool]:
    """A type without annotations and type arguments, and whether it has any of the latter."""
    parts: list[str] = []
    depth = 0
    for token in words:
        depth += token.text == "<"
        if depth == 0 and token.text != "final":
            parts.append(token.text)
        depth -= token.text == ">"
    is_generic = len(parts) < len(words) and any(token.text == ">" for token in words)
    return "".join(parts).replace("...", "[]"), is_generic


def _path(name: str) -> str:
    return f"{PACKAGE.replace('.', '/')}/{name}.java"


def line_starts(text: str) -> list[int]:
    """Offset of each line, including the empty line after a final line end."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]

"""Assembles the Java class that is compiled for a generation.

EvaluationN loads the class `<package>.<prefix>N` (the authors' AbstractBaseEvaluation).
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice, takewhile
from operator import attrgetter, itemgetter
from typing import NamedTuple

from evaluation.engine.compiler_messages import line_starts
from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    Owner,
    declarations,
    method_of,
    owners_in,
)
from evaluation.engine.families.aixbench_auto.extraction import blanked, extract
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
_TYPES = (Kind.CLASS, Kind.TYPE)
_OF_A_FILE = (*_BEFORE_TYPES, *_TYPES)
# Modifiers that no class of a file can have.
_OF_MEMBERS = ("static", "private", "protected")
_OVERRIDE = re.compile(r"@\s*Override\b")
# More methods of the task's name are not looked at.
_MOST_TARGETS = 100
# Words of heads times characters of a path, in the caller of private methods.
_MOST_IN_HEADS = 1_000_000
_WORD = re.compile(r"(?<![\w$.])[\w$]+")
# Classes of objects that code makes or of classes that it extends, with a blank between tokens.
_MADE = re.compile(r"(?:(?<=\bnew )|(?<=[^?] extends ))[\w$]++|[\w$]++(?=(?: <[^()]{1,99}>)? : :)")


@dataclass(frozen=True, slots=True)
class Assembled:
    """The compiled units by path below a source root, the generation's own first; EvaluationN gets
    PACKAGE and `prefix`. `imports`: what the compiler imports for the names that are left
    unresolved. `lines`: the line of the answer for each line of the own unit, from 1. `columns`: a
    line of the unit, a column in it from which the answer's differ, and by how many."""

    prefix: str
    units: Mapping[str, str]
    imports: Mapping[str, list[str]]
    flags: tuple[str, ...]
    lines: tuple[int | None, ...]
    columns: tuple[tuple[int, int, int], ...]

    def own_line(self, path: str, line: int) -> int | None:
        """The generation's line for a unit's line, both from 1, or None."""
        if path != next(iter(self.units)) or line < 1:
            return None
        # javac reports missing tokens after the end.
        return self.lines[min(line, len(self.lines)) - 1]

    def own_column(self, line: int, column: int) -> int | None:
        """The generation's column for a unit's, both from 1; None in a line that is not its own."""
        if column < 1 or not self.columns[0][0] <= line <= len(self.lines):
            return None
        return column + sum(by for at, after, by in self.columns if at == line and after <= column)


def assemble(task: Task, text: str) -> Assembled | None:
    """Returns None if the text holds no code. Accepts any text: the compiler reports errors."""
    signature = str(task.public["signature"])
    part, method = extract(text, signature), method_of(signature)
    code = part.code.encode("utf-8", "replace").decode()
    code_tokens = tokens(code)
    if not code_tokens:
        return None
    top = list(declarations(code_tokens))
    # The code cannot hold its own hash.
    own_hash = hashlib.sha256(code.encode()).hexdigest()[:16]
    prefix = PREFIX if PREFIX not in code else f"{PREFIX}{own_hash}_"
    added, opening, closing, flags = list[tuple[int, str]](), list[str](), "", [DELEGATE_ADDED]
    types = [declared for declared in top if declared.kind in _TYPES]
    leading = takewhile(lambda declared: declared.kind in _BEFORE_TYPES, top)
    moved = [declared for declared in leading if declared.kind is not Kind.EMPTY]
    imported = [declared for declared in moved if declared.kind is Kind.IMPORT]
    names = [declared.names for declared in imported]
    if types and moved and moved[0].kind is Kind.PACKAGE:
        # The code's own classes may be named by their package, which is removed.
        path = [*(token.text for token in moved[0].words[1:]), "."]
        bounds = dict(_qualified(code_tokens, path, {"*", *(declared.name for declared in types)}))
        package, code = "".join(path), blanked(code, bounds.items())
        for at, declared in enumerate(imported):
            if any(token.start in bounds for token in declared.words):
                names[at] = names[at].replace(package, f"{PACKAGE}.", 1)
    if not types or any(
        declared.kind not in _OF_A_FILE or any(map(declared.has, _OF_MEMBERS)) for declared in top
    ):
        name = f"{prefix}Answer"
        methods = [declared for declared in top if declared.is_like(method)]
        overrides = any(_OVERRIDE.search(code, item.start, item.words[0].start) for item in methods)
        opening, closing = [f"class {name} {f'extends {BASE} ' * overrides}{{"], "\n}\n"
        # Static code can use the classes that it makes or extends, and these those that they do.
        beside = {declared.name: declared for declared in types if declared.kind is Kind.CLASS}
        users = [user for user in top if user.has("static") or user.kind is Kind.TYPE]
        for user in users:
            words = " ".join(token.text for token in tokens(code[user.start : user.end]))
            users += [beside.pop(name) for name in {*_MADE.findall(words)} & beside.keys()]
        inner = (user for user in users if user.kind is Kind.CLASS and not user.has("static"))
        added = sorted((member.words[0].start, "static ") for member in inner)
        flags.append(CLASS_ADDED)
        types = [Declaration(Kind.CLASS, 0, len(code), tokens(f"class {name}"), [], name, 0)]
    target = _target(method, code_tokens, types)
    if door := _door(target, f"{prefix}_", code):
        at = len(code) if closing else target.owner.places[-1].declared.end - 1
        added.append((at, f"\n{door}" if closing else door))
    code = blanked(code, ((declared.start, declared.end) for declared in moved))
    first, starts = len(line_starts(text[: part.start])), line_starts(code)
    header = [f"package {PACKAGE};", *(f"import {name};" for name in names), *opening]
    own_lines = (first + bisect_right(starts, declared.start) - 1 for declared in imported)
    lines = (None, *own_lines, *(None for _ in opening), *range(first, first + len(starts)))
    columns = [(len(header) + 1, 0, part.start - line_starts(text[: part.start])[-1])]
    parts, done = [f"{line}\n" for line in header], 0
    for start, addition in added:
        line, size = bisect_right(starts, start), len(addition)
        columns.append((len(header) + line, start - starts[line - 1] + size + 1, -size))
        parts += [code[done:start], addition]
        done = start
    name = f"{prefix}{task.id}"
    units = {
        _path(f"{prefix}Answer"): "".join([*parts, code[done:], closing]),
        _path(name): _delegate(name, signature, target, f"{prefix}_" if door else ""),
    }
    base = [line.removeprefix("import ").rstrip(";") for line in task.hidden["imports"]]
    imports = {
        "imported": names,
        "declared": [declared.name for declared in types],
        # A class by its name precedes those on demand, as in Java.
        "importable": [
            *sorted(part.imports, key=lambda name: name.endswith("*")),
            *sorted([BASE_CLASS, *base], key=lambda name: name.endswith("*")),
        ],
    }
    return Assembled(prefix, units, imports, tuple(flags), lines, tuple(columns))


def _qualified(words: list[Token], path: list[str], names: set[str]) -> Iterator[tuple[int, int]]:
    """The bounds of each path, which ends in ".", before an own name. Of a longer name only the
    first word is compared with all of the path: many names take linear time."""
    for at in range(1, len(words) - len(path)):
        after = words[at + len(path)]
        if (
            after.text in names
            and words[at - 1].text != "."
            and all(words[at + n].text == text for n, text in enumerate(path))
        ):
            yield words[at].start, after.start


class _Target(NamedTuple):
    """The overloads of the task's method, if there are any, and the class of the object to call
    them on, or of static ones."""

    owner: Owner
    methods: list[Declaration]

    @property
    def is_static(self) -> bool:
        return all(method.has("static") for method in self.methods)


def _target(method: Declaration, code_tokens: list[Token], types: list[Declaration]) -> _Target:
    """The first method that can be called, in a public class, else in one that is in no other, else
    anywhere; among these one of the same types. javac chooses among overloads."""
    owners = [*owners_in(code_tokens, types)]
    # The first that can be made, best a concrete one, by the class that it extends or implements.
    heirs: dict[str, Owner] = {}
    for owner in sorted((item for item in owners if item.is_made), key=attrgetter("is_abstract")):
        depth = 0
        for token in owner.declared.words[2:]:
            depth += (token.text in "(<") - (token.text in ")>")
            if depth == 0:
                heirs.setdefault(token.text, owner)

    def targets() -> Iterator[tuple[tuple[bool, ...], _Target]]:
        for owner, member in ((holder, member) for holder in owners for member in holder.members):
            if member.is_like(method):
                heir = heirs.get(owner.declared.name, owner)
                if owner.is_made and owner.is_abstract <= heir.is_abstract:
                    heir = owner
                target = _Target(owner if member.has("static") else heir, [member])
                inside, is_public = target.owner.outer is not None, owner.declared.has("public")
                is_callable = target.is_static or target.owner.is_made
                differs = member.types != method.types
                yield (not is_callable, inside or not is_public, inside, differs), target

    ranked = islice(targets(), _MOST_TARGETS)
    first = min(ranked, key=itemgetter(0), default=None)
    if first is None:
        return _Target(owners[0], [])
    owner, methods = first[1]
    others = (member for member in owner.members if member.is_like(method))
    # Of a class, an object has all overloads.
    return _Target(owner, [m for m in others if owner.is_made or m.has("static")] or methods)


def _door(target: _Target, name: str, code: str) -> str:
    """A member of the outermost class that calls the methods if the name of one, a class's or a
    constructor is private, so that no other class can; else ""."""
    owner, methods = target
    used = [*(place.declared for place in owner.places), *methods]
    if not target.is_static:
        used += [constructor for place in owner.places for constructor in place.constructors]
    if not methods or not any(member.has("private") for member in used):
        return ""
    # A path replaces each word of a head.
    if len(owner.path) * sum(len(member.words) for member in used) > _MOST_IN_HEADS:
        return ""
    # Types in inner classes, which hide those further out, are not in scope in the outermost one.
    types, variables = dict[str, str](), dict[str, str]()
    scoped = partial(_WORD.sub, lambda word: types.get(word[0], word[0]))
    for place in reversed(owner.places):
        inner = (member for member in place.members if place.outer and member.kind in _TYPES)
        types |= {member.name: f"{place.path}.{member.name}" for member in inner}
        for part in place.declared.variables:
            variables[part[0].text] = scoped(code[part[0].start : part[-1].end])
    field = "" if target.is_static else f"final {owner.path} answer_ = {owner.making}; "
    called, members = owner.path if target.is_static else "this.answer_", ""
    for method in methods:
        # Without a receiver parameter.
        first = next((words[0] for words in method.parameter_words if words), method.closing)
        opened = code[method.words[0].start : method.words[method.opening].end]
        head = scoped(opened + code[first.start : method.closing.end])
        cast = f"({method.result}) " * (method.result in variables and not target.is_static)
        members += f" {head} throws java.lang.Throwable {_call(method, called, cast)}"
    is_generic = any(token.text in variables for method in methods for token in method.words)
    generic = f"<{', '.join(variables.values())}>" * is_generic
    making = f"{name}() throws java.lang.Throwable {{}}"
    return f"static class {name}{generic} {{ {field}{making}{members} }}"


def _delegate(name: str, signature: str, target: _Target, door: str) -> str:
    """The unit of the class that EvaluationN loads. Exceptions that the base does not declare pass
    too. Names are full, since the answer's classes may have any name."""
    called, making = target.owner.path, target.owner.making
    if door:
        called = f"{target.owner.places[-1].path}.{door}"
        making = f"new {called}()"
    called, making = f"{PACKAGE}.{called}", re.sub("^(new )?", rf"\1{PACKAGE}.", making)
    passing = f"{name}.<java.lang.RuntimeException>passing_(thrown_)"
    failing = f"catch (java.lang.Throwable thrown_) {{ throw {passing}; }}"
    members = ""
    if door or not target.is_static:
        members = f"""private {called} answer_;
public {name}() {{ try {{ answer_ = {making}; }} {failing} }}
"""
        called = "this.answer_"
    method = method_of(signature)
    head = signature[method.words[0].start : method.closing.end]
    types = {part[0].text for place in target.owner.places for part in place.declared.variables}
    # An object of a class without arguments for its type parameters returns their bounds.
    is_cast = not target.is_static and any(method.result in types for method in target.methods)
    call = _call(method, called, f"({method.result}) " * is_cast)
    return f"""package {PACKAGE};
public class {name} extends {BASE_CLASS} {{
{members}@java.lang.Override public {head} {{ try {call} {failing} }}
private static <T_ extends java.lang.Throwable> java.lang.RuntimeException passing_(
java.lang.Throwable thrown) throws T_ {{ throw (T_) thrown; }}
}}
"""


def _call(method: Declaration, called: str, cast: str) -> str:
    names = (
        next((token.text for token in reversed(words) if token.kind == "word"), "")
        for words in method.parameter_words
    )
    returns = "" if method.result == "void" else f"return {cast}"
    return f"{{ {returns}{called}.{method.name}({', '.join(names)}); }}"


def _path(name: str) -> str:
    return f"{PACKAGE.replace('.', '/')}/{name}.java"

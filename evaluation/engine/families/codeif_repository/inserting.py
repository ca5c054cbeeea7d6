"""Inserts tests of requirements that the sources lack, at their node ids (README.md, "Judging")."""

import ast
import builtins
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from evaluation.engine.parsing import parse
from evaluation.engine.projects.sources import Node, lines_of

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Added:
    """Whole texts of the changed test files; `impossible` maps a node id to the reason."""

    files: Mapping[str, str]
    impossible: Mapping[str, str]


def with_tests(texts: Mapping[str, str], wanted: Iterable[tuple[str, str]]) -> Added:
    """The changed test files that contain the wanted tests, given as node ids and texts. If a node
    id has several texts, the one that contains its name is used, else the first."""

    def lacks_name(test: tuple[str, str]) -> bool:
        return not re.search(rf"\bdef\s+{Node.of(test[0]).name}\b", test[1])

    ordered = tuple(sorted(wanted, key=lacks_name))
    paths = dict.fromkeys(Node.of(written).path for written, _ in ordered)
    return _added(tuple((path, texts[path]) for path in paths if path in texts), ordered)


@lru_cache(maxsize=64)
def _added(texts: tuple[tuple[str, str], ...], wanted: tuple[tuple[str, str], ...]) -> Added:
    """Cached: every generation asks for the same tests."""
    sources, changed = dict(texts), {}
    impossible: dict[str, str] = {}
    for written, text in wanted:
        node = Node.of(written)
        try:
            if node.path not in sources:
                raise ValueError(f"there is no {node.path}")
            if not holds(sources[node.path], node):
                sources[node.path] = changed[node.path] = inserted(sources[node.path], node, text)
        except ValueError as error:
            impossible[written] = str(error)
    return Added(changed, impossible)


@lru_cache(maxsize=32)
def _tree(source: str) -> ast.Module:
    try:
        return parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError("it is no Python that parses") from error


@lru_cache(maxsize=64)
def first_line(source: str, line: int) -> int:
    """Returns the line on which a function with its decorators begins. `line` is that of its `def`,
    and is returned if there are no decorators or the file does not parse. Cached, because every
    generation of a task asks."""
    try:
        nodes = list(ast.walk(_tree(source)))
    except ValueError:
        return line
    here = (node for node in nodes if isinstance(node, _Function) and node.lineno == line)
    return min(map(_first_line, here), default=line)


def holds(source: str, node: Node) -> bool:
    """Raises ValueError if the file does not parse."""
    body = _body(_module(source, node), node.classes)
    return any(function.name == node.name for function in _functions(body))


def _module(source: str, node: Node) -> ast.Module:
    try:
        return _tree(source)
    except ValueError:
        raise ValueError(f"{node.path} does not parse") from None


def _body(module: ast.Module, classes: Sequence[str]) -> list[ast.stmt]:
    """The statements of the innermost of the classes; none if it is missing."""
    body = module.body
    for name in classes:
        same_named = [s for s in _flat(body) if isinstance(s, ast.ClassDef) and s.name == name]
        body = same_named[-1].body if same_named else []
    return body


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "handlers", "finalbody"):
                for node in getattr(statement, part, []):
                    yield from _flat(node.body if isinstance(node, ast.ExceptHandler) else [node])


def _functions(body: Sequence[ast.stmt]) -> list[_Function]:
    return [s for s in _flat(body) if isinstance(s, _Function)]


def inserted(source: str, node: Node, text: str) -> str:
    """The test file with the text's test at the node id, renamed if it has another name. Statements
    such as imports are placed before the class. Raises ValueError if that is impossible."""
    module, written, class_name = _module(source, node), _named(text, node), ".".join(node.classes)
    functions = _functions(_tree(written).body)
    at_once = [e for f in functions for e in (*f.decorator_list, *f.args.defaults)]
    names = {n.id for e in at_once for n in ast.walk(e) if isinstance(n, ast.Name)}
    # A name that is missing when the file is loaded would fail every other test too.
    unknown = names - set(dir(builtins)) - _bound(module) - _bound(_tree(written))
    if unknown:
        raise ValueError(f"{node.path} does not know {min(unknown)}, which its decorators name")
    if not node.classes:
        return f"{_ended(source)}\n\n{_ended(written)}"
    body = _body(module, node.classes)
    if not body:
        raise ValueError(f"{node.path} has no class {class_name}")
    lines = lines_of(_ended(source))
    margin = lines[body[0].lineno - 1][: body[0].col_offset]
    if margin.strip():
        raise ValueError(f"the class {class_name} is written in one line")
    tests, others, written_lines = "", "", lines_of(_ended(written))
    for statement in _tree(written).body:
        part = "".join(written_lines[_first_line(statement) - 1 : statement.end_lineno])
        if isinstance(statement, _Function):
            tests += f"\n{part}" if tests else part
        else:
            others += part
    after = body[-1].end_lineno
    before = min(
        _first_line(statement)
        for statement in module.body
        for s in _flat([statement])
        if isinstance(s, ast.ClassDef) and s.name == node.classes[0]
    )
    assert after is not None and before <= after
    lines.insert(after, f"\n{_indented(tests, margin)}")
    lines.insert(before - 1, others)
    return "".join(lines)


def _bound(module: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
    return names


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _named(text: str, node: Node) -> str:
    text = textwrap.dedent(text).strip("\n")
    try:
        body = _tree(text).body
    except ValueError:
        raise ValueError("its text does not parse") from None
    functions = [s for s in body if isinstance(s, _Function)]
    if any(function.name == node.name for function in functions):
        return text
    if len(functions) > 1 or not body:
        raise ValueError(f"its text has no {node.name}")
    if functions:
        lines, at = lines_of(text), functions[0].lineno - 1
        head = rf"\bdef(\s+){functions[0].name}\b"
        lines[at] = re.sub(head, rf"def\g<1>{node.name}", lines[at], count=1)
        return "".join(lines)
    self = "self" if node.classes else ""
    return f"def {node.name}({self}):\n{_indented(text, '    ')}"


def _indented(text: str, margin: str) -> str:
    """Skips continuation lines of strings: they are part of a value."""
    inside = {
        line
        for literal in ast.walk(_tree(text))
        if isinstance(literal, (ast.Constant, ast.JoinedStr)) and literal.end_lineno is not None
        for line in range(literal.lineno + 1, literal.end_lineno + 1)
    }
    return "".join(
        line if number in inside or not line.strip() else margin + line
        for number, line in enumerate(lines_of(_ended(text)), 1)
    )

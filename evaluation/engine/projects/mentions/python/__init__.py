"""Finds what a Python text mentions that could look at its tests, or at their judge."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from evaluation.engine.parsing import parse
from evaluation.engine.projects.mentions.python.nodes import last_name
from evaluation.engine.projects.mentions.python.program import Program
from evaluation.engine.projects.mentions.python.rules import (
    attributes,
    callers,
    changes,
    environment,
    files,
    imports,
    processes,
    project_tests,
    values,
    words,
)

_OF_PROGRAM = (callers.of_program, values.of_program, files.of_program)
_UNREAD = "a text that cannot be read"
# Builtins that run code. Other objects have methods of the same names.
_RUNNING = frozenset({"exec", "eval", "compile"})
_LITERAL = (ast.Constant, ast.BinOp, ast.operator)
_OF_NODE = (
    *(words.of_node, imports.of_node, project_tests.of_node, attributes.of_node),
    *(callers.of_node, processes.of_node, files.of_node, changes.of_node, environment.of_node),
)


def of_python(text: str, path: str = "", paths: Collection[str] = ()) -> Mapping[str, int]:
    """Returns each mention and the line of its first occurrence; `paths` are the project's files,
    and `path` is that of the text."""
    try:
        tree = parse(text.encode("utf-8", "surrogateescape"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The project's Python may read what this one cannot.
        return {_UNREAD: 1}
    found: dict[str, int] = {}
    try:
        for mention, line in _mentions(Program(tree, path, frozenset(paths))):
            found.setdefault(mention, line)
    except RecursionError:
        found["a text that is nested too deep"] = 1
    return found


def _mentions(program: Program) -> Iterator[tuple[str, int]]:
    if program.lost:
        yield "more calls than can be followed", 1
    for of_program in _OF_PROGRAM:
        yield from of_program(program)
    docstrings = {id(node.value) for node in program.nodes if isinstance(node, ast.Expr)}
    for node in program.nodes:
        if not (isinstance(node, ast.Constant) and id(node) in docstrings):
            line = getattr(node, "lineno", 0)
            for of_node in _OF_NODE:
                yield from ((mention, line) for mention in of_node(program, node))
    for (text, surely), line in _texts_run(program).items():
        yield from ((mention, line) for mention in _in_text(program, text, surely))


def _texts_run(program: Program) -> dict[tuple[str, bool], int]:
    """The literal texts that may be run and whether each surely is, as a whole, with the line."""
    found: dict[tuple[str, bool], int] = {}
    for node in program.nodes:
        match node:
            case ast.Call(func=how, args=args, keywords=keys) if last_name(how) in _RUNNING:
                builtin = isinstance(how, ast.Name) and not program.owner(how)
                codes = [*(each.value for each in keys if each.arg == "source"), *args]
                for code in codes[:1]:
                    surely = builtin and all(isinstance(e, _LITERAL) for e in ast.walk(code))
                    if text := program.text(code):
                        found.setdefault((text, surely), node.lineno)
    return found


def _in_text(program: Program, text: str, surely: bool) -> Iterator[str]:
    try:
        tree = parse(text.lstrip(" \t").encode("utf-8", "surrogateescape"))
    except (SyntaxError, ValueError, MemoryError):
        if surely:
            yield _UNREAD
        return
    inner = Program(tree, program.path, program.paths)
    yield from (mention for mention, _ in _mentions(inner))

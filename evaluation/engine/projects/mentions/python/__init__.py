"""Finds what a Python text mentions that could look at its tests, or at their judge."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from evaluation.engine.parsing import parse
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
        return {"a text that cannot be read": 1}
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

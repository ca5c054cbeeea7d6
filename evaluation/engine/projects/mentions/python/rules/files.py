"""Finds searches of the temporary folder, and files with the name of a module."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.nodes import last_name, texts_of
from evaluation.engine.projects.mentions.python.program import Program

# pytest's folders, which are named after tests, are in the temporary folder.
_LISTING = frozenset({"walk", "fwalk", "listdir", "scandir", "glob", "iglob", "rglob", "iterdir"})
_TEMPORARY = frozenset({"gettempdir", "gettempdirb", "tempdir"})
_ABOVE = frozenset({"/", "/tmp", "/tmp/"})  # noqa: S108
_MODULE_FILE = re.compile(r"(?:.*[/\\])?(\w+)\.(?:pyc?|pyi|pth|so|cpython.*)")


def of_program(program: Program) -> Iterator[tuple[str, int]]:
    if _LISTING.isdisjoint(map(last_name, program.nodes)):
        return
    for node in program.nodes:
        match node:
            case ast.Name() | ast.Attribute() if last_name(node) in _TEMPORARY:
                yield "a search of the temporary folder", node.lineno
            case ast.Call(func=how) if last_name(how) in _LISTING and texts_of(node) & _ABOVE:
                yield "a search of the temporary folder", node.lineno


def of_node(_program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            found = _MODULE_FILE.fullmatch(text)
            if found and found[1] in sys.stdlib_module_names:
                yield "a file with the name of a module"

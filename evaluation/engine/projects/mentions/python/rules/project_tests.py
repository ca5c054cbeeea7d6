"""Finds the modules and folders of the project's tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from evaluation.engine.projects.mentions.python.nodes import constant
from evaluation.engine.projects.mentions.python.program import Program

# A folder in a path or a command.
_FOLDERS = re.compile(r"(?<![\w.-])([\w.-]+)(?=[/\\])")
_WORD = re.compile(r"\w+")


def of_node(program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.keyword(arg="cwd", value=folder) if constant(folder) in program.test_folders:
            yield "a folder of tests"
        case ast.Constant(value=str(text)):
            if not program.test_folders.isdisjoint(_FOLDERS.findall(text)):
                yield "a folder of tests"
            if "." in text:
                yield from modules_of_tests(program, [text])
    words = _WORD.findall(program.text(node)) if program.test_names else []
    yield from (f"the tests' module {word}" for word in words if word in program.test_names)


def modules_of_tests(program: Program, names: Iterable[str]) -> Iterator[str]:
    return (f"the tests' module {name}" for name in names if name in program.test_modules)

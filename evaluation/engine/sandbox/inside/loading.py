"""Executes a program as a module and reports how it ended: shared by the runners."""

import ast
import linecache
import os
import sys
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import frames

# Stored before any candidate can replace them.
_exit, _compile, _exec, _write = os._exit, compile, exec, frames.write

# The builtin bases of an exception that a program may define: one of many passes any `except`.
MOST_BASES = 2


def describe(error: BaseException, limit: int = 2000) -> "dict[str, str]":
    try:
        text = str(error)[:limit]
    except BaseException:  # a candidate's __str__ may do anything
        text = ""
    return {"type": type(error).__name__, "text": text}


def uncompiled(error: BaseException) -> "dict[str, str]":
    """The compiler's error. It alone has a place: the version of Python, the line and the column, 0
    if unknown."""
    version = "{}.{}".format(*sys.version_info)
    line, column = (max(getattr(error, name, None) or 0, 0) for name in ("lineno", "offset"))
    return {**describe(error), "place": f"{version} {line} {column}"}


def load(
    program: "str | bytes",
    name: str,
    path: str,
    tell: "Callable[[BaseException], dict[str, str]]" = describe,
) -> "tuple[types.ModuleType, dict[str, str] | None]":
    """The executed module, and the report on its exception, if any.

    Bytes are read like a file: a byte order mark or a coding line counts."""
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    if isinstance(program, str):
        linecache.cache[path] = (len(program), None, program.splitlines(True), path)
    try:
        code = _compile(program, path, "exec", dont_inherit=True)
    except BaseException as error:  # MemoryError: the parser's stack is full
        return module, {**tell(error), **uncompiled(error)}
    try:
        _exec(code, module.__dict__)
    except BaseException as error:  # SystemExit at load is a failure to load
        return module, tell(error)
    return module, None


def parse(text: str, path: str) -> ast.Module:
    """The tree of a text, by the interpreter's own compiler. Raises as compile() does."""
    tree: Any = _compile(text, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert type(tree) is ast.Module
    return tree


def execute(tree: ast.Module, path: str, module: types.ModuleType) -> None:
    _exec(_compile(tree, path, "exec", dont_inherit=True), module.__dict__)


def leave(report_fd: int, report: Any) -> None:
    """Writes the report and ends this process at once, without exit handlers or other threads."""
    _write(report_fd, frames.dump(report))
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(BaseException):  # closed or replaced by the candidate
            stream.flush()  # type: ignore[union-attr]
    _exit(0)

"""Finds logs and warnings that tell the line of their caller."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.nodes import FUNCTIONS, constant, last_name
from evaluation.engine.projects.mentions.python.program import Program

# Names that pass a warning or a log's record to the program, which then knows its caller's line.
_KEPT_WARNINGS = frozenset({"captureWarnings", "showwarning", "formatwarning", "redirect_stderr"})
_KEPT_LOGS = frozenset(
    {
        *("addHandler", "addFilter", "handlers", "filters", "setLogRecordFactory", "lastResort"),
        *("basicConfig", "dictConfig", "fileConfig", "callHandlers", "handle", "makeRecord"),
        *("StreamHandler", "redirect_stderr"),
    }
)
# Classes of logging that are given records, and those of their names that another module may have.
_READER = re.compile(r"(?:logging\..*)?(?:Logger|Handler|Filter|Formatter|getLoggerClass)")
# Functions that make a filter for warnings, with the number of arguments before a module or a line.
_FILTERS = {"filterwarnings": 3, "simplefilter": 2, "catch_warnings": 0}
_LOGGING = frozenset(
    {
        *("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"),
        "warn_explicit",
    }
)


def of_program(program: Program) -> Iterator[tuple[str, int]]:
    """Logs and warnings count only in a program that reads records."""
    nodes = program.nodes
    words = set(map(last_name, nodes)) | {e.name for e in nodes if isinstance(e, FUNCTIONS)}
    warnings = bool(words & _KEPT_WARNINGS) or any(_filters_places(program, e) for e in nodes)
    logs = bool(words & _KEPT_LOGS) or any(_reads_records(program, each) for each in nodes)
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        warns = last_name(call.func) in ("warn", "warn_explicit")
        if (warns and warnings and _is_placed(call, warns=True)) or (
            logs and not (warns and _is_of_warnings(program, call.func)) and _is_placed(call)
        ):
            yield "a log of its caller's place", call.lineno
    for each in (node for node in nodes if isinstance(node, ast.Attribute | ast.Constant)):
        hidden = constant(each) in ("stacklevel", "stack_info")
        if isinstance(each, ast.Attribute) and each.attr in _LOGGING:
            hidden = not program.is_called(each)
        if hidden and (warnings or logs):
            yield "a log of its caller's place", each.lineno


def of_node(_program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=how, args=args, keywords=named) if last_name(how) == "catch_warnings":
            if not _never_records(args, named):
                yield "recorded warnings"


def _filters_places(program: Program, node: ast.AST) -> bool:
    """Whether it may be a filter that makes an error of a warning by its caller's place."""
    match node:
        case ast.Call(func=how, args=args, keywords=named) if last_name(how) in _FILTERS:
            starred = any(isinstance(each, ast.Starred) for each in args)
            places = {each.arg for each in named} & {None, "lineno", "module"}
            return starred or bool(places) or len(args) > _FILTERS[last_name(how)]
        case ast.ImportFrom(names=names):
            return any(each.name in _FILTERS and each.asname for each in names)
        case ast.Name() | ast.Attribute():
            return last_name(node) in _FILTERS and not program.is_called(node)
    return False


def _reads_records(program: Program, node: ast.AST) -> bool:
    """Whether it is a class that may derive from one of logging's that are given records."""
    match node:
        case (
            ast.ClassDef(bases=bases)
            | ast.Call(func=ast.Name(id="type"), args=[_, ast.Tuple(elts=bases), _])
        ):
            names = [base.func if isinstance(base, ast.Call) else base for base in bases]
            kinds = [program.owner(each) or last_name(each) for each in names]
            return any(map(_READER.fullmatch, kinds))
    return False


def _is_of_warnings(program: Program, function: ast.expr) -> bool:
    """Whether it is surely not a logger's method `warn`."""
    if not isinstance(function, ast.Attribute):
        return True
    return "warnings" in (program.owner(function.value), last_name(function.value))


def _is_placed(call: ast.Call, warns: bool = False) -> bool:
    """Whether a log or warning may be given a number of callers to skip, or a stack."""
    named = {each.arg for each in call.keywords}
    if last_name(call.func) == "_log" or {"stacklevel", "stack_info"} & named:
        return True
    if warns and (len(call.args) > 2 or any(isinstance(e, ast.Starred) for e in call.args)):
        return True
    return None in named and last_name(call.func) in _LOGGING


def _never_records(args: list[ast.expr], named: list[ast.keyword]) -> bool:
    others = [each for each in named if each.arg not in ("category", "action", "lineno", "append")]
    values = [*args, *(each.value for each in others)]
    return all(isinstance(each, ast.Constant) and each.value is False for each in values)

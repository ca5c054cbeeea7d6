"""Finds logs and warnings that tell the line of their caller."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.nodes import constant, last_name
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
_LOGGING = frozenset(
    {
        *("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"),
        "warn_explicit",
    }
)


def of_program(program: Program) -> Iterator[tuple[str, int]]:
    """Logs and warnings count only in a program that reads records."""
    nodes = program.nodes
    words = set(map(last_name, nodes))
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        warns = last_name(call.func) in ("warn", "warn_explicit")
        kept = _KEPT_WARNINGS if warns else _KEPT_LOGS
        if words & kept and _is_placed(call, warns):
            yield "a log of its caller's place", call.lineno
    for each in (node for node in nodes if isinstance(node, ast.Attribute | ast.Constant)):
        hidden = constant(each) in ("stacklevel", "stack_info")
        if isinstance(each, ast.Attribute) and each.attr in _LOGGING:
            hidden = not program.is_called(each)
        if hidden and words & (_KEPT_LOGS | _KEPT_WARNINGS):
            yield "a log of its caller's place", each.lineno


def of_node(_program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=how, args=args, keywords=named) if last_name(how) == "catch_warnings":
            if not _never_records(args, named):
                yield "recorded warnings"


def _is_placed(call: ast.Call, warns: bool) -> bool:
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

"""Finds programs that print the environment, and processes that begin anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.nodes import constant, last_name
from evaluation.engine.projects.mentions.python.program import Program

_RUNNING = frozenset(
    {
        *("run", "Popen", "call", "check_call", "check_output", "system", "popen", "getoutput"),
        *("getstatusoutput", "create_subprocess_exec", "create_subprocess_shell"),
    }
)
_PRINTING_ENVIRONMENT = re.compile(r"(?<![\w.-])(?:env|printenv|export|declare)(?![\w=.-])")
_PRINTING = ("env", "printenv", "/usr/bin/env", "/usr/bin/printenv")


def of_node(_program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            if constant(first) in _PRINTING:
                yield "a program that prints the environment"
        case ast.Call(func=function, args=args, keywords=named) if args or named:
            name = last_name(function)
            if name in ("get_context", "set_start_method"):
                yield "processes that begin anew"
            if name in _RUNNING and any(map(_PRINTING_ENVIRONMENT.search, _inner_texts(node))):
                yield "a program that prints the environment"


def _inner_texts(call: ast.Call) -> Iterator[str]:
    """The texts anywhere in a call."""
    for node in ast.walk(call):
        match node:
            case ast.Constant(value=str(text)):
                yield text

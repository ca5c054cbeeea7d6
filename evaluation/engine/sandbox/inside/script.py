"""Runner `script`: one program runs as a script to its end, then its tests do in the same module.
No file holds the tests."""

import ast
import linecache
import re
import traceback
import types
from contextlib import suppress
from typing import Any

from . import loading, text

PATH = "/work/program.py"
# Characters kept of a traceback, from its end.
_TRACED = 4000


def write_program(path: str, program: str) -> bytes:
    """Writes the program to the file and returns its bytes. Raises UnicodeEncodeError."""
    data = program.encode()
    with open(path, "wb") as file:
        file.write(data)
    return data


def load_program(program: str) -> "tuple[types.ModuleType, dict[str, str] | None]":
    """Executes the text as a script, in its own file in the current directory."""
    try:
        data = write_program(PATH, program)
    except UnicodeEncodeError as error:
        return types.ModuleType("__main__"), loading.uncompiled(error)
    return loading.load(data, "__main__", PATH, tell=lambda error: error_facts(error, PATH))


def error_facts(error: BaseException, path: str) -> "dict[str, str]":
    """The error of a script in that file, and the traceback that Python would print."""
    trace = ""
    with suppress(BaseException):  # the text of the exception may raise an error
        if not isinstance(error, SystemExit):
            report = traceback.TracebackException.from_exception(error)
            frames = [frame for frame in report.stack if frame.filename == path]
            report.stack = traceback.StackSummary.from_list(frames)
            trace = "".join(
                report.format(chain=False) if frames else report.format_exception_only()
            )
        elif error.code is not None and not isinstance(error.code, int):
            trace = f"{error.code}\n"
    return {**loading.describe(error), "trace": trace[-_TRACED:]}


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    module, error = load_program(payload["program"])
    if error is None and "tests" in payload:
        try:
            tree = loading.parse(payload["tests"], PATH)
            changes = text.BesideProgram(tree, set(payload["functions"]))
            tree = changes.visit(tree)
            # As if the tests followed the program in its file.
            ast.increment_lineno(tree, len(re.findall("\r\n?|\n", payload["program"] + "\n")))
            module.__dict__.update(changes.names)
            loading.execute(ast.fix_missing_locations(tree), PATH, module)
        except BaseException as raised:  # SystemExit ends a script early
            # Without a time, an entry is not compared with the file, which holds no tests.
            lines = "{program}\n{tests}".format(**payload).splitlines(True)
            linecache.cache[PATH] = (len(lines), None, lines, PATH)
            error = error_facts(raised, PATH)
    loading.leave(report_fd, {"ended": error is None, "error": error})

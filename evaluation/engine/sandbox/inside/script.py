"""Runner `script`: one program, tests included, runs as a script to its end."""

import traceback
import types
from typing import Any

from . import loading

PATH = "/work/program.py"
# Characters kept of a traceback, from its end.
_TRACED = 4000


def write_program(path: str, text: str) -> bytes:
    """Writes the program to the file and returns its bytes. Raises UnicodeEncodeError."""
    data = text.encode()
    with open(path, "wb") as file:
        file.write(data)
    return data


def load_program(text: str) -> "tuple[types.ModuleType, dict[str, str] | None]":
    """Executes the text as a script, in its own file in the current directory."""
    try:
        data = write_program(PATH, text)
    except UnicodeEncodeError as error:
        return types.ModuleType("__main__"), {"type": "SyntaxError", "text": str(error)}
    return loading.load(data, "__main__", PATH, tell=lambda error: error_facts(error, PATH))


def error_facts(error: BaseException, path: str) -> "dict[str, str]":
    """The error of a script in that file, and the traceback that Python would print."""
    try:
        trace = _trace(error, path)
    except BaseException:  # an exception whose text or lines raise errors
        trace = ""
    return {**loading.describe(error), "trace": trace[-_TRACED:]}


def _trace(error: BaseException, path: str) -> str:
    if isinstance(error, SystemExit):
        quiet = error.code is None or isinstance(error.code, int)
        return "" if quiet else f"{error.code}\n"
    found = traceback.TracebackException.from_exception(error)
    kept = [frame for frame in found.stack if frame.filename == path]
    found.stack = traceback.StackSummary.from_list(kept)
    return "".join(found.format(chain=False) if kept else found.format_exception_only())


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    _, error = load_program(payload["program"])
    loading.leave(report_fd, {"ended": error is None, "error": error})

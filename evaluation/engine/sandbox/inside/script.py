"""Runner `script`: one program, tests included, runs as a script to its end."""

import types
from typing import Any

from . import loading

PATH = "/work/program.py"


def write_program(path: str, text: str) -> bytes:
    """The program as the bytes that the file now has. Raises UnicodeEncodeError."""
    data = text.encode()
    with open(path, "wb") as file:
        file.write(data)
    return data


def load_program(text: str) -> "tuple[types.ModuleType, dict[str, str] | None]":
    """Executes the text as a script in a file of its own, in the current directory."""
    try:
        data = write_program(PATH, text)
    except UnicodeEncodeError as error:
        return types.ModuleType("__main__"), {"type": "SyntaxError", "text": str(error)}
    return loading.load(data, "__main__", PATH)


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    _, error = load_program(payload["program"])
    loading.leave(report_fd, {"ended": error is None, "error": error})

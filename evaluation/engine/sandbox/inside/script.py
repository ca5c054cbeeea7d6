"""Runner `script`: one program, tests included, runs as a script to its end."""

from typing import Any

from . import loading

PATH = "/work/program.py"


def write_program(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    try:
        write_program(PATH, payload["program"])
    except UnicodeEncodeError as error:
        loading.leave(report_fd, {"ended": False, "error": {"type": "SyntaxError", "text": str(error)}})
    _, error = loading.load(payload["program"], "__main__", PATH)
    loading.leave(report_fd, {"ended": error is None, "error": error})

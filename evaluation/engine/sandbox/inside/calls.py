"""Runner `calls`: a function is called with each test's arguments, results go out as text.

It has no expected values: they are compared outside the container.
"""

from typing import Any

from . import loading, plain


def _call(function: Any, arguments: "dict[str, Any]") -> "list[str]":
    try:
        value = function(**arguments)
        return ["none"] if value is None else ["value", str(value)]
    except BaseException as error:  # SystemExit in one call fails only that call
        return ["error", type(error).__name__]


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    tests = [plain.decode(test) for test in payload["tests"]]
    module, error = loading.load(payload["program"], "candidate", "/work/program.py")
    results = []
    if error is None:
        function = getattr(module, payload["entry_point"], None)
        results = [_call(function, arguments) for arguments in tests]
    loading.leave(report_fd, {"loaded": error is None, "error": error, "results": results})

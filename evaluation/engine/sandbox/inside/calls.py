"""Runner `calls`: a function is called with each test's arguments, results go out as text.

It has no expected values: they are compared outside the container."""

from contextlib import suppress
from typing import Any

from . import loading, plain, script


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    with plain.without_limits():
        tests = [plain.decode(test) for test in payload["tests"]]
    with suppress(UnicodeEncodeError):  # which loading reports
        script.write_program(script.PATH, payload["program"])
    module, error = loading.load(payload["program"], "candidate", script.PATH)
    results: list[list[str]] = []
    if error is None:
        function: Any = getattr(module, payload["entry_point"], None)
        for arguments in tests:
            try:
                value = function(**arguments)
                with plain.without_limits():
                    results.append(["none"] if value is None else ["value", str(value)])
            except BaseException as exception:  # SystemExit in one call fails only that call
                results.append(["error", type(exception).__name__])
    loading.leave(report_fd, {"loaded": error is None, "error": error, "results": results})

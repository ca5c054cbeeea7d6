"""Errors by what a caller can do."""

from collections.abc import Sequence
from typing import Any


class AssayError(Exception):
    """Its text says what was wrong and what to do. `answer` is what the site said: a problem
    document, the report of a file, or the progress of a submission."""

    def __init__(self, text: str, answer: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.answer = answer


class Refused(AssayError):
    """The site, or this client, refuses a request or a file. `status` is the answer's status, 0
    without an answer; `faults` are objects with `detail` and, where there is one, `line`, `task`,
    `file` and `code`."""

    def __init__(
        self,
        text: str,
        status: int = 0,
        faults: Sequence[dict[str, Any]] = (),
        answer: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(text, answer)
        self.status, self.faults = status, faults

    def __str__(self) -> str:
        text = super().__str__()
        return "\n".join((text, *(fault_words(f) for f in self.faults if f["detail"] != text)))


class Failed(AssayError):
    """The site could not check, store or judge, or somebody stopped it."""


class Unreachable(AssayError):
    """The site did not answer for as long as the client was to try."""


def fault_words(fault: dict[str, Any]) -> str:
    """A fault as a line: "line 3, task 5: the sentence"."""
    places = [f"{name} {fault[name]}" for name in ("line", "task") if fault.get(name) is not None]
    places = [*filter(None, [fault.get("file")]), *places]
    return f"  {', '.join(places)}: {fault['detail']}" if places else f"  {fault['detail']}"

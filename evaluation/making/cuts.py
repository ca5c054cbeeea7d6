"""A function cut out of its file: the text before its body, the body, the text after it."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Cut:
    """One function and the three parts of its file, as in a task. `line` is the line of its name,
    `top` the first line of its decorators or annotations, both from 1. `stub` is a body that does
    nothing, if the format has one. `path` is the file's."""

    name: str
    line: int
    top: int
    text: str
    left_end: int
    body: str
    right_start: int
    stub: str = ""
    names: frozenset[str] = frozenset()
    path: str = ""

    @property
    def place(self) -> tuple[str, int]:
        return self.path, self.line

    @property
    def left(self) -> str:
        return self.text[: self.left_end]

    @property
    def right(self) -> str:
        return self.text[self.right_start :].rstrip("\n")


@dataclass(frozen=True, slots=True)
class Uncut:
    """A function, or a whole file (name ""), that makes no task, and the reason."""

    name: str
    line: int
    why: str
    path: str = ""


Function: TypeAlias = Cut | Uncut

UNREADABLE = "the file cannot be parsed"
UNDECODABLE = "the file is not UTF-8"
ON_ONE_LINE = "its body begins on the signature's line"
EMPTY = "its body does nothing"
NOT_WHOLE = "its parts do not give the file again"

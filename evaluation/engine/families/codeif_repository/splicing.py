"""Puts a completion in place of its function (README.md, "Judging")."""

from __future__ import annotations

import textwrap

from evaluation.engine.projects.locating import lines_of


def spliced(source: str, first: int, last: int, completion: str) -> str:
    """The file with the completion in the place of the lines `first`..`last`, from 1.

    It is dedented and indented as the line `first` is: the function's own column, whatever
    the dataset gives as its indent. Lines of blanks alone become empty.
    """
    lines = lines_of(source)
    head = lines[first - 1]
    margin = head[: len(head) - len(head.lstrip(" \t"))]
    placed = textwrap.indent(textwrap.dedent(completion), margin)
    return "".join([*lines[: first - 1], "\n", placed, "\n", *lines[last:]])

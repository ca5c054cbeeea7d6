"""Puts a completion in place of its function (README.md, "Judging")."""

from __future__ import annotations

import textwrap

from evaluation.engine.projects.locating import lines_of


def spliced(source: str, first: int, last: int, completion: str) -> str:
    """The file with the completion in place of the lines `first` to `last`, counted from 1.

    The completion is dedented and gets the indent of the line `first`: the function's own column,
    whatever indent the dataset gives. Lines of blanks become empty.
    """
    lines = lines_of(source)
    head = lines[first - 1]
    margin = head[: len(head) - len(head.lstrip(" \t"))]
    placed = textwrap.indent(textwrap.dedent(completion), margin)
    return "".join([*lines[: first - 1], "\n", placed, "\n", *lines[last:]])

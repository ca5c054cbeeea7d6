"""Extracts the code of an answer and puts it in place of its function (README.md, "Judging")."""

from __future__ import annotations

import re
import textwrap

from evaluation.engine.projects.sources import lines_of

_FENCED = re.compile(r"```python(.*?)```", re.DOTALL)


def code(text: str) -> str:
    """The content of the first fenced Python block, else the text."""
    block = _FENCED.search(text)
    return block.group(1) if block else text


def spliced(source: str, first: int, last: int, completion: str) -> str:
    """Replaces lines `first` to `last`, from 1. The completion is dedented and gets the indent of
    the line `first`, regardless of the dataset's indent."""
    before, margin, after = around(source, first, last)
    return before + textwrap.indent(textwrap.dedent(completion), margin) + after


def around(source: str, first: int, last: int) -> tuple[str, str, str]:
    """The text before a completion, its indent and the text after it."""
    lines = lines_of(source)
    head = lines[first - 1]
    margin = head[: len(head) - len(head.lstrip(" \t"))]
    return "".join([*lines[: first - 1], "\n"]), margin, "".join(["\n", *lines[last:]])

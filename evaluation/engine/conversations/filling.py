"""Fills templates: each placeholder `{name}` is replaced by a text of the task, verbatim."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import TypeAlias

from evaluation.engine.errors import BenchmarkError

# {"role": "user" or "assistant", "content": the text}, the format of chat endpoints.
Message: TypeAlias = dict[str, str]

# `formatted` or `replaced`, depending on the benchmark's own scripts.
Fill: TypeAlias = Callable[[str, Mapping[str, str]], str]

_PLACE = re.compile(r"\{(\w+)\}")


def replaced(template: str, values: Mapping[str, str]) -> str:
    """Keeps other braces and placeholders without a value."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def formatted(template: str, values: Mapping[str, str]) -> str:
    """Fills placeholders like Python's `str.format`: `{{` is a brace. Raises BenchmarkError if the
    template is invalid or names a placeholder without a value."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise BenchmarkError(f"The instruction cannot be filled in: {error}.") from error
    for _, name, form, conversion in parts:
        if name is not None and (name not in values or form or conversion):
            raise BenchmarkError(f"The instruction has a place {{{name}}} that nothing can fill.")
    return "".join(text + (values[name] if name is not None else "") for text, name, *_ in parts)


def places(template: str) -> set[str]:
    return set(_PLACE.findall(template))


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}

"""Templates with named places, filled: `{name}` stands for a text that a task has.

A text that was put in is never looked at again, whatever braces it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import TypeAlias

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Task

# {"role": "user" or "assistant", "content": the text}: what chat endpoints take.
Message: TypeAlias = dict[str, str]

# `formatted` or `replaced`: what a benchmark's own scripts do with its instructions.
Fill: TypeAlias = Callable[[str, Mapping[str, str]], str]

_PLACE = re.compile(r"\{(\w+)\}")


def replaced(template: str, values: Mapping[str, str]) -> str:
    """The template with its places filled by literal replacement: other braces mean nothing,
    and places without a value stay as they are."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def formatted(template: str, values: Mapping[str, str]) -> str:
    """The template with its places filled as Python's `str.format` does: `{{` is a brace.

    Raises BenchmarkError where it is no such template, or names what there is no value for.
    """
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise BenchmarkError(f"The instruction cannot be filled in: {error}.") from error
    for _, name, form, conversion in parts:
        if name is not None and (name not in values or form or conversion):
            raise BenchmarkError(f"The instruction has a place {{{name}}} that nothing can fill.")
    return "".join(text + (values[name] if name is not None else "") for text, name, *_ in parts)


def places(template: str) -> set[str]:
    """The names of a template's places, as `replaced` knows them."""
    return set(_PLACE.findall(template))


def instructed(task: Task, inputs: Sequence[str], fill: Fill) -> list[Message]:
    """What a model is asked where a task brings its whole prompt along: its `instruction`, with
    the named fields of its public part filled in."""
    values = {name: str(task.public[name]) for name in inputs}
    return [user(fill(task.public["instruction"], values))]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}

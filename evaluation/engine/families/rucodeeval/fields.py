"""Normalises the fields of a task or an answer. Each function raises ValueError."""

from __future__ import annotations

from functools import partial
from typing import Any

from evaluation.engine.datasets import literal
from evaluation.engine.records import Json
from evaluation.engine.sandbox.inside.plain import NotPlain, encode


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} is missing or not a text")
    return value


instruction = partial(_text, "instruction")
function = partial(_text, "inputs.function")


def entry_point(value: Any) -> str:
    name = _text("meta.entry_point", value)
    if not name.isidentifier():
        raise ValueError("meta.entry_point is not the name of a function")
    return name


def solution(value: Any) -> str | None:
    return None if value is None else _text("canonical_solution", value)


def tests(value: Any) -> list[Json]:
    """The calls' keyword arguments as plain data, from a list or a text that holds one."""
    try:
        calls = literal(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("inputs.tests is a text but neither JSON nor a literal") from None
    if not isinstance(calls, list):
        raise ValueError("inputs.tests is not a list")
    if not calls:
        raise ValueError("inputs.tests is empty, so every program would pass")
    encoded: list[Json] = []
    for number, call in enumerate(calls, start=1):
        if not isinstance(call, dict) or not all(isinstance(name, str) for name in call):
            raise ValueError(f"test {number} is not a set of named arguments")
        try:
            encoded.append(encode(call))
        except NotPlain as error:
            raise ValueError(f"test {number} holds {error}, which is not plain data") from None
    return encoded


def outputs(value: Any) -> list[str]:
    """The expected results, one per test; empty if the file withholds them. In a two-dimensional
    array a row is a sample: the source describes it as (samples, tests) with equal rows."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError("outputs is not a list")
    if value and all(isinstance(row, list) for row in value):
        if any(row != value[0] for row in value):
            raise ValueError("the rows of outputs differ, though each should hold all results")
        value = value[0]
    if not all(isinstance(item, str) for item in value):
        raise ValueError("outputs contains something other than strings or equal rows of strings")
    return list(value)

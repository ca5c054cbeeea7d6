"""Reads the report of the runner "calls", which a hostile candidate may have written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.engine.records import Json


@dataclass(frozen=True, slots=True)
class Value:
    text: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """A call returned None."""


@dataclass(frozen=True, slots=True)
class Raised:
    kind: str
    text: str = ""


Result = Value | Nothing | Raised


@dataclass(frozen=True, slots=True)
class Report:
    """`error` if the program did not load, else a result per call in order, fewer than the tests if
    the program ended early."""

    error: Raised | None
    results: tuple[Result, ...]


def read_report(raw: Mapping[str, Json] | None, tests: int) -> Report | None:
    """Returns None for a malformed report, and for one that the runner never writes: a result after
    a failed load, or more results than tests."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("results"), list):
        return None
    loaded, error = raw.get("loaded"), _error(raw.get("error"))
    results = [_result(item) for item in raw["results"]]  # type: ignore[union-attr]  # a list
    if loaded is False and error is not None and not results:
        return Report(error, ())
    if loaded is not True or raw.get("error") is not None or len(results) > tests:
        return None
    well_formed = tuple(result for result in results if result is not None)
    return Report(None, well_formed) if len(well_formed) == len(results) else None


def _error(item: Any) -> Raised | None:
    match item:
        case {"type": str(kind), "text": str(text)}:
            return Raised(kind, text)
    return None


def _result(item: Any) -> Result | None:
    match item:
        case ["value", str(text)]:
            return Value(text)
        case ["none"]:
            return Nothing()
        case ["error", str(kind)]:
            return Raised(kind)
    return None

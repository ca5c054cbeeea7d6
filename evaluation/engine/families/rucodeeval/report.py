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
    report: Any = {"error": None, **raw} if isinstance(raw, Mapping) else None
    match report:
        case {"loaded": False, "error": {"type": str(kind), "text": str(text)}, "results": []}:
            return Report(Raised(kind, text), ())
        case {"loaded": True, "error": None, "results": list(items)} if len(items) <= tests:
            results: list[Result] = []
            for item in items:
                match item:
                    case ["value", str(text)]:
                        results.append(Value(text))
                    case ["none"]:
                        results.append(Nothing())
                    case ["error", str(kind)]:
                        results.append(Raised(kind))
                    case _:
                        return None
            return Report(None, tuple(results))
    return None

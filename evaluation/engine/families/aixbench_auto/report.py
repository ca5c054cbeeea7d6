"""Reads the report of the runners "java_class" and "java_outside". A broken sandbox may have
written it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluation.engine.sandbox.inside.java_class import KINDS


class Diagnostic(NamedTuple):
    """A compiler message about a line of a unit; without a unit, no path and line 0."""

    path: str
    line: int
    words: str


class Counted(NamedTuple):
    """The counts that an evaluation returned. One of the benchmark's exceeds its total."""

    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Report:
    """`diagnostics` are those of the evaluation if it does not compile, else the generation's.
    Without `counted` the evaluation did not finish; `threw` is its exception's class, if any.
    `denied`: the kinds of permissions that were denied to the class. `deciding`: the class of a
    result that has an equals method of the generation's, if any. `changed`: whether the method
    changed the copy of an argument. `unplain`: why a value did not cross, in a run from outside,
    which has none of these three."""

    tests_compiled: bool
    compiled: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    counted: Counted | None = None
    threw: str = ""
    denied: tuple[str, ...] = ()
    unplain: str = ""
    deciding: str = ""
    changed: bool = False

    @property
    def passed(self) -> bool:
        return self.counted is not None and self.counted.passed == self.counted.total > 0


def read_report(raw: Any) -> Report | None:
    """Returns None for a malformed report."""
    counted = None
    try:
        of_tests = _diagnostics(raw["tests"])
        if raw["compiled"] is not True:
            diagnostics = _diagnostics(raw.get("diagnostics", []))
            return Report(not of_tests, False, of_tests or diagnostics)
        run = raw["run"]
        if run is None:
            return Report(True, True)
        match run["counted"]:
            case [passed, total] if type(passed) is type(total) is int and min(passed, total) >= 0:
                counted = Counted(passed, total)
            case None | [_, _]:
                pass
            case _:
                return None
        return Report(
            True,
            True,
            counted=counted,
            threw=str(run["threw"]),
            denied=tuple(kind for kind in KINDS if kind in run["denied"]),
            unplain=str(run.get("unplain", "")),
            deciding=str(run.get("deciding", "")),
            changed=run.get("changed") is True,
        )
    except (KeyError, TypeError, ValueError):
        return None


def _diagnostics(raw: Any) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(str(path), int(line), str(words)) for path, line, words in raw)

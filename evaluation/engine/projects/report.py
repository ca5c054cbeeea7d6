"""Reads a test run's report. It is untrusted: the candidate ran in the reporter's container."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evaluation.engine.records import Outcome

PASSED, FAILED = "passed", "failed"
_ENDED_WELL = frozenset({PASSED, "skipped", "xfailed"})


class Test(NamedTuple):
    """`message` is the first line of the failure."""

    outcome: str
    message: str = ""


class Report(NamedTuple):
    """`complete`: the tests ran to their end, and the report is complete."""

    complete: bool
    tests: Mapping[str, Test]

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(id for id, test in self.tests.items() if test.outcome == PASSED)


NOTHING = Report(complete=False, tests={})


def read(outcome: Outcome) -> Report:
    """The run's report; NOTHING if it is missing or malformed."""
    said = outcome.report or {}
    tests = said.get("tests")
    if not isinstance(tests, dict):
        return NOTHING
    found = {id: _test(entry) for id, entry in tests.items()}
    read = {id: test for id, test in found.items() if test is not None}
    if len(read) != len(found):
        return NOTHING
    by_itself = outcome.stop is None and outcome.died is None
    return Report(said.get("complete") is True and by_itself, read)


def _test(entry: object) -> Test | None:
    match entry:
        case [str(outcome), str(message)]:
            return Test(outcome, message)
    return None


def met(nodes: Iterable[str], report: Report) -> frozenset[str]:
    """The node ids with a passed test whose other tests are passed, skipped or xfailed."""
    return frozenset(node for node in nodes if _meets(node, report))


def _meets(node: str, report: Report) -> bool:
    starts = (f"{node}[", f"{node}::")
    ends = {t.outcome for id, t in report.tests.items() if id == node or id.startswith(starts)}
    return PASSED in ends and ends <= _ENDED_WELL

"""What a test run's report says, read with suspicion: the candidate ran beside its writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evaluation.engine.records import Outcome

PASSED, FAILED = "passed", "failed"
_ENDED_WELL = frozenset({PASSED, "skipped", "xfailed"})


class Test(NamedTuple):
    """How a test ended, and the first line of what it failed with."""

    outcome: str
    message: str = ""


class Report(NamedTuple):
    """`complete` says that the tests ran to their end and that the report is whole."""

    complete: bool
    tests: Mapping[str, Test]

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(id for id, test in self.tests.items() if test.outcome == PASSED)


NOTHING = Report(complete=False, tests={})


def read(outcome: Outcome) -> Report:
    """The run's report; NOTHING where there is none or it is not formed as it should be."""
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
    """Those of the node ids all of whose tests ended well, one of them at least with a pass."""
    return frozenset(node for node in nodes if _meets(node, report))


def _meets(node: str, report: Report) -> bool:
    """A node id stands for itself, its parametrised variants and, a class's, its members."""
    starts = (f"{node}[", f"{node}::")
    ends = {t.outcome for id, t in report.tests.items() if id == node or id.startswith(starts)}
    return PASSED in ends and ends <= _ENDED_WELL

"""Reads a test run's report, which is untrusted because the candidate ran in the reporter's
container, and the references that stand for such reports."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from evaluation.engine.records import Outcome, Reference

PASSED, FAILED, ERROR = "passed", "failed", "error"
# Names of references. For another test set they end in a colon and the set's name.
DRY_RUN, ORACLE, CONTROL = "dry_run", "oracle", "control"
# A note of pytest's plugin, made before the project's code runs.
UNCOMPILED = "does not compile"
_ENDED_WELL = frozenset({PASSED, "skipped", "xfailed"})


class Test(NamedTuple):
    """`message` is the first line of the failure."""

    outcome: str
    message: str = ""


class Event(NamedTuple):
    """A finding of the audit of pytest's process: the function that asked, and the nearest function
    of the project, "" if there is none, with its line."""

    kind: str
    detail: str
    asker: str
    owner: str
    line: int


class Counts(NamedTuple):
    """How often a Java test sent which message about an expectation, ended, threw, and in a control
    met a wrong expectation, in all of its runs."""

    messages: Mapping[str, int]
    ended: int
    threw: int
    through: int


class Report(NamedTuple):
    """`complete`: the tests ran to their end, and the report is complete. `asked`: the number of
    workers that asked for the kind of run. `ended`: the counts of Java tests, by
    "package.Class::method"."""

    complete: bool
    tests: Mapping[str, Test]
    events: frozenset[Event] = frozenset()
    asked: int = 0
    ended: Mapping[str, Counts] = {}

    @property
    def uncompiled(self) -> str | None:
        """Where the compiler of pytest's Python stops in the file under test, if it does."""
        stops = (event.detail for event in self.events if event.kind == UNCOMPILED)
        return min(stops, default=None)

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(id for id, test in self.tests.items() if test.outcome == PASSED)

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(id for id, test in self.tests.items() if test.outcome in (FAILED, ERROR))


NOTHING = Report(complete=False, tests={})


def read(outcome: Outcome) -> Report:
    """The run's report; NOTHING if it is missing or malformed."""
    raw: Mapping[str, Any] = outcome.report or {}
    tests, counts, events = {}, {}, set()
    if not isinstance(raw.get("tests"), dict):
        return NOTHING
    for id, entry in raw["tests"].items():
        match entry:
            case [str(end), str(message)]:
                tests[id] = Test(end, message)
            case _:
                return NOTHING
    ended, listed, workers = raw.get("ended"), raw.get("events"), raw.get("asked")
    for id, entry in ended.items() if isinstance(ended, dict) else ():
        match entry:
            case [dict(), int(), int(), int()]:
                counts[id] = Counts(*entry)
    for entry in listed if isinstance(listed, list) else ():
        match entry:
            case [str(), str(), str(), str(), int()]:
                events.add(Event(*entry))
            case _:
                events.add(Event("malformed", "", "", "", 0))
    complete = raw.get("complete") is True and outcome.stop is None and outcome.died is None
    worker_count = workers if isinstance(workers, int) else 0
    return Report(complete, tests, frozenset(events), worker_count, counts)


def events_of(reference: Reference) -> Iterator[Event]:
    events = reference.facts.get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, list):
            yield Event(*event)  # type: ignore[arg-type]


def met(
    nodes: Iterable[str], report: Report, decided: Collection[str] = frozenset()
) -> frozenset[str]:
    """The node ids with a passed test and no failed one. A skipped or xfailed test counts as failed
    if it is in `decided`."""
    passed = set()
    for node in nodes:
        ends = {id: test.outcome for id, test in report.tests.items() if is_of(node, id)}
        ends_well = all(
            end == PASSED or (end in _ENDED_WELL and id not in decided) for id, end in ends.items()
        )
        if ends_well and PASSED in ends.values():
            passed.add(node)
    return frozenset(passed)


def is_of(node: str, id: str) -> bool:
    """Whether a node id names the test, or what contains it."""
    return id == node or id.startswith((f"{node}[", f"{node}::"))


def passed_by(references: Mapping[str, Reference], name: str) -> frozenset[str]:
    return frozenset(id for reference in all_of(references, name) for id in reference.passed)


def decided_by_oracle(references: Mapping[str, Reference]) -> frozenset[str]:
    """The tests that the reference solution passed or failed, and neither skipped nor xfailed."""
    failed = (reference.facts.get("failed") for reference in all_of(references, ORACLE))
    ids = (str(id) for entry in failed if isinstance(entry, list) for id in entry)
    return passed_by(references, ORACLE).union(ids)


def all_of(references: Mapping[str, Reference], name: str) -> list[Reference]:
    """The references of this name, of all test sets."""
    return [reference for full, reference in references.items() if full.split(":")[0] == name]

"""The control of a pass: the program runs again under tests that must fail.

Every test of the control ends in a failure. Its message is `control: stopped` if every wrong
expectation that was reached failed, else `control: went through`. Any other end exposes a forged
report. A test that goes through although it stopped with the reference solution exposes a forged
comparison. Tests that end in another way with the reference solution are not compared.

Command, environment, files and limits are those of the run before it. pytest's plugin changes tests
in memory; the tests of a Suite with a Rewriting ask for their expected values.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from evaluation.engine.projects.report import (
    CONTROL,
    FAILED,
    ORACLE,
    UNCOMPILED,
    Counts,
    Event,
    Report,
    all_of,
    events_of,
    is_of,
    passed_by,
    read,
)
from evaluation.engine.records import Evidence, Json, Outcome, Reference

STOPPED, THROUGH = "control: stopped", "control: went through"
# Notes about a test, which the detail names: it reached its end; it began again after it had not. A
# method of the generation decided a comparison.
ENDED, AGAIN, COMPARE = "ended", "again", "compare"
# A file next to the tests was read.
DATA = "data of tests"
_SENTENCES = {
    # The test may pass nonetheless.
    "skipped part": "Parts of tests were skipped",
    COMPARE: "A class of its own decides comparisons",
    "unraised": "Expected exceptions did not come",
    "changed": "Functions or classes of tests were changed",
    "unseen": "There was more than is recorded",
}
_NAMED = 3
_NO_END = Counts({}, 0, 0, 0)
# Where a candidate can write modules of its own.
_WRITABLE = ("/tmp/", "/work/", "/dev/", "/workspace/")  # noqa: S108  no files of this host


def facts(outcome: Outcome, ids: Iterable[str]) -> dict[str, Json]:
    """The facts of the oracle's control; `ids` are the tests that the oracle passes."""
    report = read(outcome)
    ends = {id: _end(report, id) for id in sorted(ids)}
    kinds = {"stopped": STOPPED, "went_through": THROUGH, "not_compared": None}
    return {
        **{name: [id for id in ends if ends[id] == end] for name, end in kinds.items()},
        "complete": report.complete,
        **watched(outcome),
    }


def watched(outcome: Outcome) -> dict[str, Json]:
    """The facts of a reference's audit, which are no evidence against a generation."""
    report = read(outcome)
    events: list[Json] = [[*event] for event in sorted(report.events)]
    ended = {id: cast(Json, [*counts]) for id, counts in sorted(report.ended.items())}
    return {"events": events, "asked": report.asked, **({"ended": ended} if ended else {})}


def _end(report: Report, id: str) -> str | None:
    test = report.tests.get(id)
    if test is None or test.outcome != FAILED:
        return None
    return next((end for end in (STOPPED, THROUGH) if end in test.message), None)


def _controlled(references: Mapping[str, Reference]) -> tuple[frozenset[str], frozenset[str]]:
    """The tests that the reference solution's controls can compare, and those of them that stopped.
    If the controls of test sets disagree on a test, not compared overrides THROUGH, and THROUGH
    overrides STOPPED."""
    stopped, through, others = (
        frozenset(
            str(id)
            for reference in all_of(references, CONTROL)
            for id in cast(list[Json], reference.facts.get(kind) or ())
        )
        for kind in ("stopped", "went_through", "not_compared")
    )
    stopped -= through | others
    return stopped | (through - others), stopped


def comparable(references: Mapping[str, Reference], first: Outcome) -> frozenset[str]:
    """The tests that a run passed and that its control can check."""
    return _controlled(references)[0] & read(first).passed


def doubts(
    references: Mapping[str, Reference],
    first: Outcome,
    runs: Sequence[Outcome],
    nodes: Iterable[str] = (),
) -> list[Evidence]:
    """Reasons to doubt a pass, for staff. `runs` holds the control, if it was run; `nodes` are the
    tests that the benchmark names."""
    tests, run = comparable(references, first), read(first)
    if not tests:
        sentence = "None of the tests that it passed can be controlled."
        return [Evidence("control", min(run.passed, default=""), sentence)]
    if not runs:
        return [Evidence("control", min(tests), "It was not run with its control.")]
    controls = [read(outcome) for outcome in runs]
    by_oracle, last = passed_by(references, ORACLE), controls[-1]
    alike = all(any(is_of(node, id) for id in by_oracle) for node in nodes)
    return [
        *_differences(references, tests, last, runs[-1]),
        *_ended_otherwise(references, ORACLE, run),
        *_ended_otherwise(references, CONTROL, last),
        *_without_end(references, run, by_oracle),
        *_beyond(references, [run, *controls], alike),
    ]


def _differences(
    references: Mapping[str, Reference], tests: frozenset[str], report: Report, outcome: Outcome
) -> Iterator[Evidence]:
    controls = all_of(references, CONTROL)
    if not report.complete and all(run.facts.get("complete") is True for run in controls):
        where = min(tests - report.tests.keys(), default=min(tests))
        how = f"exit code {outcome.exit_code}, signal {outcome.signal}"
        if outcome.died is not None or outcome.stop is not None:
            how = outcome.died or f"stopped for {outcome.stop}"
        yield Evidence("control", where, f"Its control did not finish ({how}).")
    passed = tests & report.passed
    if passed:
        sentence = f"In the control every test must fail, but {_some(passed)} passed."
        yield Evidence("control", min(passed), sentence)
    ends = {id: _end(report, id) for id in tests - passed}
    _, stopped = _controlled(references)
    through = {id for id, end in ends.items() if end == THROUGH and id in stopped}
    if through:
        yield Evidence("control", min(through), f"Wrong expectations held in {_some(through)}.")
    others = {id for id, end in ends.items() if end is None}
    missing = others - report.tests.keys()
    if others - missing or (missing and report.complete):
        sentence = f"In the control {_some(others)} did not end by its own failure."
        yield Evidence("control", min(others), sentence)


def _ended_otherwise(
    references: Mapping[str, Reference], name: str, report: Report
) -> Iterator[Evidence]:
    """Yields an entry if the counts of questions and ends differ from those of the reference's run,
    which a forged report does not reproduce."""

    def ended(name: str) -> dict[str, Counts]:
        counts: dict[str, Counts] = {}
        for reference in all_of(references, name):
            by_test = cast(dict[str, Any], reference.facts.get("ended") or {})
            counts |= {id: Counts(*numbers) for id, numbers in by_test.items()}
        return counts

    usual, oracle = ended(name), ended(ORACLE)
    others = [id for id in report.ended if id not in usual]
    for id, counts in usual.items():
        ends = report.ended.get(id, _NO_END)
        more = ends.threw > counts.threw or ends.through > counts.through
        # A test that fails with the reference solution need not fail at the same place each time.
        fails = id not in oracle or oracle[id].threw > 0
        if (more or ends.ended < counts.ended) if fails else ends != counts:
            others.append(id)
    if usual and others:
        run = "In the control tests" if name == CONTROL else "Tests"
        sentence = f"{run} did not ask and end as with the reference solution: {_some(others)}."
        yield Evidence("questions", min(others), sentence)


def _without_end(
    references: Mapping[str, Reference], report: Report, by_oracle: Collection[str]
) -> Iterator[Evidence]:
    """Yields an entry if tests passed without a note of their end that the reference solution's run
    has, or after a failure that no reference's run has. Tests whose id does not name their
    function, such as inherited ones, are left out."""
    if any(event.kind == "unseen" for event in report.events):
        return
    ended = {(event.detail, event.asker) for event in report.events if event.kind == ENDED}
    named: dict[str, set[str]] = {}
    for id in by_oracle:
        function = ".".join(id.partition("[")[0].split("::")[1:])
        named.setdefault(function, set()).add(id)
    passed = {function for function, ids in named.items() if ids <= report.passed}
    lacking = [
        event
        for oracle in all_of(references, ORACLE)
        for event in events_of(oracle)
        if event.kind == ENDED and (event.detail, event.asker) not in ended
    ]
    usual = {event for reference in references.values() for event in events_of(reference)}
    again = [event for event in report.events - usual if event.kind == AGAIN]
    for how, events in (("without reaching their end", lacking), ("after they had failed", again)):
        places = sorted(f"{item.asker} ({item.detail})" for item in events if item.detail in passed)
        if places:
            where = places[0].partition(" (")[0]
            yield Evidence(ENDED, where, f"Tests passed {how}: {_some(places)}.")


def _beyond(
    references: Mapping[str, Reference], reports: Sequence[Report], alike: bool
) -> Iterator[Evidence]:
    """Entries for audit events that the references' runs do not have. Without `alike`, the
    reference solution fails some of the tests: then events of the tests themselves are not
    evidence."""

    def key(event: Event) -> Event:
        """The parts that are compared: not which of the project's functions read a file, and which
        method decided, because in the reference it may be another one."""
        if event.kind == DATA:
            return event._replace(asker="", owner="" if not event.owner else "project", line=0)
        return event._replace(detail="" if event.kind == COMPARE else event.detail, line=0)

    def is_of_tests(event: Event) -> bool:
        installed = event.asker.startswith("/") and not event.asker.startswith(_WRITABLE)
        in_tests = "test" in event.owner.partition(":")[0]
        return event.kind == COMPARE or (installed and in_tests)

    usual = {key(event) for reference in references.values() for event in events_of(reference)}
    events = {key(event): event for report in reports for event in sorted(report.events)}
    beyond = sorted(
        event
        for compared, event in events.items()
        if compared not in usual
        and event.kind not in (ENDED, AGAIN, UNCOMPILED)
        and (alike or not is_of_tests(event))
    )
    for kind, group in groupby(beyond, key=lambda event: event.kind):
        places = sorted(
            (f"{event.owner}, line {event.line}" if event.owner else event.asker)
            + (f" ({event.detail})" if event.detail else "")
            for event in group
        )
        sentence = f"{_SENTENCES.get(kind, f'{kind} is used')}: {_some(places)}."
        yield Evidence(kind, places[0].partition(" (")[0], sentence)
    workers = (reference.facts.get("asked") for reference in references.values())
    most = max((count for count in workers if isinstance(count, int)), default=0)
    asking = [number for number, report in enumerate(reports) if report.asked > most]
    if asking:
        sentence = "It asked for the kind of run, as only workers of pytest do."
        yield Evidence("question", "control" if asking[0] else "run", sentence)


def _some(ids: Iterable[str]) -> str:
    named = sorted(ids)
    more = len(named) - _NAMED
    return ", ".join(named[:_NAMED]) + (f" and {more} more" if more > 0 else "")

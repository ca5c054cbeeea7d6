"""Runs a project's own tests on its own files, in its image, as for generations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import astuple, replace
from functools import partial
from typing import TypeAlias

from evaluation.engine.errors import SandboxGone, give_up_if
from evaluation.engine.pipeline import TRIES, HostSlots, Losses, opened
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.stopping import aborting
from evaluation.engine.preparation.withholding import Passed
from evaluation.engine.projects.report import read
from evaluation.engine.projects.suite import first_watch, within
from evaluation.engine.records import DryRun, Execution, Json, Limits, Outcome, Prepared
from evaluation.engine.sandbox import attribution
from evaluation.engine.sandbox.fresh import Fresh

# A dry run determines which tests pass, not how fast.
_WALL_FACTOR = 1.5
_PIDS, _OPEN_FILES = 1024, 4096
_WORDS = 2000
# Timed runs of each command.
RUNS = 3
# Returns the times of a project; if nobody has measured them, it calls the function to do so.
Agreed: TypeAlias = Callable[[Prepared, Callable[[], DryRun | None]], DryRun | None]


def dry_run(
    image: Prepared, withheld: Mapping[str, str], options: Options, stopped: Callable[[], bool]
) -> tuple[Passed, str]:
    """The tests that pass if the image's hidden files are hidden, and a description of the last
    command without a passing test.

    Raises SandboxError, also when stopped. Does not wait for Docker to come back, because the build
    container is lost with it.
    """
    passed: set[tuple[str, str]] = set()
    failure = ""
    for command in image.project.test_commands:
        outcome = _outcome(image, _execution(image, command, withheld, options), stopped)
        passing = _passing(outcome)
        passed |= {(command, test) for test in passing}
        if not passing and outcome.died:
            failure = f"`{command}` took its container down ({outcome.died})."
        elif not passing:
            end = f"was stopped ({outcome.stop})" if outcome.stop else "ended"
            output = outcome.output[-_WORDS:].strip()
            failure = f"`{command}` {end}; its last output: {output}"
    return frozenset(passed), failure


def timed(
    prepared: Prepared,
    options: Options,
    slots: HostSlots,
    limits: Limits,
    *,
    agreed: Agreed = lambda _prepared, measure: measure(),
    say: Callable[[str], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Prepared:
    """The project with the dry run that bounds its limits, measured once and stored. Raises
    SandboxError, also when stopped."""
    if options.benchmark_limits:
        return replace(prepared, dry_run=None)

    def slowest() -> DryRun | None:
        """The slowest of all commands' runs; None if no test passes. Each run has the host for
        itself."""
        texts, dry_run = prepared.texts, None
        withheld = {path: texts[path] for path in prepared.project.withheld if path in texts}
        for command in prepared.project.test_commands:
            execution = _execution(prepared, command, withheld, options)
            for _ in range(RUNS):
                with slots.alone(stopped):
                    outcome = _outcome(prepared, execution, stopped)
                if not _passing(outcome):
                    break
                times = (outcome.cpu_seconds, outcome.wall_seconds, outcome.pause_seconds)
                dry_run = DryRun(*map(max, times, astuple(dry_run) if dry_run else times))
                bounded = within(limits, replace(prepared, dry_run=dry_run))
                if (bounded.cpu_seconds, bounded.wall_seconds) == (
                    limits.cpu_seconds,
                    limits.wall_seconds,
                ):
                    # Further runs would leave the benchmark's limits as they are, and take long.
                    break
        return dry_run

    def measure() -> DryRun | None:
        with store.making(prepared.key):
            is_known, dry_run = store.load_dry_run(options, prepared.key)
            if not is_known:
                say(f"{prepared.project.repository}: timing the tests")
                dry_run = slowest()
                store.save_dry_run(options, prepared.key, dry_run)
            return dry_run

    return replace(prepared, dry_run=agreed(prepared, measure))


def _execution(
    image: Prepared, command: str, withheld: Mapping[str, str], options: Options
) -> Execution:
    files: dict[str, Json] = {**withheld}
    payload: dict[str, Json] = {"files": files, "command": command, "report": image.project.report}
    if image.hidden:
        payload["watch"] = first_watch()
        payload["hidden"] = [*image.hidden]
    return Execution(
        "repository",
        payload,
        Limits(
            options.test_seconds,
            wall_factor=_WALL_FACTOR,
            memory=options.build_memory,
            pids=_PIDS,
            open_files=_OPEN_FILES,
        ),
    )


def _outcome(image: Prepared, execution: Execution, stopped: Callable[[], bool]) -> Outcome:
    """Two container deaths of the same kind are the tests' outcome. Raises SandboxError."""
    ends: list[str] = []
    losses = Losses()
    while True:
        sandbox = opened(partial(Fresh, image, execution.limits), patience=0.5, stopped=stopped)
        with closing(sandbox), aborting(sandbox.abort, stopped):
            try:
                return next(sandbox.run_all([execution]))
            except SandboxGone as gone:
                give_up_if(stopped)
                if gone.how in attribution.INFRASTRUCTURE_ENDS:
                    losses.note(gone)
                elif gone.how in ends:
                    return Outcome(died=gone.how)
                # After several container deaths of different kinds, the next one is an error.
                elif len(ends) == TRIES:
                    raise
                else:
                    ends.append(gone.how)


def _passing(outcome: Outcome) -> frozenset[str]:
    report = read(outcome)
    return report.passed if report.complete else frozenset()

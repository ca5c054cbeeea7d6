"""Judges the turns of a run's conversations as the site judges evaluations: with the tasks' hidden
part, which the conversations do not see."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Talks
from evaluation.engine.generation.run import Turns, open_turns
from evaluation.engine.records import Project
from evaluation.engine.sandbox.slots import Slots, kind_of
from evaluation.state.scheduling import limits_of
from evaluation.work.chunks import keep_unready, site_setup
from leaderboard import messages
from leaderboard.benchmarks.records import task_records
from leaderboard.generation.models import Run

log = logging.getLogger(__name__)

# Sandboxes per run or, if there are projects, per project. The host's slots limit the number
# that work at the same time, across all runs and chunks.
WORKERS = 2


@contextmanager
def open_site_turns(run: Run, talks: Talks, stopped: Callable[[], bool]) -> Iterator[Turns]:
    """Builds missing images and projects; a stop ends that within seconds. Raises SandboxError,
    and BenchmarkError with a message for the run's team."""
    revision, benchmark = run.revision, run.revision.benchmark
    judged = benchmark.family.by_execution()
    tells_errors = benchmark.shows_output
    # Its threads read no database while the conversations go on.
    tasks, left_out = tuple(task_records(revision).values()), revision.left_out()

    def unready(project: Project, _: object, error: BenchmarkError) -> None:
        """Raises the error unless all of the project's tasks are left out of results."""
        if not left_out.issuperset(keep_unready(revision, project, error)):
            raise error

    labels = {"assay.run": str(run.pk), "assay.attempt": str(run.attempt)}
    slots = Slots(kind=kind_of(judged), share=f"run {run.pk}")
    setup = replace(
        site_setup(limits_of(benchmark, run.setting), slots, labels),
        workers=WORKERS,
        stopped=stopped,
        unready=unready,
    )
    opened = open_turns(talks, judged, tasks, tasks, setup, errors=tells_errors)
    try:
        with opened as turns:
            yield replace(turns, environment={**turns.environment, "errors_told": tells_errors})
    except BenchmarkError as error:
        # The cause may quote hidden parts of the benchmark, or the site's setup.
        log.warning("Turns of run %s cannot be judged: %s", run.pk, error)
        raise BenchmarkError(messages.TURNS_UNREADY()) from None

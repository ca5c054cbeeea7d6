"""Judges the turns of a run's conversations as the site judges evaluations: with the tasks' hidden
part, which the conversations do not see."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution, Talks
from evaluation.engine.generation.turns import Turns, open_turns
from evaluation.engine.records import Limits, Project, Task
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


@dataclass(frozen=True, slots=True)
class TurnJudging:
    run: Run
    judged: ByExecution
    limits: Limits
    # `tasks` include their hidden part; `left_out` holds the primary keys of excluded tasks.
    tasks: tuple[Task, ...]
    left_out: frozenset[int]
    tells_errors: bool

    @classmethod
    def of(cls, run: Run) -> Self:
        revision, benchmark = run.revision, run.revision.benchmark
        return cls(
            run,
            benchmark.family.by_execution(),
            limits_of(benchmark, run.setting),
            tuple(task_records(revision).values()),
            revision.left_out(),
            benchmark.shows_output,
        )

    @contextmanager
    def opened(self, talks: Talks, stopped: Callable[[], bool]) -> Iterator[Turns]:
        """Builds missing images and projects; a stop ends that within seconds. Raises SandboxError,
        and BenchmarkError with a message for the run's team."""
        labels = {"assay.run": str(self.run.pk), "assay.attempt": str(self.run.attempt)}
        slots = Slots(kind=kind_of(self.judged), share=f"run {self.run.pk}")
        setup = replace(
            site_setup(self.limits, slots, labels),
            workers=WORKERS,
            stopped=stopped,
            unready=self._note_unready,
        )
        tells = self.tells_errors
        opened = open_turns(talks, self.judged, self.tasks, self.tasks, setup, errors=tells)
        try:
            with opened as turns:
                yield replace(turns, environment={**turns.environment, "errors_told": tells})
        except BenchmarkError as error:
            # The cause may quote hidden parts of the benchmark, or the site's setup.
            log.warning("Turns of run %s cannot be judged: %s", self.run.pk, error)
            raise BenchmarkError(messages.TURNS_UNREADY()) from None

    def _note_unready(self, project: Project, _: object, error: BenchmarkError) -> None:
        """Raises the error unless all of the project's tasks are left out of results."""
        if not self.left_out.issuperset(keep_unready(self.run.revision, project, error)):
            raise error

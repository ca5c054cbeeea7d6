"""Where a worker judges the turns of a run's conversations: as evaluations of the site are judged,
by what is hidden of the tasks too, of which the conversations themselves learn nothing.

Knows nothing of queues, and moves no run.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from evaluation.engine.conversations.dialogue import Name
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution, Talks
from evaluation.engine.generation import dynamic
from evaluation.engine.generation.judges import SandboxJudge
from evaluation.engine.generation.turns import open_turns
from evaluation.engine.preparation.workplaces import Setup
from evaluation.engine.records import Limits, Project, Task, TaskId, Verdict
from evaluation.state.scheduling import limits_of
from evaluation.state.units import judged_by
from evaluation.work.judging import keep_unready, site_setup
from leaderboard import messages
from leaderboard.benchmarks.records import task_records
from leaderboard.generation.models import Run

log = logging.getLogger(__name__)

# Sandboxes of a run, of each project where there are projects. No more of a host work at a time
# than it has slots, whoever else judges there.
WORKERS = 2


@dataclass(frozen=True, slots=True)
class Judging:
    """What judges turns of the tasks that can be judged; `environment` says by what."""

    judge: dynamic.Judge
    tasks: frozenset[TaskId]
    environment: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """What it takes to judge a run's turns, read beforehand."""

    run: Run
    talks: Talks
    judged: ByExecution
    limits: Limits
    # By primary key, with what is hidden of them; and those that staff have left out of results.
    tasks: Mapping[int, Task]
    left_out: frozenset[int]
    tells_errors: bool

    @classmethod
    def of(cls, run: Run, talks: Talks) -> Self:
        revision, benchmark = run.revision, run.revision.benchmark
        return cls(
            run,
            talks,
            judged_by(benchmark),
            limits_of(benchmark, run.setting),
            task_records(revision),
            revision.left_out(),
            benchmark.shows_output,
        )

    @contextmanager
    def opened(self, stop: threading.Event) -> Iterator[Judging]:
        """Makes ready what is missing, which `stop` ends within seconds. Raises SandboxError, and
        BenchmarkError in words for the run's team."""
        tasks = tuple(self.tasks.values())
        try:
            with open_turns(self.judged, tasks, tasks, self._setup(stop)) as turns:
                by_id = {task.id: task for task in tasks}
                judge = _Judge(SandboxJudge(self.talks, turns.places), by_id, self.tells_errors)
                environment = {**turns.environment, "errors_told": self.tells_errors}
                yield Judging(judge, frozenset(turns.places), environment)
        except BenchmarkError as error:
            # Why may quote what the benchmark hides, or how the site is set up.
            log.warning("Turns of run %s cannot be judged: %s", self.run.pk, error)
            raise BenchmarkError(messages.TURNS_UNREADY()) from None

    def _setup(self, stop: threading.Event) -> Setup:
        return site_setup(
            self.limits,
            {"assay.run": str(self.run.pk), "assay.attempt": str(self.run.attempt)},
            stop,
            self._note_unready,
            WORKERS,
        )

    def _note_unready(self, project: Project, _: object, error: BenchmarkError) -> None:
        """Nothing hangs on a project all of whose tasks are left out of results. Raises the error
        of any other, which staff then find with its tasks."""
        if not self.left_out.issuperset(keep_unready(self.run.revision, project, error)):
            raise error


class _Judge:
    """A conversation knows of its task what everybody may; the tests know it whole. What failed
    tests said is told on where nothing of them is hidden."""

    def __init__(
        self, judge: SandboxJudge, tasks: Mapping[TaskId, Task], tells_errors: bool
    ) -> None:
        self._judge, self._tasks, self._tells = judge, tasks, tells_errors

    async def __call__(
        self, task: Task, answer: str, names: Sequence[Name]
    ) -> Mapping[Name, Verdict]:
        """Raises SandboxError."""
        found = await self._judge(self._tasks[task.id], answer, names)
        if self._tells:
            return found
        return {name: replace(verdict, output="") for name, verdict in found.items()}

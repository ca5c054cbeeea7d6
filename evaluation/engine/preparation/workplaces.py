"""What it takes to judge generations inside one project: its image, references, canaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution, Canary, InProjects
from evaluation.engine.pipeline import HostSlots, Sandbox
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import using
from evaluation.engine.preparation.references import Say, ensure_references, sound
from evaluation.engine.records import Case, Limits, Prepared, Project, Reference, Task, TaskId
from evaluation.engine.sandbox.fresh import Fresh


@dataclass(frozen=True, slots=True)
class Workplace:
    """A prepared project with what judging in it needs; `tasks` of it alone."""

    prepared: Prepared
    tasks: Mapping[TaskId, Task]
    references: Mapping[TaskId, Mapping[str, Reference]]
    canaries: tuple[Canary, ...]
    open_sandbox: Callable[[], Sandbox]

    def filled(self, case: Case) -> Case:
        """The case with what was found out about its project and its task."""
        references = self.references[case.task.id]
        return replace(case, prepared=self.prepared, references=references)


@contextmanager
def open_workplace(
    judged: ByExecution,
    project: Project,
    tasks: Sequence[Task],
    options: Options,
    slots: HostSlots,
    *,
    limits: Limits,
    runtime: str | None = None,
    labels: dict[str, str] | None = None,
    workers: int = 1,
    say: Say = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    retry: bool = False,
) -> Iterator[Workplace]:
    """Prepares the project where this host has not done so, also one that could not be if told
    to `retry`, and runs the references of these tasks; nobody makes room by removing the image
    as long as this is open.

    Raises BenchmarkError where it cannot be built, SandboxError.
    """
    in_projects = required(judged)
    with using(project, options, say=say, stopped=stopped, retry=retry) as prepared:
        open_sandbox = partial(Fresh, prepared, limits, runtime=runtime, labels=labels)
        references = ensure_references(
            in_projects,
            tasks,
            prepared,
            options,
            open_sandbox,
            slots,
            workers=workers,
            say=say,
            stopped=stopped,
        )
        canaries = _canaries(in_projects, tasks, prepared, references)
        by_id = {task.id: task for task in tasks}
        yield Workplace(prepared, by_id, references, canaries, open_sandbox)


def required(judged: ByExecution) -> InProjects:
    """How the family is judged inside projects. Raises BenchmarkError where it is not."""
    if judged.projects is None:
        raise BenchmarkError("This benchmark's generations are not judged inside projects.")
    return judged.projects


def _canaries(
    projects: InProjects,
    tasks: Iterable[Task],
    prepared: Prepared,
    references: Mapping[TaskId, Mapping[str, Reference]],
) -> tuple[Canary, ...]:
    """Those of the sound task that takes the least time; none where no task is sound."""
    fit = [task for task in tasks if sound(references[task.id])]
    if not fit:
        return ()
    cheapest = min(fit, key=lambda task: _seconds(references[task.id]))
    return projects.canaries(cheapest, prepared, references[cheapest.id])


def _seconds(references: Mapping[str, Reference]) -> float:
    return sum(reference.cpu_seconds for reference in references.values())

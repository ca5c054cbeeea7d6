"""Where generations are judged: one kind of sandbox for all, or each project's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution, Canary
from evaluation.engine.pipeline import HostSlots, Sandbox
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.workplaces import Workplace, open_workplace, required
from evaluation.engine.records import Case, Limits, Project, Reference, Task, TaskId
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener


@dataclass(frozen=True, slots=True)
class Place:
    """Tasks that are judged in sandboxes of one kind; `filled` gives a case what was prepared.
    `environment` says what the sandboxes are of."""

    tasks: frozenset[TaskId]
    filled: Callable[[Case], Case]
    open_sandbox: Callable[[], Sandbox]
    canaries: tuple[Canary, ...]
    environment: Mapping[str, Any]
    references: Mapping[TaskId, Mapping[str, Reference]]


def _raise(_project: Project, _tasks: Sequence[Task], error: BenchmarkError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class Way:
    """How places are opened, and by whom.

    options: asked for where there are projects alone.
    retry: whether projects are tried again that could not be built.
    unready(project, tasks, error): told of a project that cannot be made ready; where it raises
        nothing the project has no place.
    """

    limits: Limits
    slots: HostSlots
    options: Callable[[], Options]
    runtime: str | None = None
    workers: int = 1
    labels: Mapping[str, str] | None = None
    say: Callable[[str], None] = lambda _: None
    stopped: Callable[[], bool] = lambda: False
    retry: bool = False
    unready: Callable[[Project, Sequence[Task], BenchmarkError], None] = _raise


@contextmanager
def open_places(
    judged: ByExecution,
    tasks: Sequence[Task],
    all_tasks: Sequence[Task],
    way: Way,
    *,
    kit: bytes = b"",
) -> Iterator[list[Place]]:
    """The places of the tasks, of all that the benchmark has. Makes what is missing: images,
    prepared projects and their references. Raises BenchmarkError, SandboxError."""
    if judged.projects is None:
        yield [_in_image(judged, tasks, way, kit)]
        return
    chosen = frozenset(task.id for task in tasks)
    groups = joined(all_tasks, required(judged))
    options = way.options()
    with ExitStack() as stack:
        entered = [
            _entered(stack, judged, project, own, options, way)
            for project, group in groups.items()
            if (own := [task for task in group if task.id in chosen])
        ]
        yield [_in_project(one) for one in entered if one is not None]


def _in_image(judged: ByExecution, tasks: Sequence[Task], way: Way, kit: bytes) -> Place:
    image = images.ensure(docker.client(), judged.image, say=way.say)
    labels = dict(way.labels or {})
    reference, limits = image.reference, way.limits
    opened = opener(judged, reference, limits, runtime=way.runtime, labels=labels, kit=kit)
    chosen = frozenset(task.id for task in tasks)
    return Place(chosen, _as_it_is, opened, judged.canaries, {"image": image.digest}, {})


def _as_it_is(case: Case) -> Case:
    return case


def _entered(
    stack: ExitStack,
    judged: ByExecution,
    project: Project,
    tasks: Sequence[Task],
    options: Options,
    way: Way,
) -> Workplace | None:
    opened = open_workplace(
        judged,
        project,
        tasks,
        options,
        way.slots,
        limits=way.limits,
        runtime=way.runtime,
        labels=dict(way.labels or {}),
        workers=way.workers,
        say=way.say,
        stopped=way.stopped,
        retry=way.retry,
    )
    try:
        return stack.enter_context(opened)
    except BenchmarkError as error:
        way.unready(project, tasks, error)
        return None


def _in_project(workplace: Workplace) -> Place:
    prepared = workplace.prepared
    name = f"{prepared.project.repository}@{prepared.project.commit}"
    return Place(
        frozenset(workplace.tasks),
        workplace.filled,
        workplace.open_sandbox,
        workplace.canaries,
        {f"project {name}": {"image": prepared.digest, "base": prepared.base}},
        workplace.references,
    )

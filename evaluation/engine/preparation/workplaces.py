"""Opens the workplaces of a benchmark: one image for all tasks, or one for each project."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution, Canary, InProjects
from evaluation.engine.pipeline import Sandbox
from evaluation.engine.preparation.preparing import joined, using
from evaluation.engine.preparation.reference_runs import ensure_references, sound, timed
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.records import Case, Prepared, Project, Reference, Task, TaskId
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.session import opener


@dataclass(frozen=True, slots=True)
class Workplace:
    """An image, identified on this host by `digest`, that is ready to judge `tasks`. `prepared` and
    `references` are set inside projects only."""

    judged: ByExecution
    setup: Setup
    tasks: Mapping[TaskId, Task]
    open_sandbox: Callable[[], Sandbox]
    canaries: tuple[Canary, ...]
    image: str = ""
    digest: str = ""
    prepared: Prepared | None = None
    references: Mapping[TaskId, Mapping[str, Reference]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, Any]:
        if self.prepared is None:
            return {"image": self.digest}
        project = self.prepared.project
        name = f"project {project.repository}@{project.commit}"
        return {name: {"image": self.digest, "base": self.prepared.base}}

    def cases(self, cases: Iterable[Case]) -> list[Case]:
        here = [case for case in cases if case.task.id in self.tasks]
        prepared, references = self.prepared, self.references
        if prepared is None:
            return here
        return [replace(c, prepared=prepared, references=references[c.task.id]) for c in here]


@contextmanager
def open_workplaces(
    judged: ByExecution,
    tasks: Sequence[Task],
    all_tasks: Sequence[Task],
    setup: Setup,
    *,
    kit: bytes = b"",
) -> Iterator[list[Workplace]]:
    """Removes sandboxes of dead processes; makes missing images, projects and references.
    `all_tasks` are the benchmark's. Raises BenchmarkError, SandboxError."""
    docker.sweep()
    if judged.projects is None:
        image, labels = images.ensure(docker.client(), judged.image, say=setup.say), setup.labels
        open_sandbox = opener(
            judged, image.reference, setup.limits, runtime=setup.runtime, labels={**labels}, kit=kit
        )
        by_id = {task.id: task for task in tasks}
        place = image.reference, image.digest
        yield [Workplace(judged, setup, by_id, open_sandbox, judged.canaries, *place)]
        return
    chosen = frozenset(task.id for task in tasks)
    with ExitStack() as stack:
        workplaces = []
        for project, group in joined(all_tasks, judged.projects).items():
            if not (group := [task for task in group if task.id in chosen]):
                continue
            try:
                workplace = open_workplace(judged, project, group, setup)
                workplaces.append(stack.enter_context(workplace))
            except BenchmarkError as error:
                if setup.unready is None:
                    raise
                setup.unready(project, group, error)
        yield workplaces


@contextmanager
def open_workplace(
    judged: ByExecution, project: Project, tasks: Sequence[Task], setup: Setup
) -> Iterator[Workplace]:
    """Prepares the project, whose image is not evicted while this is open. Raises BenchmarkError if
    it cannot be built, SandboxError."""
    in_projects = required(judged)
    with using(project, setup) as untimed:
        prepared = timed(untimed, setup)
        open_sandbox = partial(
            Fresh, prepared, setup.limits, runtime=setup.runtime, labels={**setup.labels}
        )
        # Slots bound what runs at a time.
        wide = replace(setup, workers=max(setup.workers, setup.options().parallel))
        references = ensure_references(in_projects, tasks, prepared, open_sandbox, wide)
        by_id = {task.id: task for task in tasks}
        canaries: tuple[Canary, ...] = ()
        if sound_tasks := [task for task in tasks if sound(references[task.id])]:
            # Those of the task that costs the least processor time.
            costs = {id: sum(r.cpu_seconds for r in references[id].values()) for id in by_id}
            cheapest = min(sound_tasks, key=lambda task: costs[task.id])
            canaries = in_projects.canaries(cheapest, prepared, references[cheapest.id])
        place = (prepared.image, prepared.digest, prepared, references)
        yield Workplace(judged, setup, by_id, open_sandbox, canaries, *place)


def required(judged: ByExecution) -> InProjects:
    """Raises BenchmarkError if the family has no functions for projects."""
    if judged.projects is None:
        raise BenchmarkError("This benchmark's generations are not judged inside projects.")
    return judged.projects

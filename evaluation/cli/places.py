"""Where the command line judges: one kind of sandbox for all, or each project's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from evaluation.engine.family import ByExecution, Canary
from evaluation.engine.pipeline import HostSlots, Sandbox
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.workplaces import Workplace, open_workplace, required
from evaluation.engine.records import Case, Limits, Reference, Task, TaskId
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Tasks that are judged in sandboxes of one kind, and cases of them; `filled` gives a case
    what was prepared. `environment` says what the sandboxes are of."""

    tasks: frozenset[TaskId]
    cases: Sequence[Case]
    filled: Callable[[Case], Case]
    open_sandbox: Callable[[], Sandbox]
    canaries: tuple[Canary, ...]
    environment: Mapping[str, Any]
    references: Mapping[TaskId, Mapping[str, Reference]]


class Wanted(Protocol):
    """What `intake.Given` says of what is to be judged."""

    @property
    def tasks(self) -> Sequence[Task]: ...
    @property
    def all_tasks(self) -> Sequence[Task]: ...
    def cases(self) -> Iterable[Case]: ...
    def kit(self) -> bytes: ...


@contextmanager
def places(
    found: Wanted,
    judged: ByExecution,
    limits: Limits,
    slots: HostSlots,
    *,
    runtime: str | None,
    workers: int,
    say: Say,
) -> Iterator[list[Place]]:
    """What is to be judged, place by place. Makes what is missing: images, prepared projects
    and their references. Raises BenchmarkError, SandboxError."""
    cases = list(found.cases())
    if judged.projects is None:
        image = images.ensure(docker.client(), judged.image, say=say)
        opened = opener(judged, image.reference, limits, runtime=runtime, kit=found.kit())
        chosen = frozenset(task.id for task in found.tasks)
        yield [
            Place(chosen, cases, _as_it_is, opened, judged.canaries, {"image": image.digest}, {})
        ]
        return
    enter = partial(
        open_workplace,
        judged,
        options=Options.from_environment(os.environ),
        slots=slots,
        limits=limits,
        runtime=runtime,
        workers=workers,
        say=say,
        # Whoever types the command again has mended what kept it from being built.
        retry=True,
    )
    chosen = frozenset(task.id for task in found.tasks)
    wanted = [
        (project, [task for task in tasks if task.id in chosen])
        for project, tasks in joined(found.all_tasks, required(judged)).items()
    ]
    with ExitStack() as stack:
        entered = [
            stack.enter_context(enter(project=project, tasks=tasks))
            for project, tasks in wanted
            if tasks
        ]
        yield [_place(workplace, cases) for workplace in entered]


def _as_it_is(case: Case) -> Case:
    return case


def _place(workplace: Workplace, cases: Sequence[Case]) -> Place:
    prepared = workplace.prepared
    name = f"{prepared.project.repository}@{prepared.project.commit}"
    return Place(
        frozenset(workplace.tasks),
        [workplace.filled(case) for case in cases if case.task.id in workplace.tasks],
        workplace.filled,
        workplace.open_sandbox,
        workplace.canaries,
        {f"project {name}": {"image": prepared.digest, "base": prepared.base}},
        workplace.references,
    )

"""Where the command line judges: one kind of sandbox for all, or each project's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluation.cli.intake import Given
from evaluation.engine.family import ByExecution, Canary
from evaluation.engine.pipeline import HostSlots, Sandbox
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.workplaces import Workplace, open_workplace, required
from evaluation.engine.records import Case, Limits, Reference, TaskId
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Cases that are judged in sandboxes of one kind. `environment` says what they are of."""

    cases: Sequence[Case]
    open_sandbox: Callable[[], Sandbox]
    canaries: tuple[Canary, ...]
    environment: Mapping[str, Any]
    references: Mapping[TaskId, Mapping[str, Reference]]


@contextmanager
def places(
    found: Given,
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
        kit = found.family.kit(found.predictions.tasks) if found.family.kit else b""
        opened = opener(judged, image.reference, limits, runtime=runtime, kit=kit)
        yield [Place(cases, opened, judged.canaries, {"image": image.digest}, {})]
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
    chosen = {task.id for task in found.tasks}
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


def _place(workplace: Workplace, cases: Sequence[Case]) -> Place:
    prepared = workplace.prepared
    name = f"{prepared.project.repository}@{prepared.project.commit}"
    return Place(
        [workplace.filled(case) for case in cases if case.task.id in workplace.tasks],
        workplace.open_sandbox,
        workplace.canaries,
        {f"project {name}": {"image": prepared.digest, "base": prepared.base}},
        workplace.references,
    )

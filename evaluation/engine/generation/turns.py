"""Where the turns of dynamic conversations are judged: sandboxes for every task, as long as the
conversations go on. Whoever holds them says how these are opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.engine.family import ByExecution
from evaluation.engine.generation.judges import Place, Pool
from evaluation.engine.preparation.workplaces import Setup, open_workplaces
from evaluation.engine.records import Task, TaskId


@dataclass(frozen=True, slots=True)
class Turns:
    """A place for each task whose turns can be judged; `environment` says of what kind they are."""

    places: Mapping[TaskId, Place]
    environment: Mapping[str, Any]


@contextmanager
def open_turns(
    judged: ByExecution, tasks: Sequence[Task], all_tasks: Sequence[Task], setup: Setup
) -> Iterator[Turns]:
    """Makes what is missing: images, prepared projects. No family that holds conversations has
    anything its tasks share. Raises BenchmarkError, SandboxError."""
    with ExitStack() as stack:
        found: dict[TaskId, Place] = {}
        environment: dict[str, Any] = {"limits": asdict(setup.limits)}
        for place in stack.enter_context(open_workplaces(judged, tasks, all_tasks, setup)):
            pool = Pool(
                judged,
                place.open_sandbox,
                setup.slots,
                workers=setup.workers,
                limits=setup.limits,
                canaries=place.canaries,
            )
            stack.enter_context(pool)
            found |= {task: Place(pool, place.filled) for task in place.tasks}
            environment |= place.environment
        yield Turns(found, environment)

"""Where the turns of dynamic conversations are judged."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.cli.places import places
from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.family import ByExecution, Family
from evaluation.engine.generation import judges
from evaluation.engine.records import Case, Limits, Task, TaskId
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.slots import Slots


@dataclass(frozen=True, slots=True)
class Places:
    """A place for each task that can be judged; `environment` says of what kind they are."""

    by_task: Mapping[TaskId, judges.Place]
    environment: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Wanted:
    tasks: Sequence[Task]
    all_tasks: Sequence[Task]

    def cases(self) -> Sequence[Case]:
        """None yet: they come as the conversations go on."""
        return ()

    def kit(self) -> bytes:
        """Nothing: no family that holds conversations has anything its tasks share."""
        return b""


@contextmanager
def opened_places(
    family: Family,
    tasks: Sequence[Task],
    all_tasks: Sequence[Task],
    limits: Limits,
    words: argparse.Namespace,
) -> Iterator[Places]:
    """Makes what is missing: images, prepared projects. Raises BenchmarkError, SandboxError."""
    judged = family.judged
    assert isinstance(judged, ByExecution), "who talks by verdicts is judged by running"
    docker.sweep()
    slots, found = Slots(), _Wanted(tasks, all_tasks)
    with ExitStack() as stack:
        how = {"runtime": words.runtime, "workers": words.workers}
        opened = stack.enter_context(places(found, judged, limits, slots, **how, say=_say))
        stack.callback(_sweep)
        by_task: dict[TaskId, judges.Place] = {}
        environment: dict[str, Any] = {"limits": asdict(limits)}
        for place in opened:
            pool = judges.Pool(
                judged,
                place.open_sandbox,
                slots,
                workers=words.workers,
                limits=limits,
                canaries=place.canaries,
            )
            stack.enter_context(pool)
            by_task |= {task: judges.Place(pool, place.filled) for task in place.tasks}
            environment |= place.environment
        _require(tasks, by_task)
        yield Places(by_task, environment)


def _require(tasks: Sequence[Task], by_task: Mapping[TaskId, judges.Place]) -> None:
    missing = [task.id for task in tasks if task.id not in by_task]
    if missing:
        raise BenchmarkError(
            f"{len(missing)} tasks cannot be judged here, {missing[0]} first: leave them out."
        )


def _sweep() -> None:
    # One that could not be removed while the engine was away.
    with contextlib.suppress(SandboxError):
        docker.sweep(own=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

"""Where a command has the turns of dynamic conversations judged."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evaluation.cli.places import way
from evaluation.engine.errors import SandboxError
from evaluation.engine.family import ByExecution, Family
from evaluation.engine.generation.turns import Turns, open_turns
from evaluation.engine.records import Limits, Task
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.slots import Slots


@contextmanager
def opened_turns(
    family: Family,
    tasks: Sequence[Task],
    all_tasks: Sequence[Task],
    limits: Limits,
    words: argparse.Namespace,
) -> Iterator[Turns]:
    """Makes what is missing: images, prepared projects. Raises BenchmarkError, SandboxError."""
    judged = family.judged
    assert isinstance(judged, ByExecution), "who talks by verdicts is judged by running"
    how = way(limits, Slots(), runtime=words.runtime, workers=words.workers)
    try:
        with open_turns(judged, tasks, all_tasks, how) as turns:
            yield turns
    finally:
        # One that could not be removed while the engine was away.
        with contextlib.suppress(SandboxError):
            docker.sweep(own=True)

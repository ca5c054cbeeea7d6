"""Where a command has the turns of dynamic conversations judged."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evaluation.cli.places import setup, swept
from evaluation.engine.family import ByExecution, Family
from evaluation.engine.generation.turns import Turns, open_turns
from evaluation.engine.records import Limits, Task


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
    opened = open_turns(judged, tasks, all_tasks, setup(limits, words))
    with swept(), opened as turns:
        yield turns

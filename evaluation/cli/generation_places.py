"""Where a command has the turns of dynamic conversations judged."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evaluation.cli.places import setup, swept
from evaluation.engine.family import ByExecution, Family, Talks
from evaluation.engine.generation.turns import Turns, open_turns
from evaluation.engine.records import Task


@contextmanager
def opened_turns(
    family: Family,
    talks: Talks,
    tasks: Sequence[Task],
    all_tasks: Sequence[Task],
    words: argparse.Namespace,
) -> Iterator[Turns]:
    """Makes what is missing: images, prepared projects. Raises BenchmarkError, SandboxError."""
    judged = family.judged
    assert isinstance(judged, ByExecution), "who talks by verdicts is judged by running"
    opened = open_turns(talks, judged, tasks, all_tasks, setup(talks.limits, words))
    with swept(), opened as turns:
        yield turns

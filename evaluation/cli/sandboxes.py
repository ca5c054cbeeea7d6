"""Sets up the sandboxes of commands; prints progress on standard error."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.engine.errors import SandboxError
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.workplaces import Setup
from evaluation.engine.records import Limits
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.slots import Slots, kind_of


def setup(limits: Limits, words: argparse.Namespace, judged: ByExecution) -> Setup:
    return Setup(
        limits,
        slots(kind_of(judged)),
        lambda: Options.from_environment(),
        runtime=words.runtime,
        workers=words.workers,
        say=say,
        # A user who repeats the command has usually fixed what broke the build.
        retry=True,
    )


def slots(kind: str) -> Slots:
    """The slots for this command, which says on standard error what it waits for."""
    return Slots(kind=kind, share=f"command {os.getpid()}", say=say)


@contextmanager
def swept() -> Iterator[None]:
    """Removes this process's sandboxes that could not be removed earlier because Docker was
    unreachable."""
    try:
        yield
    finally:
        with contextlib.suppress(SandboxError):
            docker.sweep(own=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

"""Sets up the sandboxes of commands; prints progress on standard error."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.engine.errors import SandboxError
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.workplaces import Setup
from evaluation.engine.records import Limits
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.slots import Slots


def setup(limits: Limits, words: argparse.Namespace) -> Setup:
    return Setup(
        limits,
        Slots(),
        lambda: Options.from_environment(),
        runtime=words.runtime,
        workers=words.workers,
        say=say,
        # A user who repeats the command has usually fixed what broke the build.
        retry=True,
    )


@contextmanager
def swept() -> Iterator[None]:
    """Removes this process's sandboxes that are left because Docker was unreachable."""
    try:
        yield
    finally:
        with contextlib.suppress(SandboxError):
            docker.sweep(own=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

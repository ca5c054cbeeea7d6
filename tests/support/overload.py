"""Other work on the machine: more busy processes than it has processors."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def overload(times: int) -> Iterator[None]:
    """Runs this many busy processes for each processor. Each has its own session, because a kernel
    may give a whole session no more time than one container."""
    program = [sys.executable, "-c", "while True: pass"]
    with ExitStack() as stack:
        for _ in range(times * len(os.sched_getaffinity(0))):
            process = subprocess.Popen(program, start_new_session=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield

"""Other work on the machine: more busy processes than it has processors."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def overload(times: int) -> Iterator[None]:
    """Keeps so many processes busy for each processor. Each is a session of its own, because a
    kernel may give a session no more than a container."""
    program = [sys.executable, "-c", "while True: pass"]
    with ExitStack() as stack:
        for _ in range(times * len(os.sched_getaffinity(0))):
            process = subprocess.Popen(program, start_new_session=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield

"""Builds the file under test from a RealCode generation, and sets the limits of its tests."""

from __future__ import annotations

from evaluation.engine.families.realcode.dataset import REPORT
from evaluation.engine.families.realcode.postprocessing import body_of, indent_of, joined
from evaluation.engine.projects import python_control
from evaluation.engine.projects.bodies import Bodies, Body, suite_of
from evaluation.engine.records import Limits, Task

# The authors' seconds and memory; the other limits as projects' test suites need them.
LIMITS = Limits(cpu_seconds=300.0, memory=10 * 2**30, output=64 * 2**20, pids=512, open_files=4096)


def _body(task: Task, generation: str) -> Body:
    return body_of(generation, task.public["entry_point"], task.hidden["gt"])


BODIES = Bodies(
    of=_body,
    joined=joined,
    stubs={
        "stub_pass": lambda task: indent_of(task.hidden["gt"]) + "pass",
        "stub_empty_str": lambda task: indent_of(task.hidden["gt"]) + 'return ""',
    },
)
SUITE = suite_of(
    BODIES,
    report=REPORT,
    limits=LIMITS,
    dry_run_limits=LIMITS,
    rewrite=python_control.rewritten,
    test_file=python_control.test_file,
)

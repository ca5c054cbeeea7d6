"""Builds the file under test from a RealCodeJava generation, and sets the limits of its tests."""

from __future__ import annotations

from dataclasses import replace

from evaluation.engine.families.realcode_java.dataset import REPORT
from evaluation.engine.families.realcode_java.postprocessing import body_of, joined
from evaluation.engine.projects import java_control
from evaluation.engine.projects.bodies import Bodies, Body, suite_of
from evaluation.engine.records import Limits, Task

# The authors' seconds and memory; the other limits as Maven, which starts JVMs, needs them.
LIMITS = Limits(
    cpu_seconds=1200.0, memory=10 * 2**30, output=64 * 2**20, pids=2048, open_files=16384
)
DRY_RUN_LIMITS = replace(LIMITS, cpu_seconds=1800.0)


def _body(task: Task, generation: str) -> Body:
    hidden = task.hidden
    return body_of(generation, task.public["entry_point"], hidden["left_context"], hidden["gt"])


BODIES = Bodies(of=_body, joined=joined, stubs={"stub_pass": lambda task: str(task.hidden["stub"])})
SUITE = suite_of(
    BODIES,
    report=REPORT,
    limits=LIMITS,
    dry_run_limits=DRY_RUN_LIMITS,
    rewrite=java_control.rewritten,
    test_file=java_control.test_file,
)

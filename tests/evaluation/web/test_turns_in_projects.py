"""Tests of dynamic conversations about functions of a real project, held by a worker: the project
is prepared, each turn is judged in it, the run is interrupted, and the replayed transcripts are
accepted."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from evaluation.engine.preparation import store
from evaluation.models import EvaluationState
from evaluation.state.projects import options
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation.models import Run, RunState
from tests.evaluation.engine.families.codeif_repository.cases import ITEMS, TREE, written
from tests.evaluation.engine.preparation.repositories import write
from tests.evaluation.web.test_generating import endpoint, order, worked
from tests.evaluation.web.test_turns import judged, left_over, transcripts
from tests.support.endpoint import Endpoint, Messages

__all__ = ["endpoint", "order"]

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.any_database,
]

PROJECT = "Sailing/harbour"
PLAIN = "def metres(feet):\n    return round(feet * 0.3048, 2)\n"
REFUSES = """def metres(feet):
    if feet < 0:
        raise ValueError(feet)
    return round(feet * 0.3048, 2)
"""
ANNOTATED = REFUSES.replace("(feet):", "(feet: float) -> float:")
# Answers in order: after Exception Handling, annotations are asked for twice.
TALKS = {"metres": [PLAIN, REFUSES, REFUSES, ANNOTATED], "is_afloat": [ITEMS[1]["code"]]}


def answer(messages: Messages) -> str:
    name = next(name for name in TALKS if f"'{name}'" in messages[0]["content"])
    return f"Here:\n```python\n{TALKS[name][len(messages) // 2]}```\n"


@pytest.fixture
def benchmark(db: None, tmp_path: Path, settings: Settings) -> Iterator[Benchmark]:
    """The sample, whose project is a tree of the operator's."""
    settings.LEASE_SECONDS = 600
    settings.PROJECTS = settings.PROJECTS | {
        "ASSAY_SOURCE_TREES": str(tmp_path / "trees"),
        "ASSAY_PROJECTS_DIR": str(tmp_path / "projects"),
    }
    write(tmp_path / "trees" / PROJECT, TREE)
    source = {"build_command": "pip install pytest", "requires": ["radon", "pytest"]}
    (tmp_path / "sources.json").write_text(json.dumps({PROJECT: source}))
    file = written(tmp_path, *ITEMS)
    yield import_revision(
        family_slug="codeif_repository", tasks=file, answers=None, label="sample"
    ).benchmark
    store.evict(replace(options(), most_bytes=0))


def test_they_are_held_in_the_project_and_taken(
    order: Callable[..., Run], endpoint: Endpoint, benchmark: Benchmark
) -> None:
    def ending(messages: Messages) -> str:
        if len(endpoint.requests) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
        return answer(messages)

    endpoint.answer = ending
    before = signal.getsignal(signal.SIGTERM)
    try:
        run = worked(order(benchmark=benchmark, setting="dynamic", width=1))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (run.state, run.tries, left_over(run)) == (RunState.WAITING, 0, []), run.cause
    run = worked(run)
    assert (run.state, run.total, run.progress["kept"]) == (RunState.FINISHED, 2, 2), run.cause
    said = {task: messages[1::2] for task, messages in transcripts(run).items()}
    assert [len(answers) for answers in said.values()] == [4, 1]
    assert judged(run).state == EvaluationState.DONE

"""Tests of a real project from its sources to the scores: it is prepared, its references run, and
generations are judged in it."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from pytest_django.fixtures import Settings

from evaluation.engine.preparation import store
from evaluation.engine.sandbox import docker
from evaluation.models import ChunkState, ReferenceVerdict
from evaluation.state.projects import options
from evaluation.work import actions
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from tests.evaluation.engine.preparation.repositories import commit
from tests.evaluation.web.test_scheduling import judge_waiting
from tests.support.cast import Cast

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.any_database,
]

CODE = '''def double(x):
    """Twice x."""
    return x * 2


def half(x):
    """Half of x."""
    return x / 2
'''
TESTS = """from thing.code import double, half

def test_double():
    assert double(4) == 8

def test_half():
    assert half(4) == 2.0
"""
TREE = {"thing/__init__.py": "", "thing/code.py": CODE, "tests/test_code.py": TESTS}


def task(number: int, name: str, at: str) -> dict[str, object]:
    """A task of the file's function of that name, whose body is two lines long."""
    lines = CODE.split("\n")
    body = lines.index(f"def {name}(x):") + 1
    left, right = "\n".join(lines[:body]), "\n".join(lines[body + 2 :])
    meta = {
        "id": number,
        "repo": "alice/thing",
        "base_commit": at,
        "gt": "\n".join(lines[body : body + 2]),
        "left_context": left,
        "right_context": right,
        "image_name": "python:3.11-slim-bookworm",
        "build_command": "pip install pytest",
        "test_command": "pytest tests",
        "fn": "thing/code.py",
        "PASS_TO_PASS": ["tests/test_code.py::test_double", "tests/test_code.py::test_half"],
        "FAIL_TO_PASS": [],
        "intent": f"{name}[function]",
        "intent_type": "function",
    }
    inputs = {"left_context": left}
    return {"instruction": "{left_context}", "inputs": inputs, "outputs": "", "meta": meta}


@pytest.fixture
def hidden_mirror(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """The repository, at a path that this host does not search yet."""
    settings.LEASE_SECONDS = 600
    settings.PROJECTS = settings.PROJECTS | {
        "ASSAY_REPOSITORIES": f"{tmp_path}/mirror/{{repository}}",
        "ASSAY_PROJECTS_DIR": str(tmp_path / "projects"),
    }
    yield tmp_path / "hidden/thing"
    store.evict(replace(options(), most_bytes=0))


@pytest.fixture
def benchmark(db: None, tmp_path: Path, hidden_mirror: Path) -> Benchmark:
    at = commit(hidden_mirror, TREE)
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(
        "\n".join(json.dumps(task(*each, at)) for each in enumerate(("double", "half")))
    )
    return import_revision(
        family_slug="realcode", tasks=tasks, answers=None, label="sample"
    ).benchmark


def containers_of_this_installation(*, since: int) -> list[object]:
    label = f"assay.installation={settings.DATA_DIR}"
    made = {"type": "container", "event": "create", "label": label}
    return list(docker.client().events(since=since, until=int(time.time()) + 1, filters=made))


def test_what_waits_for_a_project_is_judged_in_it_once_it_is_ready(
    shared_database: None, cast: Cast, tmp_path: Path, hidden_mirror: Path, benchmark: Benchmark
) -> None:
    submission = cast.submission(
        cast.entrant(), benchmark=benchmark, samples=1, text="    return x * 2\n"
    )
    evaluation = actions.open_evaluation(submission=submission)
    assert judge_waiting(evaluation)[-1].state == ChunkState.LOST

    (tmp_path / "mirror/alice").mkdir(parents=True)
    hidden_mirror.rename(tmp_path / "mirror/alice/thing")
    out, begun = StringIO(), int(time.time())
    call_command("prepare_repositories", "realcode", "--references", stdout=out)
    assert containers_of_this_installation(since=begun)
    assert "1 of 1: alice/thing@" in out.getvalue()
    assert "1 evaluations that waited for these projects resume." in out.getvalue()
    found = ReferenceVerdict.objects.order_by("task__number", "pk")
    told = list(found.values_list("name", "status", "tests_passed", "tests_total", "unsound"))
    assert (
        told[:5]
        == told[5:]
        == [
            ("dry_run", "passed", 2, 2, ""),
            ("oracle", "passed", 2, 2, ""),
            ("control", "failed", 0, 2, ""),
            ("stub_pass", "failed", 1, 2, ""),
            ("stub_empty_str", "failed", 1, 2, ""),
        ]
    )

    assert judge_waiting(evaluation)[-1].state == ChunkState.DONE
    right, wrong = evaluation.verdicts.order_by("generation__task__number")
    assert (right.status, right.integrity, right.control_ms is None) == ("passed", "clean", False)
    assert (wrong.status, wrong.control_ms) == ("failed", None)
    chunk = evaluation.chunks.get()
    assert chunk.image_digest == found[0].image_digest
    cast.score(evaluation)
    scores = evaluation.scores.filter(slice="overall").values_list("metric", "value")
    assert dict(scores) == {
        "pass@1": 0.5,
        "execution_success": 1.0,
        "num_samples": 2.0,
        "pass_dry_run@1": 1.0,
        "pass_oracle@1": 1.0,
        "pass_stub_empty_str@1": 0.0,
        "pass_stub_pass@1": 0.0,
    }
    evaluation.refresh_from_db()
    assert evaluation.image == chunk.base
    assert evaluation.image.startswith("python:3.11-slim-bookworm: ")

"""Tests of a real project from its sources to the scores: it is prepared, its references run, and
generations are judged in it."""

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
from tests.evaluation.web.test_scheduling import judge_waiting
from tests.support.cast import Cast
from tests.support.ledgers import Ledger, python_ledger

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.any_database,
]

RIGHT = "    return sum(RATES[name] * count for name, count in entries)\n"


@pytest.fixture
def ledger(tmp_path: Path, settings: Settings) -> Iterator[Ledger]:
    """A project whose repository this host does not find yet."""
    made = python_ledger(tmp_path)
    (tmp_path / "mirror").rename(tmp_path / "hidden")
    settings.LEASE_SECONDS = 600
    settings.PROJECTS = settings.PROJECTS | {
        "ASSAY_REPOSITORIES": made.mirror,
        "ASSAY_PROJECTS_DIR": str(tmp_path / "projects"),
    }
    yield made
    store.evict(replace(options(), most_bytes=0))


def containers_of_this_installation(*, since: int) -> list[object]:
    label = f"assay.installation={settings.DATA_DIR}"
    made = {"type": "container", "event": "create", "label": label}
    return list(docker.client().events(since=since, until=int(time.time()) + 1, filters=made))


def test_what_waits_for_a_project_is_judged_in_it_once_it_is_ready(
    shared_database: None, cast: Cast, tmp_path: Path, ledger: Ledger
) -> None:
    imported = import_revision(
        family_slug="realcode", tasks=ledger.tasks, answers=None, label="sample"
    )
    submission = cast.submission(
        cast.entrant(), benchmark=imported.benchmark, samples=2, text=RIGHT
    )
    submission.generations.filter(sample=1).update(text="    return 0\n")
    evaluation = actions.open_evaluation(submission=submission)
    assert judge_waiting(evaluation)[-1].state == ChunkState.LOST

    (tmp_path / "hidden").rename(tmp_path / "mirror")
    out, begun = StringIO(), int(time.time())
    call_command("prepare_repositories", "realcode", "--references", stdout=out)
    assert containers_of_this_installation(since=begun)
    assert "1 of 1: assay/ledger@" in out.getvalue()
    assert "1 evaluations that waited for these projects resume." in out.getvalue()
    found = ReferenceVerdict.objects.order_by("pk")
    assert list(found.values_list("name", "status", "unsound")) == [
        ("dry_run", "passed", ""),
        ("oracle", "passed", ""),
        ("control", "failed", ""),
        ("stub_pass", "failed", ""),
        ("stub_empty_str", "failed", ""),
    ]

    assert judge_waiting(evaluation)[-1].state == ChunkState.DONE
    right, wrong = evaluation.verdicts.order_by("generation__sample")
    assert (right.status, right.integrity, right.control_ms is None) == ("passed", "clean", False)
    assert (wrong.status, wrong.control_ms) == ("failed", None)
    chunk = evaluation.chunks.get()
    assert chunk.image_digest == found[0].image_digest
    cast.score(evaluation)
    scores = evaluation.scores.filter(slice="overall").values_list("metric", "value")
    assert dict(scores) == {
        "pass@1": 0.5,
        "execution_success": 1.0,
        "num_samples": 1.0,
        "pass_dry_run@1": 1.0,
        "pass_oracle@1": 1.0,
        "pass_stub_empty_str@1": 0.0,
        "pass_stub_pass@1": 0.0,
    }
    evaluation.refresh_from_db()
    assert evaluation.image == chunk.base
    assert evaluation.image.startswith("python:3.11-slim-bookworm: ")

"""A benchmark whose tasks share sources: imported from a folder, predicted by a zip of classes,
judged in real containers."""

import csv
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.models import ChunkState, Verdict
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Revision
from leaderboard.submissions.intake import receive_upload
from tests.evaluation.engine.uploads.conftest import zipped
from tests.evaluation.web.test_intake import storing
from tests.evaluation.web.test_scheduling import judge_waiting
from tests.support.cast import FAMILIES, Cast

pytestmark = pytest.mark.any_database

SAMPLE = FAMILIES / "aixbench_auto/sample"


@pytest.fixture
def revision(db: None) -> Revision:
    found = import_revision(
        family_slug="aixbench_auto", tasks=SAMPLE / "checkout", answers=None, label="sample"
    )
    return found.revision


@pytest.mark.docker
def test_a_zip_of_classes_is_judged_as_from_the_command_line(
    shared_database: None, uploads: Path, settings: Settings, cast: Cast, revision: Revision
) -> None:
    settings.LEASE_SECONDS = 600
    classes = {path.name: path.read_bytes() for path in (SAMPLE / "willow/base").glob("*.java")}
    upload = receive_upload(
        user=cast.alice,
        entrant=cast.entrant(),
        revision=revision,
        setting="base",
        file=ContentFile(zipped(classes), "willow.zip"),
    )
    evaluation = jobs.open_submission(upload=storing(upload))
    judged = judge_waiting(evaluation)
    assert {chunk.state for chunk in judged} == {ChunkState.DONE}, judged[0].cause
    with (SAMPLE / "expected.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "willow"]
    expected = {row["task_id"]: row["status"] for row in rows}
    found = Verdict.objects.filter(evaluation=evaluation).select_related("generation__task")
    assert {row.generation.task.external_id: row.status for row in found} == expected

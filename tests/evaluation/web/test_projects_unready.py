"""Projects that cannot be prepared: nothing is judged, the submission is not blamed, and staff
are notified."""

import threading
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from evaluation.models import Chunk, ChunkState, Evaluation, ReferenceVerdict
from evaluation.state import scheduling
from evaluation.work import actions, chunks
from leaderboard.benchmarks.models import Benchmark
from leaderboard.checks import project_settings
from tests.evaluation.engine.preparation.repositories import commit
from tests.evaluation.web.test_scheduling import claim
from tests.support import in_projects as support
from tests.support.cast import Cast
from tests.support.in_projects import in_projects

pytestmark = pytest.mark.any_database

__all__ = ["in_projects"]


@pytest.fixture
def nowhere(settings: Settings, tmp_path: Path) -> Path:
    """The path where this host's mirror should be, but is not."""
    settings.LEASE_SECONDS = 600
    settings.PROJECTS = {
        "ASSAY_REPOSITORIES": f"{tmp_path}/mirror/{{name}}.git",
        "ASSAY_PROJECTS_DIR": str(tmp_path / "projects"),
    }
    return tmp_path


@pytest.fixture
def evaluation(cast: Cast, in_projects: Benchmark, nowhere: Path) -> Evaluation:
    submission = cast.submission(cast.entrant(), benchmark=in_projects, samples=1)
    return actions.open_evaluation(submission=submission)


@pytest.fixture
def unbuildable(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources of only one of the three projects exist."""
    made = commit(nowhere / "mirror/one.git", {"README": "There is nothing to build."})
    monkeypatch.setattr(support, "COMMIT", made)


def command(*arguments: str, ready: str) -> str:
    """The output of the command, which ends with this number of projects that are not ready."""
    out = StringIO()
    with pytest.raises(CommandError, match=f"{ready} projects are not ready"):
        call_command("prepare_repositories", "in-projects", *arguments, stdout=out)
    return out.getvalue()


def judged(evaluation: Evaluation) -> Chunk:
    chunk = claim(evaluation)
    chunks.judge_chunk(chunk=chunk, stop=threading.Event())
    chunk.refresh_from_db()
    assert (chunk.state, chunk.not_before) == (ChunkState.LOST, None)
    return chunk


@pytest.mark.docker
def test_without_sources_the_chunk_is_lost_and_its_tasks_are_as_they_were(
    shared_database: None, evaluation: Evaluation
) -> None:
    chunk = judged(evaluation)
    assert "The sources of nobody/one at 0123456789abcdef" in chunk.cause
    assert list(evaluation.verdicts.values_list("status", flat=True)) == ["not_run"] * 4
    said = command("--references", "--parallel", "1", ready="3 of 3")
    for number, name in enumerate(("one", "two", "three"), start=1):
        assert f"{number} of 3: nobody/{name}@0123456789ab is not ready" in said
    assert "\nnobody/two@0123456789ab is not ready:\n    " in said
    assert "take 0.0 of 50.0 GiB" in said
    assert "resume" not in said
    assert scheduling.lost_with(evaluation.submission.revision.benchmark).get() == chunk
    assert "nobody/one" not in command("--only", "nobody/two", ready="1 of 1")
    assert not ReferenceVerdict.objects.exists()


@pytest.mark.docker
def test_a_project_that_does_not_build_makes_its_tasks_unsound(
    shared_database: None, unbuildable: None, evaluation: Evaluation
) -> None:
    chunk = judged(evaluation)
    assert "it cannot be built" in chunk.cause
    for _ in range(2):
        rows = ReferenceVerdict.objects.filter(task__project__startswith="nobody/one")
        assert set(rows.values_list("name", "unsound")) == {("build", chunk.cause)}
        assert ReferenceVerdict.objects.count() == rows.count() == 4
        # The command marks them, too.
        rows.delete()
        assert "it cannot be built" in command("--only", "nobody/one", ready="1 of 1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none",), "There is no benchmark none; there are: aixbench-nl, in-projects, rucodeeval."),
        (("rucodeeval",), "not judged inside projects"),
        (("in-projects", "--revision", "x"), "in-projects has no revision x. Import one"),
        (("aixbench-nl",), "aixbench-nl has no current revision. Import one"),
        (("in-projects", "--only", "nobody/four"), "has no repository nobody/four"),
    ],
)
def test_the_command_says_what_is_not_there(
    cast: Cast, in_projects: Benchmark, nowhere: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert cast.rucodeeval.current is not None
    Benchmark.objects.create(slug="aixbench-nl", family_slug="aixbench_nl")
    with pytest.raises(CommandError, match=words):
        call_command("prepare_repositories", *arguments)


def test_a_setting_that_cannot_be_understood_is_told(
    in_projects: Benchmark, nowhere: Path, settings: Settings
) -> None:
    settings.PROJECTS = {"ASSAY_PROJECTS_GB": "many"}
    with pytest.raises(CommandError, match="ASSAY_PROJECTS_GB"):
        call_command("prepare_repositories", "in-projects")


def test_certificates_and_trees_that_are_missing_are_told(
    settings: Settings, tmp_path: Path
) -> None:
    settings.PROJECTS = {}
    assert project_settings() == []
    settings.PROJECTS = {
        "ASSAY_CA_BUNDLE": str(tmp_path / "ca.pem"),
        "ASSAY_SOURCE_TREES": str(tmp_path / "trees"),
    }
    assert [(check.id, check.msg) for check in project_settings()] == [
        ("assay.E009", f"The certificates in {tmp_path}/ca.pem cannot be read, and builds of "
         "projects need them."),
        ("assay.W006", f"There is no directory {tmp_path}/trees, which ASSAY_SOURCE_TREES names."),
    ]  # fmt: skip

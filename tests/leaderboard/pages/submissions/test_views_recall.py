"""Recall of the project's names, from stored verdicts to pages and files."""

import json
from pathlib import Path

import pytest
from django.urls import reverse

from evaluation.engine.projects.recall import names_of
from evaluation.engine.samples import sample_folder, sample_tasks
from evaluation.models import Verdict
from evaluation.work import actions
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.records import task_records
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


@pytest.fixture
def submission(cast: Cast) -> Submission:
    """Its generations use the first name of each kind."""
    folder = sample_folder("codeif_repository")
    assert folder is not None
    file: Path = sample_tasks(folder)
    made = import_revision(family_slug="codeif_repository", tasks=file, answers=None, label="s")
    revision = made.revision
    submission = cast.submission(
        cast.entrant(), benchmark=revision.benchmark, setting="base", samples=1
    )
    evaluation = actions.open_evaluation(submission=submission)
    cast.judge(evaluation, tier="shared")
    tasks = task_records(revision)
    for row in Verdict.objects.filter(evaluation=evaluation).select_related("generation"):
        names = names_of(tasks[row.generation.task_id])
        if names:
            counts = {kind: [1, len(of_kind)] for kind, of_kind in names.items() if kind != "all"}
            row.dependencies = {"all": [len(counts), len(names["all"])], **counts}
            row.save(update_fields=["dependencies"])
    cast.score(evaluation)
    cast.publish(submission)
    return submission


def test_a_generation_tells_how_many_names_it_uses(submission: Submission) -> None:
    row = submission.generations.get(task__external_id="harbour.allocation.assign")
    page = visitor().get(reverse("submission-task", args=[submission.pk, row.task.number])).text
    assert "uses 2 of 3 names of the project" in page
    assert "of its file 1 of 1" in page
    assert "of other files 1 of 2" in page
    assert "of its class" not in page


def test_the_file_of_verdicts_has_the_counts(submission: Submission) -> None:
    answer = visitor().get(reverse("submission-verdicts", args=[submission.pk]))
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    lines = {line["task_id"]: line for line in map(json.loads, content.splitlines())}
    counts = lines["harbour.allocation.assign"]["dependencies"]
    assert counts == {"all": [2, 3], "intra_file": [1, 1], "cross_file": [1, 2]}
    assert "dependencies" not in lines["harbour.tides.metres"]


def test_the_submission_and_the_board_show_recall_with_its_kinds(submission: Submission) -> None:
    scores = {
        (score.metric, score.slice, score.slice_value): score
        for evaluation in submission.evaluations.all()
        for score in evaluation.scores.all()
    }
    # Of 7 tasks with names: 2/2, 1/3, 1/2, 1/1, 1/1, 2/3, 1/1.
    whole = scores["recall@1", "overall", ""]
    assert whole.value == pytest.approx((1 + 1 / 3 + 1 / 2 + 1 + 1 + 2 / 3 + 1) / 7)
    assert whole.tasks == 7
    assert scores["recall cross_file@1", "overall", ""].value == pytest.approx(0.75)
    assert ("recall@1", "level", "L-3") in scores
    assert ("recall@5", "overall", "") not in scores
    page = visitor().get(submission.get_absolute_url()).text
    assert "recall@1" in page and "recall cross_file@1" in page
    board = visitor().get(submission.revision.benchmark.get_absolute_url()).text
    assert "recall of the project" in board

"""Transcripts sent to the site by HTTP, with verdicts that follow from what is known of their
turns."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.engine.family import Turn
from evaluation.engine.records import Status
from evaluation.models import Chunk, ChunkState, Evaluation, Verdict
from evaluation.state import scheduling
from evaluation.state.units import sets_of
from evaluation.work import actions
from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores.scoring import score_evaluation
from leaderboard.submissions.intake import check_upload, claim_upload
from leaderboard.submissions.models import Generation, Upload, UploadState
from tests.leaderboard.pages.submissions.visits import stored, visitor
from tests.support.transcripts import TASKS, file_of, honest, passes, tasks_file

Talks = Mapping[int, Sequence[Turn]]


@pytest.fixture
def benchmark(db: None, tmp_path: Path) -> Benchmark:
    """A benchmark with two tasks of the sample."""
    return import_revision(
        family_slug="codeif_function", tasks=tasks_file(tmp_path), answers=None, label="two"
    ).benchmark


def honest_talks() -> Talks:
    return {task: honest()[task] for task in TASKS}


def sent(benchmark: Benchmark, user: User, entrant: Entrant, content: bytes) -> Upload:
    """A checked upload that was sent by the form."""
    file = SimpleUploadedFile("dynamic.jsonl", content)
    data = {"board": f"{benchmark.slug}/dynamic", "entrant": entrant.slug, "file": file}
    answer = visitor(user).post("/submit/", data)
    assert answer.status_code == 302
    upload = Upload.objects.latest("pk")
    claimed = claim_upload(pk=upload.pk, owner="a test", state=UploadState.RECEIVED)
    assert claimed is not None and check_upload(upload=claimed)
    upload.refresh_from_db()
    return upload


def submitted(benchmark: Benchmark, user: User, entrant: Entrant, talks: Talks) -> Evaluation:
    """The evaluation of a stored submission, open to be judged."""
    upload = sent(benchmark, user, entrant, file_of(talks))
    assert upload.state == UploadState.CHECKED, upload.report["problems"]
    return actions.open_evaluation(submission=stored(upload))


def judge(evaluation: Evaluation, *, lost: Sequence[str] = ()) -> None:
    """Stores a verdict for each turn and set of tests; those of the `lost` sets could not be
    run."""
    sets = sets_of(evaluation.submission)
    rows = evaluation.submission.generations.select_related("task").order_by("pk")
    Verdict.objects.bulk_create(
        Verdict(
            evaluation=evaluation,
            generation=row,
            test_set=test_set,
            status=Status.NOT_RUN if test_set in lost else _status(row, test_set),
        )
        for row in rows
        for test_set in sets(row)
    )
    Chunk.objects.filter(evaluation=evaluation).update(state=ChunkState.DONE)


def _status(row: Generation, test_set: str) -> Status:
    task = row.task.id_in_dataset
    assert isinstance(task, int)
    return Status.PASSED if passes(task, row.text, test_set) else Status.FAILED


def score(evaluation: Evaluation) -> Evaluation:
    claimed = scheduling.claim_scoring(pk=evaluation.pk, owner="a test")
    assert claimed is not None and score_evaluation(evaluation=claimed)
    return Evaluation.objects.get(pk=evaluation.pk)


def scored(benchmark: Benchmark, user: User, entrant: Entrant, talks: Talks) -> Evaluation:
    evaluation = submitted(benchmark, user, entrant, talks)
    judge(evaluation)
    return score(evaluation)

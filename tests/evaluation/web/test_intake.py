"""A file becomes a submission with all its generations, or nothing of it is stored."""

import json
from functools import partial
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.engine.errors import UploadError
from evaluation.models import Chunk, Evaluation
from evaluation.work import actions
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.leases import ClaimLost
from leaderboard.submissions.intake import (
    Understood,
    check_upload,
    claim_upload,
    finish_submission,
    forget_files,
    receive_upload,
    store_generations,
)
from leaderboard.submissions.models import Generation, Submission, Upload, UploadState
from tests.evaluation.web.conftest import age, at_once
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.usefixtures("uploads")


def received(cast: Cast, content: bytes | None = None, name: str = "predictions.jsonl") -> Upload:
    revision = cast.rucodeeval.current
    assert revision is not None
    content = predictions(cast.rucodeeval) if content is None else content
    return receive_upload(
        user=cast.alice,
        entrant=Entrant.objects.first() or cast.entrant(),
        revision=revision,
        setting="base",
        file=ContentFile(content, name=name),
    )


def claim(upload: Upload, state: UploadState = UploadState.RECEIVED) -> Upload:
    found = claim_upload(pk=upload.pk, owner="desk", state=state)
    assert found is not None
    return found


def checked(upload: Upload) -> Upload:
    assert check_upload(upload=claim(upload))
    upload.refresh_from_db()
    return upload


def storing(upload: Upload) -> Upload:
    """Checked, confirmed, and claimed to be stored."""
    assert actions.confirm_upload(upload=checked(upload))
    return claim(upload, UploadState.CONFIRMED)


def test_what_a_file_says_of_how_it_was_made_is_kept(cast: Cast) -> None:
    said = {"model": "жук\0", "sampling": {"top_p": None, "temperature": 0.1}}
    header = json.dumps({"generation": said}).encode() + b"\n"
    upload = checked(received(cast, header + predictions(cast.rucodeeval), name="x\0.jsonl"))
    assert (upload.name, Understood.from_upload(upload).header) == ("x.jsonl", said)
    assert Understood.from_upload(checked(received(cast))).header is None


def test_texts_are_stored_as_they_were_sent(cast: Cast) -> None:
    texts = ["a\0b", "\U0001f600", "", "\r\n"]
    lines = map(json.loads, predictions(cast.rucodeeval).splitlines())
    rows = [{**line, "completion": text} for line, text in zip(lines, texts, strict=False)]
    upload = received(cast, "\n".join(map(json.dumps, rows)).encode())
    jobs.open_submission(upload=storing(upload))
    assert [*Generation.objects.order_by("pk").values_list("text", flat=True)] == texts


def test_a_stored_upload_is_a_submission_with_chunks_from_the_same_moment_on(cast: Cast) -> None:
    upload = storing(received(cast))
    submission = store_generations(upload=upload)
    write = actions.plan_evaluation(submission=submission)
    assert (Submission.objects.count(), Evaluation.objects.count()) == (0, 0)
    finish_submission(upload=upload, submission=submission)
    assert Submission.objects.get() == write().submission
    upload.refresh_from_db()
    assert (upload.state, upload.lease_until) == (UploadState.STORED, None)
    assert upload.submissions.get().generations_count == Generation.objects.count() == 12
    assert sum(Chunk.objects.values_list("size", flat=True)) == 12


def test_the_digest_does_not_depend_on_the_order(cast: Cast) -> None:
    content = predictions(cast.rucodeeval)
    backwards = b"".join(reversed(content.splitlines(keepends=True)))
    first, second, third = (
        store_generations(upload=storing(received(cast, file))).digest
        for file in (content, backwards, content.replace(b"pass", b"fail"))
    )
    assert first == second != third


def stored() -> tuple[int, int, int]:
    """The numbers of submissions, generations and evaluations, unfinished ones included."""
    every = Submission.with_unfinished, Generation.with_unfinished, Evaluation.objects
    submissions, generations, evaluations = (one.count() for one in every)
    return submissions, generations, evaluations


def test_a_claim_that_is_lost_checks_and_stores_nothing(cast: Cast) -> None:
    checking, late = claim(received(cast)), storing(received(cast))
    age(checking)
    age(late)
    assert not check_upload(upload=checking)
    checking.refresh_from_db()
    assert (checking.state, checking.report) == (UploadState.CHECKING, None)
    with pytest.raises(ClaimLost):
        jobs.open_submission(upload=late)
    assert stored() == (0, 0, 0)


@pytest.mark.parametrize("content", [b"", b"[", None])
def test_a_file_that_changed_after_the_check_is_refused(cast: Cast, content: bytes | None) -> None:
    upload = checked(received(cast))
    actions.confirm_upload(upload=upload)
    # The last content is a good file too, but a different one.
    other = predictions(cast.rucodeeval, text="    fail\n") if content is None else content
    Path(upload.file.path).write_bytes(other)
    Upload.objects.update(cause="An earlier try failed.")
    jobs.store_upload(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.cause) == (UploadState.REFUSED, "")
    assert len(Understood.from_upload(upload).problems) == 1
    assert stored() == (0, 0, 0)


def test_an_upload_is_confirmed_once_or_discarded_with_its_file(cast: Cast) -> None:
    first, second = checked(received(cast)), checked(received(cast))
    assert actions.confirm_upload(upload=first)
    assert not actions.confirm_upload(upload=first)
    assert not actions.discard_upload(upload=first)
    path = Path(second.file.path)
    assert actions.discard_upload(upload=second)
    assert not path.exists()
    assert not actions.confirm_upload(upload=second)
    second.refresh_from_db()
    assert second.state == UploadState.DISCARDED


def test_files_are_forgotten_when_nothing_is_to_be_done_with_them(
    cast: Cast, settings: Settings
) -> None:
    settings.UPLOAD_DAYS = -1
    upload = received(cast)
    assert forget_files() == 0
    checked(upload)
    assert forget_files() == 1
    upload.refresh_from_db()
    assert (upload.state, upload.file.name) == (UploadState.DISCARDED, "")


def test_of_many_at_once_one_stores(shared_database: None, cast: Cast) -> None:
    upload = received(cast)
    actions.confirm_upload(upload=checked(upload))
    at_once(*(partial(jobs.store_upload, upload.pk) for _ in range(4)))
    assert stored() == (1, 12, 1)


def test_a_closed_benchmark_is_refused_at_once(cast: Cast) -> None:
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(accepts=False)
    cast.rucodeeval.refresh_from_db()
    with pytest.raises(UploadError, match="does not accept submissions"):
        received(cast)
    assert not Upload.objects.exists()

"""A fault in the site itself is reported, retried, and finally given up."""

from pathlib import Path

import pytest
from django.utils.translation import override
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.models import Chunk, ChunkState, Evaluation
from evaluation.state import scheduling
from evaluation.work import actions
from evaluation.work.reconciling import reconcile
from leaderboard.messages import in_readers_language
from leaderboard.scores.boards import make_board, stale_boards
from leaderboard.scores.models import Board
from leaderboard.submissions.intake import MOST_TRIES, Understood, claim_upload
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.conftest import age
from tests.evaluation.web.test_intake import received
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


@pytest.fixture
def upload(cast: Cast, uploads: Path) -> Upload:
    return received(cast)


def test_a_check_that_fails_on_our_side_is_tried_again_and_then_refused_with_a_sentence(
    upload: Upload,
) -> None:
    upload.file.storage.delete(upload.file.name)
    for tries in range(1, MOST_TRIES + 1):
        with pytest.raises(FileNotFoundError):
            jobs.check_upload(upload.pk)
        upload.refresh_from_db()
        over = tries == MOST_TRIES
        assert upload.state == (UploadState.REFUSED if over else UploadState.RECEIVED)
        assert over or (upload.tries == tries and "FileNotFoundError" in upload.cause)
    (problem,) = Understood.from_upload(upload).problems
    assert "not because of the file" in problem.sentence
    with override("ru"):
        assert in_readers_language(problem.sentence).startswith("Сбой произошёл на нашей стороне")
        assert in_readers_language(upload.cause).startswith(
            "Внутренняя ошибка (FileNotFoundError). "
        )


def test_a_checking_worker_that_dies_counts_too(upload: Upload) -> None:
    for _ in range(MOST_TRIES):
        assert claim_upload(pk=upload.pk, owner="w", state=UploadState.RECEIVED)
        age(upload)
        reconcile()
    upload.refresh_from_db()
    assert upload.state == UploadState.REFUSED


def test_a_check_that_works_forgets_earlier_failures(upload: Upload) -> None:
    Upload.objects.filter(pk=upload.pk).update(tries=2, cause="x")
    jobs.check_upload(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.tries, upload.cause) == (UploadState.CHECKED, 0, "")


def test_a_fault_while_judging_is_told_as_one(
    evaluation: Evaluation, settings: Settings, cast: Cast
) -> None:
    chunk = Chunk.objects.order_by("number")[0]
    Evaluation.objects.update(limits={"nonsense": 1})
    with pytest.raises(TypeError):
        jobs.chunk(chunk.pk)
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 1)
    assert "TypeError" in chunk.cause


def test_scores_and_the_call_for_a_new_board_are_one_step(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    board = Board.objects.get()
    again = actions.judge_again(submission=submission)
    cast.judge(again, ("passed",))
    cast.score(again)
    assert list(stale_boards()) == [board]
    assert make_board(board=board)
    assert board.standings.get().evaluation == again


def test_a_result_that_is_not_public_calls_for_no_board(cast: Cast) -> None:
    cast.judged_submission(cast.entrant(), publish=False)
    assert not Board.objects.exists()


def test_the_lease_of_scoring_grows_with_the_generations(
    evaluation: Evaluation, cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEASE_SECONDS = 0.001
    monkeypatch.setattr(scheduling, "SCORED_PER_SECOND", 0.1)
    cast.judge(evaluation)
    claimed = scheduling.claim_scoring(pk=evaluation.pk, owner="w")
    assert (claimed.lease_until - claimed.created).total_seconds() > 300

"""What a team may store and have waiting is limited, and a refusal says what to do."""

from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.engine.errors import UploadError
from evaluation.models import Chunk, ChunkState
from evaluation.state.scheduling import waiting_generations
from evaluation.work import actions
from leaderboard.submissions.intake import forget_file
from leaderboard.submissions.models import Submission, Upload, UploadState
from leaderboard.submissions.quotas import ROW_BYTES, stored_bytes
from tests.evaluation.web.conftest import at_once
from tests.evaluation.web.test_intake import checked, claim, received, storing
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.usefixtures("uploads")
# The sample has 12 tasks; each answer is "    pass\n".
GENERATIONS, TEXTS = 12, 12 * 9


def judged(upload: Upload) -> Submission:
    return jobs.open_submission(upload=storing(upload)).submission


def test_files_and_generations_count_as_stored(cast: Cast) -> None:
    upload = checked(received(cast))
    size = len(predictions(cast.rucodeeval))
    assert stored_bytes(cast.northwood) == size
    assert actions.confirm_upload(upload=upload)
    rows = TEXTS + GENERATIONS * ROW_BYTES
    assert stored_bytes(cast.northwood) == size + rows
    submission = jobs.open_submission(upload=claim(upload, UploadState.CONFIRMED)).submission
    forget_file(upload=upload)
    assert (stored_bytes(cast.northwood), stored_bytes(cast.fenland)) == (rows, 0)
    submission.delete()
    assert stored_bytes(cast.northwood) == 0


def test_a_file_that_would_fill_the_teams_room_is_refused(cast: Cast, settings: Settings) -> None:
    upload = checked(received(cast))
    settings.TEAM_MOST_BYTES = stored_bytes(cast.northwood)
    with pytest.raises(UploadError, match="would store 1 MiB .* Discard uploads"):
        received(cast)
    with pytest.raises(UploadError, match="ask the site's staff"):
        actions.confirm_upload(upload=upload)
    upload.refresh_from_db()
    assert upload.state == UploadState.CHECKED


def test_generations_that_wait_count_until_they_are_judged(cast: Cast) -> None:
    submission = judged(received(cast))
    assert actions.confirm_upload(upload=checked(received(cast)))
    assert (waiting_generations(cast.northwood), waiting_generations(cast.fenland)) == (24, 0)
    Chunk.objects.filter(evaluation__submission=submission).update(judged=5)
    assert waiting_generations(cast.northwood) == 24 - 5
    Chunk.objects.update(state=ChunkState.DONE)
    assert waiting_generations(cast.northwood) == 12


def test_a_team_submits_when_its_earlier_files_are_judged(cast: Cast, settings: Settings) -> None:
    settings.TEAM_WAITING = 20
    judged(received(cast))
    upload = checked(received(cast))
    client = Client()
    client.force_login(cast.alice)
    page = client.post(reverse("upload-confirm", args=[upload.pk]), follow=True)
    assert "24 generations of your team would wait for judging, and 20 may wait" in page.text
    upload.refresh_from_db()
    assert upload.state == UploadState.CHECKED
    Chunk.objects.update(state=ChunkState.DONE)
    client.post(reverse("upload-confirm", args=[upload.pk]))
    upload.refresh_from_db()
    assert upload.state == UploadState.CONFIRMED


def test_of_two_files_at_once_one_takes_the_last_room(
    shared_database: None, cast: Cast, settings: Settings
) -> None:
    settings.TEAM_WAITING = 20
    uploads = [checked(received(cast)) for _ in range(2)]

    def confirmed(upload: Upload) -> bool:
        try:
            return actions.confirm_upload(upload=upload)
        except UploadError:
            return False

    assert sorted(at_once(*(partial(confirmed, upload) for upload in uploads))) == [False, True]

"""Generations are stored part by part: an unfinished submission is hidden from everyone, and the
next attempt, a refusal or the reconciler removes it."""

import json
import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest
from django.core.files.base import ContentFile
from django.db import connection

from evaluation import jobs
from evaluation.models import Evaluation
from evaluation.work import actions
from evaluation.work.reconciling import LEFTOVER_PARTS, reconcile
from leaderboard.accounts.models import Team
from leaderboard.leases import ClaimLost
from leaderboard.submissions import intake, parts
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import Generation, Submission, Upload, UploadState
from tests.evaluation.engine.uploads.conftest import zipped
from tests.evaluation.web.conftest import age, at_once, closing_connection
from tests.evaluation.web.test_intake import checked, received, stored, storing
from tests.support.cast import Cast, predictions
from tests.support.commands import wait_for

# Generations per task. With 12 sample tasks these are 1,200, which make twelve parts.
SAMPLES = 100


pytestmark = pytest.mark.usefixtures("uploads", "small_parts")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_ROWS", 100)


def many(cast: Cast, samples: int = SAMPLES, length: int = 10) -> bytes:
    """The given number of generations of each task, no two of them equal."""
    lines = [json.loads(line) for line in predictions(cast.rucodeeval).splitlines()]
    return b"".join(
        json.dumps({**line, "completion": f"{sample} {'x' * length}"}).encode() + b"\n"
        for line in lines
        for sample in range(samples)
    )


def half_stored(upload: Upload, generations: int) -> Submission:
    """An unfinished submission by the upload's present attempt."""
    submission = Submission.objects.create(
        upload=upload, entrant=upload.entrant, revision=upload.revision, setting="base",
        user=upload.user, generations_count=0, storing=upload.attempt,
    )  # fmt: skip
    task = upload.revision.tasks.order_by("pk")[0]
    Generation.objects.bulk_create(
        Generation(submission=submission, task=task, sample=sample, text="half")
        for sample in range(generations)
    )
    return submission


def taken_back(upload: Upload) -> None:
    """Takes the upload back, as if its worker were gone."""
    age(upload)
    upload.refresh_from_db()
    assert intake.take_back_upload(upload=upload, cause="", late=True)


def left() -> tuple[int, int]:
    """Submissions and generations, unfinished ones too."""
    return stored()[:2]


# Nobody sees an unfinished submission


def test_nobody_sees_or_counts_an_unfinished_submission(cast: Cast) -> None:
    upload = storing(received(cast))
    half = half_stored(upload, 3)
    task = Generation.with_unfinished.filter(submission=half)[0].task
    for role in (cast.alice, cast.dora):
        assert not Submission.objects.visible_to(role).exists()
        assert not Submission.objects.editable_by(role).exists()
    for rows in (upload.entrant, upload.revision, upload):
        assert rows.submissions.count() == 0
    assert (half.generations.count(), task.generations.count()) == (0, 0)
    assert (Submission.objects.count(), Generation.objects.count()) == (0, 0)
    assert left() == (1, 3)


def test_an_unfinished_submission_cannot_be_published(cast: Cast) -> None:
    half = half_stored(storing(received(cast)), 3)
    Evaluation.objects.create(submission=half, engine_version="1", state="done")
    actions.publish_submission(submission=half)
    half.refresh_from_db()
    assert half.visibility == "private"


# A claim that is lost between two parts


def test_a_claim_lost_between_two_parts_writes_no_further_part(
    shared_database: None, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PART_ROWS", 1)
    late = storing(received(cast, many(cast, samples=100)))
    with ThreadPoolExecutor(1) as pool:
        lost = pool.submit(closing_connection(partial(jobs.open_submission, upload=late)))
        wait_for(lambda: left()[1] >= 3)
        taken_back(late)
        before = left()
        with pytest.raises(ClaimLost):
            lost.result(60)
    assert left() == before
    assert 3 <= before[1] < 1200
    assert Submission.objects.count() == 0


def test_who_lost_the_claim_can_neither_refuse_nor_finish(cast: Cast) -> None:
    late = storing(received(cast))
    submission = intake.store_generations(upload=late)
    taken_back(late)
    with pytest.raises(ClaimLost):
        intake.finish_submission(upload=late, submission=submission)
    intake.refuse_upload(upload=late, problems=())
    assert Upload.objects.get().state == UploadState.CONFIRMED
    assert Submission.objects.count() == 0


def test_a_second_attempt_stores_while_the_first_one_s_leftovers_are_removed(
    shared_database: None, cast: Cast
) -> None:
    upload = storing(received(cast, many(cast)))
    half_stored(upload, 600)
    taken_back(upload)
    store = partial(jobs.store_upload, upload.pk)
    at_once(store, store, intake.remove_leftovers, intake.remove_leftovers, reconcile)
    assert stored() == (1, 12 * SAMPLES, 1)
    assert Submission.objects.get().generations_count == 12 * SAMPLES


# Leftovers


def test_what_an_attempt_under_way_has_stored_is_no_leftover(cast: Cast) -> None:
    upload = storing(received(cast))
    half_stored(upload, 3)
    # Its worker may only be slow, until another process takes the upload back.
    age(upload)
    intake.remove_leftovers()
    assert left() == (1, 3)
    taken_back(upload)
    intake.remove_leftovers()
    assert left() == (0, 0)


def test_leftovers_go_in_parts(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = storing(received(cast))
    half_stored(upload, parts.PART_ROWS + 10)
    taken_back(upload)
    counts = []
    for size in (parts.PART_SIZE, 2 * len("half"), parts.PART_SIZE, parts.PART_SIZE):
        # A part of large generations has fewer of them.
        monkeypatch.setattr(parts, "PART_SIZE", size)
        intake.remove_leftovers(most=1)
        counts.append(left())
    assert counts == [(1, 10), (1, 8), (1, 0), (0, 0)]


def test_one_look_of_the_reconciler_removes_some_parts_only(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PART_ROWS", 1)
    monkeypatch.setattr(parts, "LEAST_PAUSE_SECONDS", 0)
    upload = storing(received(cast))
    half_stored(upload, LEFTOVER_PARTS + 2)
    age(upload)
    reconcile()
    assert left() == (1, 2)
    reconcile()
    assert left() == (0, 0)


def test_an_upload_that_is_refused_for_our_faults_leaves_nothing(cast: Cast) -> None:
    upload = storing(received(cast))
    Upload.objects.update(tries=intake.MOST_TRIES - 1)
    half_stored(upload, 3)
    age(upload)
    reconcile()
    assert Upload.objects.get().state == UploadState.REFUSED
    assert left() == (0, 0)


def test_a_finished_submission_is_no_leftover(cast: Cast) -> None:
    upload = storing(received(cast))
    jobs.open_submission(upload=upload)
    taken = Submission.objects.filter(upload=upload)
    taken.update(upload=None)
    intake.remove_leftovers()
    assert stored() == (1, 12, 1)


# The process that stores is killed


def killed_after(rows: int, upload: Upload) -> Upload:
    """A process that stores the upload, forked like a worker's, is killed when the given number
    of generations is stored."""
    connection.close()  # so that the process opens its own
    process = get_context("fork").Process(target=jobs.store_upload, args=(upload.pk,))
    process.start()
    wait_for(lambda: left()[1] >= rows, pause=0.002)
    process.kill()
    process.join()
    upload.refresh_from_db()
    assert upload.state == UploadState.STORING
    assert rows <= left()[1] < 12 * SAMPLES
    assert (Submission.objects.count(), Generation.objects.count()) == (0, 0)
    return upload


def outcome(submission: Submission) -> object:
    """Everything that is stored of the submission."""
    keys = submission.generations.values_list("task", "sample", "text")
    sizes = submission.evaluations.get().chunks.values_list("number", "size", "runs")
    return submission.digest, submission.generations_count, Counter(keys), sorted(sizes)


@pytest.mark.parametrize("rows", [pytest.param(1, marks=pytest.mark.slow), 400])
def test_an_upload_whose_process_is_killed_between_parts_is_stored_as_if_nothing_had_happened(
    shared_database: None, cast: Cast, rows: int
) -> None:
    content = many(cast)
    upload = received(cast, content)
    assert actions.confirm_upload(upload=checked(upload))
    killed_after(rows, upload)
    age(upload)
    if rows == 1:
        reconcile()
        assert left() == (0, 0)
    else:
        # The reconciler dies as well before it removes anything.
        taken_back(upload)
    jobs.store_upload(upload.pk)
    undisturbed = jobs.open_submission(upload=storing(received(cast, content)))
    again = upload.submissions.get()
    assert outcome(again) == outcome(undisturbed.submission)
    assert stored() == (2, 2 * 12 * SAMPLES, 2)


def zip_of_settings(cast: Cast) -> list[Upload]:
    """The uploads of a zip with CodeIF-Bench's folders by setting."""
    base, two_round = (predictions(cast.codeif, setting=one) for one in ("base", "two_round"))
    packed = zipped({"base/x.jsonl": base * 40, "multi_round/x.jsonl": two_round * 40})
    return intake.receive_zip(
        user=cast.alice,
        entrant=cast.entrant(),
        chosen=Destination(cast.codeif, "base"),
        file=ContentFile(packed, name="x.zip"),
        benchmarks=[cast.codeif],
    )


def take_along(keys: list[int]) -> None:
    """Does the remaining steps from each upload to a submission."""
    for key in keys:
        jobs.check_upload(key)
        actions.confirm_upload(upload=Upload.objects.get(pk=key))
        jobs.store_upload(key)


def test_a_zip_whose_process_is_killed_between_its_files_is_stored_as_if_nothing_had_happened(
    shared_database: None, cast: Cast
) -> None:
    keys = [upload.pk for upload in zip_of_settings(cast)]

    def take_the_first() -> None:
        take_along(keys[:1])
        os.kill(os.getpid(), signal.SIGKILL)

    connection.close()
    process = get_context("fork").Process(target=take_the_first)
    process.start()
    process.join()
    assert (process.exitcode, Submission.objects.count()) == (-signal.SIGKILL, 1)
    for upload in Upload.objects.exclude(lease_until=None):
        age(upload)
    reconcile()
    take_along(keys)
    rows = Submission.objects.order_by("upload_id").values_list("upload", "setting")
    assert [*rows] == [*zip(keys, ("base", "two_round"), strict=True)]
    for submission in Submission.objects.all():
        lines = predictions(cast.codeif, setting=submission.setting).splitlines()
        assert submission.generations.count() == 40 * len(lines)


# Others write while an upload is stored


def test_others_write_while_a_large_upload_is_stored(shared_database: None, cast: Cast) -> None:
    upload = received(cast, many(cast, length=4000))
    assert actions.confirm_upload(upload=checked(upload))
    over = threading.Event()

    def store() -> None:
        jobs.store_upload(upload.pk)
        over.set()

    between, longest, start = set(), 0.0, time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(closing_connection(store))
        while not over.wait(0.005):
            began = time.monotonic()
            Team.objects.update(name="Northwood")
            longest = max(longest, time.monotonic() - began)
            between.add(left()[1])
        under_way.result()
    assert stored() == (1, 1200, 1)
    # Twelve parts, with a write of this thread after most of them.
    assert len(between - {0, 1200}) >= 5
    # It waits for a part at most.
    assert longest < (time.monotonic() - start) / 2

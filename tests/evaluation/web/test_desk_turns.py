"""A long check does not hold up the checks of other teams, and uploads do not hold up scores."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.core.files.base import ContentFile

from evaluation import jobs
from evaluation.work.installation import worker_queues
from leaderboard.accounts.models import Entrant, Team, User
from leaderboard.submissions.intake import claim_other, claim_upload, receive_upload
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.conftest import closing_connection
from tests.support.cast import Cast, predictions
from tests.support.commands import wait_for

pytestmark = [pytest.mark.usefixtures("uploads"), pytest.mark.any_database]


def sent(cast: Cast, user: User, team: Team, *, samples: int = 1, length: int = 4) -> Upload:
    lines = [json.loads(line) for line in predictions(cast.rucodeeval).splitlines()]
    outputs = ["x" * length] * samples
    rows = [json.dumps({"task_id": line["task_id"], "outputs": outputs}) for line in lines]
    revision = cast.rucodeeval.current
    assert revision is not None
    entrant = Entrant.objects.filter(team=team).first() or cast.entrant(f"Of {team.name}", team)
    return receive_upload(
        user=user, entrant=entrant, revision=revision, setting="base",
        file=ContentFile("\n".join(rows).encode(), name="x.jsonl"),
    )  # fmt: skip


def states(*uploads: Upload) -> list[str]:
    return [Upload.objects.values_list("state", flat=True).get(pk=one.pk) for one in uploads]


def test_a_small_file_is_checked_while_another_teams_large_one_is(
    shared_database: None, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "SHARE_SECONDS", 0.0)
    monkeypatch.setattr(jobs, "LOOK_SECONDS", 0.05)
    large = sent(cast, cast.alice, cast.northwood, samples=500, length=10_000)
    same_team = sent(cast, cast.bob, cast.northwood)
    same_person = sent(cast, cast.alice, cast.team("Of alice too", owner=cast.alice))
    small = sent(cast, cast.charlie, cast.fenland)
    with ThreadPoolExecutor(1) as pool:
        desk = pool.submit(closing_connection(partial(jobs.check_upload, large.pk)))
        wait_for(lambda: states(small) == [UploadState.CHECKED])
        assert states(large, same_team, same_person) == ["checking", "received", "received"]
        desk.result(120)
    assert states(large) == [UploadState.CHECKED]


def test_no_other_upload_is_claimed_once_the_step_is_over(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was taken along still runs then."""
    first = sent(cast, cast.charlie, cast.fenland)
    over, claims = threading.Event(), list[bool]()

    def claim(owner: str) -> Upload | None:
        claims.append(over.is_set())
        return first if len(claims) == 1 else None

    def step(_upload: Upload) -> None:
        time.sleep(0.1)
        over.set()
        time.sleep(0.3)

    monkeypatch.setattr(jobs, "SHARE_SECONDS", 0.0)
    monkeypatch.setattr(jobs, "_STEPS", {UploadState.RECEIVED: step})
    monkeypatch.setattr("leaderboard.submissions.intake.claim_other", claim)
    attending = threading.Thread(target=jobs._attend_others, args=(over,))
    attending.start()
    attending.join(10)
    assert not attending.is_alive()
    assert True not in claims


def test_an_upload_whose_step_failed_is_not_taken_along(cast: Cast) -> None:
    failed = sent(cast, cast.charlie, cast.fenland)
    Upload.objects.filter(pk=failed.pk).update(tries=1)
    assert claim_other(owner="desk") is None
    assert claim_upload(pk=failed.pk, owner="desk", state=UploadState.RECEIVED) is not None


def test_uploads_and_scores_have_a_process_each() -> None:
    queues = worker_queues(2)
    assert [queues[name] for name in ("desk", "scorer")] == [("intake",), ("scoring",)]
    others = [name for name in queues if {"intake", "scoring"} & {*queues[name]}]
    assert others == ["desk", "scorer"]

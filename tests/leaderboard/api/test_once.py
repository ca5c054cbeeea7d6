"""Repeated requests with an Idempotency-Key."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from assay_client.site import _UPLOAD_TIMEOUT
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import Entrant, TokenAnswer
from leaderboard.api import once
from leaderboard.submissions.models import Upload
from tests.leaderboard.api.conftest import Bearer
from tests.support.cast import Cast
from tests.support.commands import ROOT as ROOT_FOLDER

pytestmark = pytest.mark.django_db
ROOT = "/api/v1"
KEY = {"Idempotency-Key": "heron-1"}


@pytest.fixture
def bob(cast: Cast, bearer: Bearer, tmp_path: Path, settings: Settings) -> Client:
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    assert cast.rucodeeval and cast.entrant("Larch")
    client = bearer(cast.bob, "northwood")
    client.raise_request_exception = False
    return client


def create(client: Client, name: str = "Heron", key: dict[str, str] = KEY) -> Any:
    body = {"name": name}
    return client.post(f"{ROOT}/team/entrants", body, content_type="application/json", headers=key)


def upload(client: Client, content: bytes = b"{}") -> Any:
    form = {"benchmark": "rucodeeval", "setting": "base", "entrant": "larch"}
    file = SimpleUploadedFile("base.jsonl", content)
    return client.post(f"{ROOT}/uploads", form | {"file": file}, headers=KEY)


def test_a_repeated_request_gets_the_first_answer_and_has_no_effect(bob: Client) -> None:
    first, again = create(bob), create(bob)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert ("Idempotent-Replayed" in first, again["Idempotent-Replayed"]) == (False, "true")
    assert Entrant.objects.filter(name="Heron").count() == 1
    # Without the key it is another request.
    assert create(bob, key={}).status_code == 422


def test_a_repeated_upload_is_one_upload(bob: Client, settings: Settings) -> None:
    first, again = upload(bob), upload(bob)
    assert (first.status_code, again.json()) == (201, first.json())
    assert Upload.objects.count() == 1
    assert len(list(Path(settings.MEDIA_ROOT).rglob("predictions*"))) == 1


def test_another_request_with_the_key_is_refused(bob: Client) -> None:
    assert create(bob).status_code == 201
    assert create(bob, "Egret").status_code == 422
    assert upload(bob).status_code == 422
    for key in ("x" * 201, "", " "):
        assert create(bob, "Egret", {"Idempotency-Key": key}).status_code == 422
    assert not Entrant.objects.filter(name="Egret").exists()


def test_a_key_is_a_person_s_and_outlives_the_token(
    bob: Client, cast: Cast, bearer: Bearer
) -> None:
    first = create(bob)
    assert create(bearer(cast.bob, "northwood")).json() == first.json()
    assert create(bearer(cast.alice, "northwood"), "Egret").status_code == 201


def test_an_error_leaves_the_key_free(bob: Client) -> None:
    assert create(bob, "admin").status_code == 422
    assert create(bob, "Heron").status_code == 201


def test_a_fault_leaves_the_key_free_and_nothing_else(
    bob: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """The process fails between the effect and the commit."""

    def broken(*_args: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr("leaderboard.api.uploads.settle", broken)
        answer = upload(bob)
    assert (answer.status_code, answer["Content-Type"]) == (500, "application/problem+json")
    assert not Upload.objects.exists() and not TokenAnswer.objects.exists()
    assert not list(Path(settings.MEDIA_ROOT).rglob("predictions*"))
    assert upload(bob).status_code == 201


def test_a_request_that_runs_is_not_repeated_and_one_that_died_is(bob: Client) -> None:
    assert create(bob).status_code == 201
    Entrant.objects.filter(name="Heron").delete()
    TokenAnswer.objects.update(status=None, body=None)
    waits = create(bob)
    assert (waits.status_code, waits["Retry-After"]) == (409, "2")
    TokenAnswer.objects.update(begun=timezone.now() - once.LEASE - timedelta(seconds=1))
    assert create(bob).status_code == 201
    assert create(bob).status_code == 201


def test_proxy_and_client_wait_no_longer_than_a_request_keeps_its_key() -> None:
    proxy = (ROOT_FOLDER / "docs/operators/nginx.conf").read_text("utf-8")
    waits = [int(text) for text in re.findall(r"proxy_read_timeout (\d+)s", proxy)]
    assert max(waits) == _UPLOAD_TIMEOUT.read == once.LEASE.total_seconds()


def test_of_two_that_run_at_once_one_has_an_effect(
    bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one takes longer than its lease, and the second one takes over."""
    inner: list[Any] = []
    settle = once.settle

    def slow(*args: Any) -> None:
        if not inner:
            inner.append(None)
            TokenAnswer.objects.update(owner="another")
        settle(*args)

    monkeypatch.setattr("leaderboard.api.once.settle", slow)
    assert create(bob).status_code == 409
    assert not Entrant.objects.filter(name="Heron").exists()


def test_answers_are_kept_for_a_day(bob: Client) -> None:
    assert create(bob).status_code == 201
    TokenAnswer.objects.update(begun=timezone.now() - timedelta(hours=23))
    once.forget_answers()
    assert TokenAnswer.objects.exists()
    TokenAnswer.objects.update(begun=timezone.now() - timedelta(hours=25))
    once.forget_answers()
    assert not TokenAnswer.objects.exists()
    assert create(bob).status_code == 422  # the name is taken

"""Uploading, submitting and publishing by the API."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.models import Evaluation
from leaderboard import limits, messages
from leaderboard.accounts.models import Entrant
from leaderboard.api.urls import api
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.declaring import declare
from leaderboard.submissions.intake import forget_files
from leaderboard.submissions.models import Submission, Upload
from tests.leaderboard.api.conftest import Bearer, client_with, token_of
from tests.support.cast import Cast, predictions

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ROOT = "/api/v1"


@pytest.fixture
def bob(cast: Cast, bearer: Bearer, tmp_path: Path, settings: Settings) -> Client:
    """A client with a token of bob's that may do everything."""
    settings.MEDIA_ROOT = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    assert cast.entrant("Larch") and cast.fenland and cast.rucodeeval
    return bearer(cast.bob, "northwood")


def send(
    client: Client, content: bytes, name: str = "base.jsonl", status: int = 201, **more: Any
) -> Any:
    form = {"benchmark": "rucodeeval", "setting": "base", "entrant": "larch"} | more
    headers = form.pop("headers", {})
    file = SimpleUploadedFile(name, content)
    response = client.post(f"{ROOT}/uploads", form | {"file": file}, headers=headers)
    assert response.status_code == status, response.content
    return response.json()


def act(client: Client, path: str, body: Any = None, status: int = 200) -> Any:
    response = client.post(f"{ROOT}/{path}", body or {}, content_type="application/json")
    assert response.status_code == status, response.content
    return response.json()


def read(client: Client, path: str) -> Any:
    response = client.get(f"{ROOT}/{path}")
    assert (response.status_code, response["Cache-Control"]) == (200, "no-store")
    return response.json()


def of(public_id: str) -> Upload:
    return Upload.objects.get(public_id=public_id)


def test_a_file_becomes_a_published_result(bob: Client, cast: Cast) -> None:
    upload = send(bob, predictions(cast.rucodeeval))
    assert (upload["state"], upload["report"], upload["over"]) == ("received", None, False)
    place = f"uploads/{upload['id']}"
    assert "received" in act(bob, f"{place}/submit", status=409)["detail"]
    jobs.check_upload(of(upload["id"]).pk)
    upload = read(bob, place)
    assert (upload["state"], upload["report"]["ok"], upload["over"]) == ("checked", True, True)
    confirmed = act(bob, f"{place}/submit", {"confirmed": []}, 202)
    assert (confirmed["state"], confirmed["over"]) == ("confirmed", False)
    jobs.store_upload(of(upload["id"]).pk)
    assert act(bob, f"{place}/submit", status=202)["state"] == "stored"
    submission = f"submissions/{read(bob, place)['submission']}"
    progress = read(bob, f"{submission}/progress")
    assert (progress["state"], progress["judged"], progress["total"]) == ("judging", 0, 12)
    assert "finished result" in act(bob, f"{submission}/publish", status=409)["detail"]
    evaluation = Evaluation.objects.get()
    cast.judge(evaluation)
    cast.score(evaluation)
    progress = read(bob, f"{submission}/progress")
    assert (progress["state"], progress["over"], progress["published"]) == ("done", True, None)
    private = read(bob, submission)
    assert (private["rank_low"], private["published"]) == (None, None)
    score = next(s for s in private["scores"] if (s["metric"], s["slice"]) == ("pass@1", "overall"))
    assert [progress[n] for n in ("score", "low", "high")] == [
        score[n] for n in ("value", "low", "high")
    ]
    assert Client().get(f"{ROOT}/{submission}").status_code == 404
    assert act(bob, f"{submission}/publish")["published"][-1] == "Z"
    assert act(bob, f"{submission}/publish")["published"]
    assert Client().get(f"{ROOT}/{submission}").status_code == 200
    assert act(bob, f"{submission}/withdraw")["published"] is None
    assert Client().get(f"{ROOT}/{submission}").status_code == 404


def test_uploads_and_submissions_have_the_values_of_their_rows(bob: Client, cast: Cast) -> None:
    upload = send(bob, predictions(cast.rucodeeval), check="true")
    row = of(upload["id"])
    place = {"benchmark": "rucodeeval", "revision": "sample", "setting": "base", "entrant": "larch"}
    assert upload == place | {
        "id": row.public_id, "file": "base.jsonl", "size": row.size, "sha256": row.sha256,
        "check": True, "state": "received", "over": False, "report": None, "submission": None,
        "created": f"{row.created:%FT%TZ}", "expires": f"{row.expires:%FT%TZ}", "cause": "",
    }  # fmt: skip
    Upload.objects.filter(pk=row.pk).update(only_check=False)
    jobs.check_upload(row.pk)
    act(bob, f"uploads/{row.public_id}/submit", status=202)
    jobs.store_upload(row.pk)
    waiting = cast.submission(Entrant.objects.get(slug="larch"))
    judging = Submission.objects.get(upload=row)
    fault = messages.FAULT(kind="OSError")
    Upload.objects.update(cause=fault)
    upload = read(bob, f"uploads/{row.public_id}")
    assert (upload["submission"], upload["cause"]) == (judging.public_id, fault)
    items = read(bob, "team/submissions")["items"]
    assert items == [
        place | {
            "submission": submission.public_id, "created": f"{submission.created:%FT%TZ}",
            "published": None, "state": state, "over": over,
        }
        for submission, state, over in ((waiting, "", True), (judging, "judging", False))
    ]  # fmt: skip
    for item in items:
        progress = read(bob, f"submissions/{item['submission']}/progress")
        assert item.items() <= progress.items()


def test_a_file_that_is_only_checked_is_gone_after_its_report(
    bob: Client, cast: Cast, settings: Settings
) -> None:
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(declared=True)
    good = send(bob, predictions(cast.rucodeeval), check="true", entrant="")
    bad = send(bob, b'{"task_id": "x", "completion": ""}', check="true")
    late = send(bob, b"{}", check="true")
    for upload in (good, bad):
        jobs.check_upload(of(upload["id"]).pk)
    states = [read(bob, f"uploads/{one['id']}") for one in (good, bad)]
    assert [(one["state"], one["report"]["ok"]) for one in states] == [
        ("discarded", True), ("refused", False),
    ]  # fmt: skip
    assert [of(one["id"]).file.name for one in (good, bad)] == ["", ""]
    act(bob, f"uploads/{good['id']}/submit", status=409)
    assert bob.get("/submissions/").status_code == 302  # a token opens no page
    Upload.objects.filter(pk=of(late["id"]).pk).update(expires="2020-01-01T00:00Z", state="refused")
    assert forget_files() == 1
    assert not list(Path(settings.MEDIA_ROOT).rglob("predictions*"))


GOOD = b'{"task_id": 0, "completion": "    return 1"}\n'


def test_a_report_s_confirmations_are_repeated_before_it_is_judged(bob: Client, cast: Cast) -> None:
    upload = send(bob, GOOD)
    jobs.check_upload(of(upload["id"]).pk)
    place = f"uploads/{upload['id']}"
    (sentence,) = read(bob, place)["report"]["confirmations"]
    refused = act(bob, f"{place}/submit", status=409)
    assert [one["detail"] for one in refused["errors"]] == [sentence]
    assert act(bob, f"{place}/submit", {"confirmed": [sentence]}, 202)["state"] == "confirmed"
    act(bob, f"{place}/discard", status=409)


def test_an_upload_is_discarded_once(bob: Client, cast: Cast) -> None:
    upload = send(bob, GOOD)
    jobs.check_upload(of(upload["id"]).pk)
    for _ in range(2):
        assert act(bob, f"uploads/{upload['id']}/discard")["state"] == "discarded"


def test_what_cannot_be_uploaded_is_refused_with_its_reason(
    bob: Client, cast: Cast, settings: Settings
) -> None:
    assert "no entrant heron" in send(bob, b"{}", status=422, entrant="heron")["detail"]
    assert "No benchmark none" in send(bob, b"{}", status=422, benchmark="none")["detail"]
    setting = send(bob, b"{}", status=422, setting="none")
    assert setting["errors"][0]["code"] == "site.no_setting"
    misspelled = send(bob, b"{}", status=422, seting="base")
    assert "Unknown parameters: seting. This address knows: benchmark" in misspelled["detail"]
    settings.UPLOAD_MOST_BYTES = 1
    assert send(bob, b"{}", status=422)["errors"][0]["code"] == "site.file_large"
    settings.UPLOAD_MOST_BYTES = 2**20
    Benchmark.objects.update(declared=True)
    assert send(bob, b"{}", status=422)["errors"][0]["code"] == "site.declare_first"
    cast.bob.emailaddress_set.update(verified=False)
    assert "Confirm your e-mail" in send(bob, b"{}", status=403)["detail"]
    assert not Upload.objects.exists()
    assert not list(Path(settings.MEDIA_ROOT).rglob("predictions*"))


def test_a_declared_run_is_bound_to_its_file(bob: Client, cast: Cast) -> None:
    revision = cast.rucodeeval.current
    assert revision is not None
    Benchmark.objects.update(declared=True)
    entrant = Entrant.objects.get(slug="larch")
    declaration = declare(
        user=cast.bob, entrant=entrant, revision=revision, setting="base", samples=1, model="larch"
    )
    upload = send(bob, GOOD)
    declaration.refresh_from_db()
    assert declaration.upload == of(upload["id"])


def test_large_bodies_need_a_token_and_go_to_uploads_alone(bob: Client, cast: Cast) -> None:
    large = b"x" * (2**20 + 1)
    assert send(bob, large)["size"] == len(large)
    problem = send(Client(), large, status=413)
    assert (problem["status"], problem["title"]) == (413, "Request Entity Too Large")
    assert send(client_with("assay_wrong"), large, status=401)["status"] == 401
    assert act(bob, "team/entrants", {"name": "x" * 2**20}, 413)["status"] == 413
    narrow = client_with(token_of(cast.bob, "northwood", ["read"]))
    assert "scope submit" in send(narrow, large, status=403)["detail"]


def test_a_private_submission_is_cancelled(bob: Client, cast: Cast) -> None:
    submission = cast.submission(Entrant.objects.get(slug="larch"))
    jobs.plan_evaluation(submission=submission)()
    place = f"submissions/{submission.public_id}"
    assert act(bob, f"{place}/cancel")["state"] == "cancelled"
    assert "nothing to cancel" in act(bob, f"{place}/cancel", status=409)["detail"]


def test_an_entrant_is_created_with_the_rules_of_the_form(bob: Client, cast: Cast) -> None:
    made = act(bob, "team/entrants", {"name": " Heron  7B ", "weights": "open"}, 201)
    assert (made["name"], made["slug"], made["weights"]) == ("Heron 7B", "heron-7b", "open")
    assert Entrant.objects.get(slug="heron-7b").team == cast.northwood
    wrong: list[dict[str, Any]] = [
        {"name": "heron 7b"}, {"name": "x" * 81}, {"name": "admin"}, {"name": ""}, {},
        {"name": "A", "link": "javascript:alert(1)"}, {"name": "A", "size_in_billions": -1},
        {"name": "A", "training_data_until": "2999-01-01"}, {"name": "A", "weights": "some"},
        {"name": "A", "nmae": "B"}, {"name": "a\0b"}, {"name": "A", "link": "a\ud800"},
        {"name": "A", "description": "x" * 601},
    ]  # fmt: skip
    for one in wrong:
        assert act(bob, "team/entrants", one, 422)["errors"], one
    slugs = [one["slug"] for one in read(bob, "team/entrants")["items"]]
    assert slugs == ["heron-7b", "larch"]


def test_verdicts_are_those_of_the_page_with_the_reader_s_rights(bob: Client, cast: Cast) -> None:
    submission = cast.judged_submission(Entrant.objects.get(slug="larch"))
    page = Client()
    page.force_login(cast.bob)
    theirs = page.get(f"/submissions/{submission.pk}/verdicts.jsonl").getvalue()
    path = f"{ROOT}/submissions/{submission.public_id}/verdicts"
    assert bob.get(path).getvalue() == theirs
    assert Client().get(path).getvalue() == theirs
    assert json.loads(theirs.splitlines()[0])["status"] == "passed"
    private = cast.judged_submission(Entrant.objects.get(slug="larch"), publish=False)
    path = f"{ROOT}/submissions/{private.public_id}/verdicts"
    assert (Client().get(path).status_code, bob.get(path).status_code) == (404, 200)


def test_a_team_s_submissions_come_in_pages(bob: Client, cast: Cast) -> None:
    rows = [cast.submission(Entrant.objects.get(slug="larch"), samples=1) for _ in range(3)]
    cast.submission(cast.entrant("Rowan", cast.fenland), samples=1)
    first = read(bob, "team/submissions?limit=2")
    rest = bob.get(first["next"]).json()
    seen = [one["submission"] for one in [*first["items"], *rest["items"]]]
    assert seen == [row.public_id for row in reversed(rows)]
    assert rest["next"] is None
    Submission.objects.filter(pk=rows[1].pk).delete()
    assert bob.get(first["next"]).status_code == 404
    assert Submission.objects.count() == 3


def test_each_account_has_its_limit_whatever_the_token(
    bob: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    local = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "limits"}
    settings.CACHES = {**settings.CACHES, "shared": local}
    for route in ("api/v1/uploads", "api/v1/team/entrants"):
        rule = limits._BY_ROUTE[route]
        few = tuple(one._replace(most=1) for one in rule.limits)
        monkeypatch.setitem(limits._BY_ROUTE, route, rule._replace(limits=few))
    send(bob, b"{}")
    assert send(bob, b"{}", status=429)["title"] == "Too Many Requests"
    act(bob, "team/entrants", {"name": "Heron"}, 201)
    again = bob.post(f"{ROOT}/team/entrants", {"name": "Egret"}, content_type="application/json")
    assert (again.status_code, again["Content-Type"]) == (429, "application/problem+json")
    assert 0 < int(again["Retry-After"]) <= 3600
    act(client_with(token_of(cast.bob, "northwood")), "team/entrants", {"name": "Egret"}, 429)
    act(client_with(token_of(cast.alice, "northwood")), "team/entrants", {"name": "Egret"}, 201)


def test_every_operation_that_writes_has_a_limit() -> None:
    routes = {
        f"api/v1/{path.removeprefix('/api/v1/').replace('{', '<').replace('}', '>')}"
        for path, methods in api.get_openapi_schema()["paths"].items()
        if "post" in methods
    }
    assert routes == {route for route in limits._BY_ROUTE if route.startswith("api/")}
    assert len(routes) == 7


def test_a_size_is_a_number(bob: Client) -> None:
    for size in ("NaN", "Infinity", "-Infinity"):
        body = f'{{"name": "Egret", "size_in_billions": {size}}}'
        answer = bob.post("/api/v1/team/entrants", body, content_type="application/json")
        assert answer.status_code == 422
        assert "size_in_billions" in answer.text

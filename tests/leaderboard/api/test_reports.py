"""The report of a file is the same on the page, by the API and by the client."""

from pathlib import Path

import pytest
from assay_client import Refused, Site
from django.urls import reverse
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from leaderboard.messages import in_readers_language
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.engine.uploads.test_formats import FORMS, WRAPPINGS
from tests.evaluation.engine.uploads.test_problems import BAD_LINES, GOOD
from tests.leaderboard.api.conftest import client_with, token_of
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.site import own_caches, quick

pytestmark = pytest.mark.any_database

__all__ = ["own_caches", "quick"]
FILES = [
    *(b"", b"\x89PNG\r\n\x1a\n\0\0\0\0"),
    *(layouts[-1](shape({0: ["x"], 1: ["y", "z"]})) for _name, shape, layouts in FORMS),
    *(wrap(GOOD.encode()) for wrap in WRAPPINGS),
    GOOD.encode() + b"\n".join(line for line, *_ in BAD_LINES if line[:20] != b"[" * 20),
]


def check_uploads(_words: str = "") -> None:
    """As a worker does; the client says that it waits before it asks again."""
    for pk in Upload.objects.filter(state=UploadState.RECEIVED).values_list("pk", flat=True):
        jobs.check_upload(pk)


def test_files_of_every_kind_have_one_report(
    live_server: LiveServer,
    quick: None,
    own_caches: None,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "site"
    (tmp_path / "site").mkdir()
    monkeypatch.setattr("assay_client.site.UPLOAD_POLL", 0)
    cast, file = Cast(), tmp_path / "predictions.jsonl"
    entrant = cast.entrant("Larch")
    token = token_of(cast.bob, "northwood")
    browser, program = visitor(cast.bob), client_with(token)
    board = f"{cast.rucodeeval.slug}/{cast.rucodeeval.setting}"
    with Site(live_server.url, token, report=check_uploads) as site:
        for content in FILES:
            file.write_bytes(content)
            try:
                by_client = site.check(file, benchmark="rucodeeval")
                problems = by_client["problems"]
            except Refused as error:
                by_client, problems = None, [*error.faults]
            row = Upload.objects.latest("pk")
            by_api = program.get(f"/api/v1/uploads/{row.public_id}").json()["report"]
            assert (by_client or by_api, problems) == (by_api, by_api["problems"])
            with file.open("rb") as sent:
                form = {"board": board, "entrant": entrant.slug, "file": sent}
                answer = browser.post(reverse("submit"), form)
                assert answer.status_code == 302, (content, answer.context["form"].errors)
            check_uploads()
            page = browser.get(Upload.objects.latest("pk").get_absolute_url()).context["report"]
            assert all(problem["code"] for problem in problems)
            names = ("ok", "format", "generations", "tasks_total", "more")
            assert [by_api[name] for name in names] == [getattr(page, name) for name in names]
            assert by_api["missing"] == [*page.missing]
            for name in ("warnings", "confirmations"):
                assert by_api[name] == [*map(in_readers_language, getattr(page, name))]
            assert [(p["detail"], p["line"], p["task"]) for p in problems] == [
                (in_readers_language(p.sentence), p.line, p.task_id) for p in page.problems
            ]

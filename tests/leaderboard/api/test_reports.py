"""The report of a file is the same on the page, by the API and by the client."""

import re
from collections.abc import Sequence
from html import unescape
from itertools import count
from pathlib import Path

import pytest
from assay_client import Refused, Site
from django.urls import reverse
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from leaderboard.limits import HOUR
from leaderboard.messages import in_readers_language
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.engine.uploads.test_formats import FORMS, WRAPPINGS
from tests.evaluation.engine.uploads.test_problems import (
    BAD_LINES,
    GOOD,
    ODD_RECORDS,
    UNREADABLE,
)
from tests.leaderboard.api.conftest import client_with, token_of
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.site import own_caches, quick

pytestmark = pytest.mark.any_database

__all__ = ["own_caches", "quick"]
# Reading ends at a line of so many brackets.
LINES = [line for line, *_ in BAD_LINES if not line.startswith(b"[" * 20)]
KINDS = [
    *(b"", b"\x89PNG\r\n\x1a\n\0\0\0\0"),
    GOOD.encode() + b"\n".join(LINES),
]
EACH = [
    *(layouts[-1](shape({0: ["x"], 1: ["y", "z"]})) for _name, shape, layouts in FORMS),
    *(wrap(GOOD.encode()) for wrap in WRAPPINGS),
    *(GOOD.encode() + line for line in LINES),
    *(content.encode() for content, *_ in ODD_RECORDS),
    *(content for content, _words in UNREADABLE),
]


def words_of(html: str) -> str:
    """Without tags; the page marks code by tags instead of backticks."""
    return unescape(re.sub("<[^>]*>", "", html)).replace("`", "")


def check_uploads(_words: str = "") -> None:
    """As a worker does; the client says that it waits before it asks again."""
    for pk in Upload.objects.filter(state=UploadState.RECEIVED).values_list("pk", flat=True):
        jobs.check_upload(pk)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(KINDS, id="kinds"),
        pytest.param(EACH, id="each", marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
    ],
)
def test_files_have_one_report(
    live_server: LiveServer,
    quick: None,
    own_caches: None,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    files: Sequence[bytes],
) -> None:
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "site"
    (tmp_path / "site").mkdir()
    monkeypatch.setattr("assay_client.site.UPLOAD_POLL", 0)
    # Each request is sent an hour later: these are more files than an account may send in one.
    monkeypatch.setattr("leaderboard.limits.time", count(HOUR, HOUR).__next__)
    cast, file = Cast(), tmp_path / "predictions.jsonl"
    entrant = cast.entrant("Larch")
    token = token_of(cast.bob, "northwood")
    browser, program = visitor(cast.bob), client_with(token)
    board = f"{cast.rucodeeval.slug}/{cast.rucodeeval.setting}"
    with Site(live_server.url, token, report=check_uploads) as site:
        for content in files:
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
            page = browser.get(Upload.objects.latest("pk").get_absolute_url())
            report, words = page.context["report"], words_of(page.content.decode())
            assert all(problem["code"] for problem in problems)
            names = ("ok", "format", "generations", "tasks_total", "samples_min", "samples_max")
            assert [by_api[name] for name in names] == [getattr(report, name) for name in names]
            assert (by_api["tasks"], by_api["more"]) == (report.tasks_seen, report.more)
            assert by_api["missing"] == [*report.missing]
            for name in ("warnings", "confirmations"):
                assert by_api[name] == [*map(in_readers_language, getattr(report, name))]
            assert [(p["detail"], p["line"], p["task"], p["file"]) for p in problems] == [
                (in_readers_language(p.sentence), p.line, p.task_id, p.member or None)
                for p in report.problems
            ]
            # Of a file that cannot be submitted, the page shows the problems alone.
            cautions = [*by_api["warnings"], *by_api["confirmations"]] if by_api["ok"] else ()
            sentences = [*(problem["detail"] for problem in problems), *cautions]
            assert [text for text in sentences if text.replace("`", "") not in words] == []

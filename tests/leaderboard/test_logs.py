"""Tests of the log: what has a line, what a line looks like, and that no stranger writes one."""

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils.log import log_response
from pytest_django.fixtures import Settings

from leaderboard.healthy import healthy
from leaderboard.logs import Lines, Requests, forget_request
from leaderboard.pages.errors import form_refused
from tests.support.cast import Cast
from tests.support.commands import ROOT, wait_for
from tests.support.proxy import free_port

pytestmark = pytest.mark.any_database

HOSTILE = "x\nERROR forged\r\x1b[31m\u2028\x85\0\ud800\u202e"
PROPOSED = "0123456789abcdef0123456789abcdef"


class Written(logging.Handler):
    """What the site's own handler would write, as text and as JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.objects: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(Lines(as_json=False).format(record))
        line = Lines(as_json=True).format(record)
        assert len(line.splitlines()) == 1
        self.objects.append(json.loads(line))

    def of(self, logger: str) -> list[dict[str, Any]]:
        return [one for one in self.objects if one["logger"] == logger]


@pytest.fixture
def written() -> Iterator[Written]:
    handler = Written()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def test_a_request_has_a_line_and_its_id(cast: Cast, client: Client, written: Written) -> None:
    client.force_login(cast.alice)
    answer = client.get("/account/?q=secret", headers={"X-Request-ID": PROPOSED})
    (line,) = written.of("leaderboard.logs")
    assert answer["X-Request-ID"] == line["request"] == PROPOSED
    fields = {name: line[name] for name in ("method", "path", "status", "person", "address")}
    assert fields == {
        "method": "GET", "path": "/account/", "status": 200,
        "person": cast.alice.pk, "address": "127.0.0.1",
    }  # fmt: skip
    assert isinstance(line["ms"], int)
    assert written.texts[-1].endswith(f"person={cast.alice.pk} address=127.0.0.1 path=/account/")


@pytest.mark.parametrize("proposed", ["short", "x" * 65, HOSTILE])
def test_a_proxys_id_is_taken_only_if_well_formed(
    client: Client, db: None, written: Written, proposed: str
) -> None:
    answer = client.get("/health/", headers={"X-Request-ID": proposed})
    (line,) = written.of("leaderboard.logs")
    assert answer["X-Request-ID"] == line["request"] != proposed
    assert len(line["request"]) == 16


@pytest.mark.parametrize("hostile", ["/%0d%0aERROR/", "/%E2%80%A8/%C2%85/%1b[31m/"])
def test_a_strangers_text_never_begins_a_line(
    client: Client, db: None, written: Written, hostile: str
) -> None:
    client.get(hostile, headers={"X-Forwarded-For": HOSTILE, "Host": f"evil{HOSTILE}"})
    client.post(hostile, headers={"X-Forwarded-For": HOSTILE}, REMOTE_ADDR=HOSTILE)
    assert len(written.texts) >= 3
    assert [text for text in written.texts if len(text.splitlines()) != 1] == []
    assert all(text.isprintable() for text in written.texts)


def test_lines_of_a_traceback_are_indented_and_a_forged_one_is_too(written: Written) -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        # Not by the logger: what pytest captures has to be sent as UTF-8.
        record = logging.LogRecord(
            "leaderboard", logging.ERROR, "", 0, "A fault %s", (HOSTILE,), sys.exc_info()
        )
    written.handle(record)
    first, *others = written.texts[-1].split("\n")
    assert "ERROR leaderboard - A fault x\\nERROR forged" in first
    assert others and all(line.startswith("    ") and line.isprintable() for line in others)
    assert written.objects[-1]["more"][0] == "Traceback (most recent call last):"


@pytest.mark.parametrize(
    ("fault", "status"), [(ValueError("the cause"), 500), (OperationalError("no connection"), 503)]
)
def test_a_fault_of_a_page_is_logged_and_the_page_says_its_id(
    client: Client,
    db: None,
    written: Written,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    status: int,
) -> None:
    def broken(*_args: object) -> None:
        raise fault

    monkeypatch.setattr("leaderboard.boards.queries.site_counts", broken)
    client.raise_request_exception = False
    answer = client.get("/")
    (line,) = written.of("django.request")
    assert (answer.status_code, line["level"]) == (status, "ERROR")
    assert line["more"][-1].endswith(f"{type(fault).__name__}: {fault}")
    assert line["request"] == answer["X-Request-ID"]
    assert status != 500 or f"<code>{line['request']}</code>" in answer.text


def test_a_refused_form_is_logged_with_its_reason(written: Written, db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    origin = {"Origin": "https://assay.example"}
    assert client.post("/sign-in/", headers=origin).status_code == 403
    (line,) = written.of("django.security.csrf")
    assert "https://assay.example does not match any trusted origins" in line["message"]
    assert "more" not in line


def test_staff_alone_see_why_a_form_was_refused(cast: Cast) -> None:
    reason = "Origin checking failed - https://a.example does not match any trusted origins."
    for user, shown in ((cast.dora, True), (cast.alice, False), (AnonymousUser(), False)):
        request = RequestFactory().post("/sign-in/")
        request.user = user
        answer = form_refused(request, reason=reason)
        assert (answer.status_code, reason in answer.text) == (403, shown)


def test_a_refused_host_is_a_line_without_a_traceback(
    client: Client, db: None, written: Written
) -> None:
    client.get("/", headers={"host": "evil.example"})
    (line,) = written.of("django.security.DisallowedHost")
    assert "evil.example" in line["message"]
    assert "more" not in line


def test_a_failed_sign_in_is_logged_without_name_and_password(
    cast: Cast, client: Client, written: Written
) -> None:
    for name in (cast.alice.username, cast.alice.username.upper(), "hunter2-in-the-wrong-field"):
        client.post(reverse("sign-in"), {"login": name, "password": "wrong-password"})
    lines = [line for line in written.of("leaderboard.logs") if "account" in line]
    assert [line["address"] for line in lines] == ["127.0.0.1"] * 3
    first, second, third = (line["account"] for line in lines)
    assert first == second != third
    said = "\n".join(written.texts)
    assert [
        word for word in ("wrong-password", "hunter2", cast.alice.username) if word in said
    ] == []


def test_a_rate_limit_is_a_warning_and_other_refusals_are_not(
    rf: RequestFactory, written: Written
) -> None:
    for status, level in ((429, "WARNING"), (404, "INFO")):
        answer = HttpResponse(status=status)
        Requests(lambda _request, answer=answer: answer)(rf.get("/"))  # type: ignore[misc]
        forget_request()
        assert (written.objects[-1]["status"], written.objects[-1]["level"]) == (status, level)


RESET, CONFIRM = "/password-reset/1-c5x-veiled/", "/account/e-mail/veiled:key/"


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (RESET, "/password-reset/1-***/"),
        (CONFIRM, "/account/e-mail/***/"),
        (RESET[:-1], "/password-reset/1-***"),
        ("/account/e-mail/a/veiled/", "/account/***"),
        ("/Password-reset/1 veiled/", "/***"),
        ("/admin/password-reset/1-veiled/", "/admin/***/"),
        ("/static/veiled.js", "/static/***"),
    ],
)
def test_a_link_that_lets_people_in_is_not_in_the_log(
    db: None, written: Written, settings: Settings, sent: str, shown: str
) -> None:
    """Answered by a view, redirected, refused before it is resolved, or by another method."""
    client = Client(enforce_csrf_checks=True)
    client.get(sent)
    client.post(sent)
    client.get(sent, headers={"host": "evil.example"})
    client.get(sent, headers={"referer": f"https://evil.example{sent}"})
    settings.SECURE_SSL_REDIRECT = True
    client.get(sent)
    assert {line["path"] for line in written.of("leaderboard.logs")} == {shown}
    assert "veiled" not in "\n".join(written.texts)


@pytest.mark.parametrize("path", [RESET, "/account/e-mail/v veiled é/"])
def test_lines_of_django_and_gunicorn_have_no_link_that_lets_people_in(
    written: Written, path: str
) -> None:
    loggers = [logging.getLogger(name) for name in ("django.request", "gunicorn", "other")]
    for logger in loggers:
        logger.error("Internal Server Error: %s", path)
        logger.error("Forbidden (%s): %s", f"Referer https://a.example{quote(path)} is bad", path)
        logger.error(f"Invalid HTTP request line: 'GET {path.replace(' ', '')}?a=b HTTP/9'")
    request = RequestFactory().get(path)
    log_response("%s: %s", "Bad", path, request=request, response=HttpResponse(status=500))
    assert len(written.texts) == 10
    assert "veiled" not in "\n".join(written.texts)


def test_our_own_lines_keep_paths_of_files(written: Written) -> None:
    logging.getLogger("evaluation.work").error("The file %s is absent", "/var/lib/assay/x")
    assert written.objects[-1]["message"] == "The file /var/lib/assay/x is absent"


def test_every_line_of_the_running_pages_is_an_object(tmp_path: Path) -> None:
    """gunicorn's own lines, access lines and tracebacks; requests are sent as bytes."""
    tmp_path.chmod(0o700)
    port = free_port()
    environment = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path), "ASSAY_LOG_FORMAT": "json"}
    # The cache would read a table, and there is none; nor are there static files.
    environment |= {"DATABASE_URL": f"sqlite:///{tmp_path}/empty", "ASSAY_CACHED_PAGES": "0"}
    environment["ASSAY_DEBUG"] = "1"
    (tmp_path / "static").mkdir()
    with (tmp_path / "log").open("w") as log:
        web = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "web", "--port", str(port)],
            env=environment,
            stderr=log,
        )
    try:
        wait_for(lambda: healthy("127.0.0.1", port, ["localhost"]))
        for path in (b"/a%0Ab%E2%80%A8c%00/", b"/", b"/health/ HTTP/9\r\nX:", b"/health/?\x85"):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as sent:
                sent.sendall(b"GET " + path + b" HTTP/1.0\r\nHost: localhost\r\n\r\n")
                assert sent.recv(100), path
    finally:
        web.terminate()
        web.wait(timeout=30)
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"gunicorn.error", "django.request", "leaderboard.logs"} == {
        line["logger"] for line in lines
    }
    (fault,) = (line for line in lines if line["logger"] == "django.request")
    answers = {line["path"]: line for line in lines if "path" in line}
    assert answers["/***"]["status"] == 404
    assert (answers["/"]["status"], answers["/"]["request"]) == (500, fault["request"])
    assert "no such table" in fault["more"][-1]
    # What gunicorn refuses belongs to no request.
    assert {line["request"] for line in lines if "Invalid" in line["message"]} == {"-"}

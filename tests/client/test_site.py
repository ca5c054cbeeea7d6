"""The client against a site whose answers are written here."""

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from assay_client import Failed, Refused, Site, Unreachable, command
from assay_client.credentials import checked_address, store

from tests.support.commands import ROOT

REPORT = {"ok": True, "confirmations": [], "problems": [], "more": 0}


class Answer(NamedTuple):
    """To one request. `key` is filled with the request's Idempotency-Key."""

    body: Any
    headers: dict[str, str] = {}
    status: int = 200


def upload(name: str, state: str, **more: Any) -> Any:
    report = REPORT | {"ok": state != "refused"}
    fields = {"id": name, "state": state, "cause": "", "file": "a.jsonl", "submission": None}
    return fields | {"report": report} | more


@contextmanager
def answering(*answers: Answer) -> Iterator[tuple[Site, list[str]]]:
    """A client of a site that gives these answers in turn, and the keys of its requests that
    write."""
    left, keys = [*answers], []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.command == "POST":
                keys.append(self.headers["Idempotency-Key"])
            answer = left.pop(0) if left else Answer({"detail": "No more answers."}, status=400)
            body = answer.body
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(answer.status)
            for header in ({"Content-Length": str(len(content))} | answer.headers).items():
                self.send_header(*header)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the name that the base class looks for

        def log_message(self, *_words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        with Site(f"http://127.0.0.1:{server.server_port}", "assay_x", patience=0) as site:
            yield site, keys
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("assay_client.site.UPLOAD_POLL", 0)
    path = tmp_path / "a.jsonl"
    path.write_text("{}")
    return path


AGAIN = {"Idempotent-Replayed": "true"}
FIRST = Answer(upload("one", "received"), status=201)
FIRST_AGAIN = FIRST._replace(headers=AGAIN)
SECOND = Answer(upload("two", "received"), status=201)
BOARD = {"benchmark": "rucodeeval", "entrant": "larch"}


def test_a_fault_that_the_site_tries_again_is_no_failure(file: Path) -> None:
    ends = [upload("one", "received", cause="No room."), upload("one", "checked")]
    with answering(FIRST, *map(Answer, ends)) as (site, _keys):
        assert site.check(file, benchmark="rucodeeval") == REPORT
    ends = [upload("one", "checking", cause="No room."), upload("one", "refused", cause="No room.")]
    with answering(FIRST, *map(Answer, ends)) as (site, _keys), pytest.raises(Failed, match="No r"):
        site.check(file, benchmark="rucodeeval")


def test_a_check_that_somebody_discards_is_a_failure(file: Path) -> None:
    end = Answer(upload("one", "discarded", report=None))
    with answering(FIRST, end) as (site, _keys), pytest.raises(Failed, match="discarded"):
        site.check(file, benchmark="rucodeeval")


def test_verdicts_go_to_what_is_no_file_without_replacing_it(file: Path) -> None:
    link, pipe = file.with_name("link"), file.with_name("pipe")
    link.symlink_to(file)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with answering(Answer(b"new"), Answer(b"lines")) as (site, _keys):
        site.verdicts("s", link)
        site.verdicts("s", pipe)
    assert (link.is_symlink(), file.read_text()) == (True, "new")
    assert os.read(reader, 9) == b"lines"


def test_a_login_that_cannot_ask_or_store_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(file))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert command.main(["login"]) == command.REFUSED
    with pytest.raises(Refused, match="cannot be written"):
        store("https://assay.example.org", "assay_x")
    assert "No input" in capsys.readouterr().err


@pytest.mark.parametrize("state", ["refused", "stored"])
def test_a_file_of_which_nothing_came_in_an_earlier_run_is_sent_again(
    file: Path, state: str
) -> None:
    stored = Answer(upload("two", "stored", submission="s"))
    with answering(FIRST_AGAIN, Answer(upload("one", state)), SECOND, stored) as (site, keys):
        assert site.submit(file, **BOARD)["id"] == "two"
    assert len({*keys}) == 2


def test_a_file_whose_upload_was_deleted_is_sent_again(file: Path) -> None:
    stored, gone = Answer(upload("two", "stored", submission="s")), Answer({}, status=404)
    with answering(FIRST_AGAIN, gone, SECOND, stored) as (site, keys):
        assert site.submit(file, **BOARD)["id"] == "two"
    assert len({*keys}) == 2
    with answering(FIRST, gone) as (site, _keys), pytest.raises(Refused):
        site.submit(file, **BOARD)


def test_a_file_that_is_refused_now_is_sent_once(file: Path) -> None:
    with answering(FIRST, Answer(upload("one", "refused"))) as (site, keys):
        with pytest.raises(Refused, match="as it is"):
            site.submit(file, **BOARD)
        assert len(keys) == 1


def test_a_file_of_verdicts_is_replaced_when_all_have_arrived(file: Path) -> None:
    gone, lines = Answer({"detail": "gone"}, status=404), Answer(b"new")
    with answering(gone, lines, lines) as (site, _keys):
        with pytest.raises(Refused, match="gone"):
            site.verdicts("s", file)
        assert file.read_text() == "{}"
        with pytest.raises(Refused, match="cannot be written"):
            site.verdicts("s", file / "none.jsonl")
        site.verdicts("s", file)
    assert file.read_text() == "new"
    assert [*file.parent.iterdir()] == [file]


def test_verdicts_follow_no_link_that_waits_for_them(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(file.parent))
    link, output = file.with_name("link"), file.with_name("output")
    link.symlink_to(output)
    for name in ("link", "new.jsonl"):
        file.with_name(f"{name}.{os.getpid()}").symlink_to(file)
    with answering(Answer(b"new"), Answer(b"new")) as (site, _keys):
        for target in (link, file.with_name("new.jsonl")):
            site.verdicts("s", target)
            assert (target.read_text(), file.read_text()) == ("new", "{}")


def test_what_is_no_answer_of_a_site_is_an_error_of_ours() -> None:
    for body in (b"<html>", b"\xff", b"[]"):
        with answering(Answer(body)) as (site, _keys), pytest.raises(Refused, match="Assay"):
            site.status("s")
    broken = Answer(b"not packed", {"Content-Encoding": "gzip"})
    with answering(broken) as (site, _keys), pytest.raises(Unreachable):
        site.status("s")


@pytest.mark.parametrize("address", ["http://[::1", "http://a:x", "http://\u2100.example.org"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(Refused, match="no address"):
        checked_address(address)


@pytest.mark.parametrize("token", ["assay_\x7fx", "assay_é", "assay_a\nb"])
def test_what_can_be_no_token_is_refused_unsaid(token: str) -> None:
    with pytest.raises(Refused) as refused:
        Site("http://127.0.0.1:9", token)
    assert token not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTPS_PROXY", "x://a"), ("ALL_PROXY", "http://a:x"), ("SSL_CERT_FILE", "/none")],
)
def test_an_environment_without_a_way_out_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Refused, match="proxy or certificate"):
        Site("http://127.0.0.1:9")


def test_as_json_a_refusal_is_what_the_site_said(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = {"status": 422, "detail": "No.", "errors": [{"detail": "No."}]}
    progress = {"state": "cancelled", "over": True, "remarks": [], "submission": "s"}
    stored = Answer(upload("one", "stored", submission="s"))
    submit = ("submit", file, "-b", "b", "-e", "e", "--wait")
    for words, answers, code, said in (
        (("check", file, "-b", "b"), [FIRST, Answer(upload("one", "refused"))], 1,
         REPORT | {"ok": False}),
        (submit, [Answer(problem, status=422)], 1, problem),
        (submit, [FIRST, stored, Answer(progress)], 3, progress),
    ):  # fmt: skip
        with answering(*answers) as (site, _keys):
            monkeypatch.setenv("ASSAY_SITE", site.address)
            assert command.main([*map(str, words), "--json"]) == code
        shown = capsys.readouterr()
        assert json.loads(shown.out) == said
        assert shown.err.count("No.") == (said == problem)


def test_output_that_nobody_reads_any_more_ends_the_command_quietly() -> None:
    board = {"rows": [dict.fromkeys(("rank_low", "entrant"), "x" * 9999)] * 20}
    with answering(Answer(board)) as (site, _keys):
        words = f"{sys.executable} -m assay_client.command board b --format json | head -c 1"
        environment = {**os.environ, "ASSAY_SITE": site.address, "PYTHONPATH": "client"}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", words],
            env=environment, cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (141, "{", "")

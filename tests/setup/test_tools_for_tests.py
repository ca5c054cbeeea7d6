"""Tests of the tools that only tests need: they are found or asked for plainly, and leave nothing
behind."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from scripts import check, tools_for_tests
from scripts.engine import runs
from tests.support import postgres as throw_away
from tests.support.browser import PHONE, browser, complaints, new_page, quiet, shoot
from tests.support.commands import wait_for

ROOT = Path(__file__).parents[2]
RUN = [sys.executable, "-m", "tests.support.postgres", "--"]


def one(url: str, query: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    return row[0]


def program(place: Path, says: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{says}\n")
    place.chmod(0o755)
    return place


def install_postgres(place: Path, version: str) -> None:
    program(place / "initdb", "true")
    program(place / "postgres", f"echo 'postgres (PostgreSQL) {version}'")


@pytest.fixture
def killed() -> Path:
    """The files of a session that was killed; its server has ended. The next session removes
    them."""
    command = [*RUN, "sh", "-c", 'echo "$DATABASE_URL"; exec sleep 60']
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as session:
        folder = Path(unquote(urlsplit(session.stdout.readline()).hostname or ""))
        server = (folder / "data/postmaster.pid").read_text().splitlines()[0]
        assert runs(server, "postgres")
        session.kill()
    wait_for(lambda: not runs(server, "postgres"))
    assert folder.exists()
    return folder


def test_clusters_answer_on_a_socket_alone_and_are_gone_afterwards(killed: Path) -> None:
    with throw_away.cluster() as server:
        assert not killed.exists()
        assert one(server.url, "SHOW listen_addresses") == ""
        assert one(server.create("another"), "SELECT current_database()") == "another"
        assert server.folder.stat().st_mode & 0o777 == 0o700
    assert not server.folder.exists()
    assert not Path(f"/proc/{server.pid}").exists()
    assert subprocess.run(RUN[:-1], cwd=ROOT, capture_output=True).returncode == 2


def test_the_newest_server_that_will_do_is_taken_or_the_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_for_tests, "POSTGRES_PLACES", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/bin")
    install_postgres(tmp_path / "path", "13.9")
    assert tools_for_tests.postgres_programs() is None
    install_postgres(tmp_path / "path", "17.2")
    assert tools_for_tests.postgres_programs() == tmp_path / "path"
    for version in ("9.6.24", "13.9", "14.7", "16beta1"):
        install_postgres(tmp_path / version / "bin", version)
    assert tools_for_tests.postgres_programs() == tmp_path / "16beta1/bin"


def test_a_stub_of_a_snap_is_no_chromium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "chromium", "exec /snap/bin/chromium")
    program(tmp_path / "chromium-browser", "exit 1")
    monkeypatch.delenv("ASSAY_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    # /bin may have the first program of the list.
    monkeypatch.setattr(tools_for_tests, "CHROMIUMS", tools_for_tests.CHROMIUMS[1:])
    monkeypatch.setattr(tools_for_tests, "playwrights_own", lambda: None)
    assert tools_for_tests.chromium() is None
    good = program(tmp_path / "google-chrome", "echo Chrome 140")
    assert tools_for_tests.chromium() == good


def test_a_chromium_that_is_named_is_the_one_and_none_is_installed_in_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_CHROMIUM", "/nonexistent/chromium")
    with pytest.raises(SystemExit):
        tools_for_tests.ensure(tools_for_tests.CHROMIUM)
    said = capsys.readouterr()
    assert said.out == ""
    assert "ASSAY_CHROMIUM" in said.err
    assert len(said.err.splitlines()) == 1


def test_installing_the_server_leaves_its_configuration_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = tmp_path / "createcluster.conf"
    configuration.write_text("#create_main_cluster = true\n")
    monkeypatch.setattr(tools_for_tests, "CREATECLUSTER", configuration)
    with tools_for_tests.no_cluster_of_its_own():
        assert configuration.read_text().endswith("\ncreate_main_cluster = false\n")
    assert configuration.read_text() == "#create_main_cluster = true\n"


@pytest.mark.parametrize("before", ["", "#!/bin/sh\nexit 0\n"])
def test_no_service_starts_with_its_package_and_the_machines_policy_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    policy = tmp_path / "policy-rc.d"
    if before:
        policy.write_text(before)
    monkeypatch.setattr(tools_for_tests, "SERVICE_POLICY", policy)
    with tools_for_tests.no_services():
        assert before or subprocess.run([policy]).returncode == 101
    assert policy.exists() == bool(before)


class Pages(BaseHTTPRequestHandler):
    """Serves pages under a strict policy: one that breaks it, one that throws, and one without
    fault."""

    BODIES = {
        "/style": "<p style='color: red'>red",
        "/throws": "<script src=/script></script>",
        "/script": "console.info('said'); throw new Error('thrown')",
    }

    def do_GET(self) -> None:
        kind = "text/javascript" if self.path == "/script" else "text/html"
        body = self.BODIES.get(self.path, "<p>fine")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", "default-src 'self'; img-src data:")
        self.end_headers()
        head = "" if self.path == "/script" else "<!doctype html><link rel=icon href='data:,'>"
        self.wfile.write(f"{head}{body}".encode())

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_has_the_look_that_was_asked_for_and_tells_its_complaints(
    address: str, tmp_path: Path
) -> None:
    with (
        browser() as running,
        new_page(running, address=address, width=PHONE, scheme="dark") as page,
    ):
        assert os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] == "true"
        page.goto("/fine")
        assert page.evaluate("innerWidth") == 390
        picture = shoot(page, tmp_path / "pictures", "empty")
        assert picture.name == "empty-390-dark.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        quiet(page)
        page.goto("/style")
        with pytest.raises(AssertionError, match="CSP violation: style-src-attr forbids inline"):
            quiet(page)
        page.goto("/throws")
        kinds = [line.split(" (")[0] for line in complaints(page)]
        assert kinds == ["console info: said", "uncaught: thrown"]
        quiet(page)
    assert "DJANGO_ALLOW_ASYNC_UNSAFE" not in os.environ


def test_no_test_meets_an_installation() -> None:
    assert Path(os.environ["ASSAY_DATA_DIR"]).name.startswith("assay-tests-")
    assert "ASSAY_VALKEY_URL" not in os.environ


def test_whatever_meets_a_database_meets_both() -> None:
    marked = [path for path in ROOT.glob("tests/**/*.py") if "mark.django_db" in path.read_text()]
    places = [ROOT / place for place in check.DJANGO_TESTS]
    here = [Path(__file__)]  # it names the mark
    assert [p for p in marked if not set(places) & set(p.parents) and p not in here] == []


# One test without a database, and one for each way to ask for one.
TESTS = """
import pytest
from django.test import TestCase

@pytest.fixture
def row(transactional_db): ...

def test_nothing(tmp_path): ...
def test_fixture(db): ...
def test_fixture_of_fixture(row): ...
def test_server(live_server): ...
def test_cluster(postgres): ...
@pytest.mark.django_db
def test_mark(): ...
@pytest.mark.postgresql
def test_other_mark(): ...
class TestOfDjango(TestCase):
    def test_method(self): ...
"""


# Collects the tests for each database, in one process: starting one takes longer than collecting.
COLLECT = """
import os, sys, pytest
for url in ("", "postgresql://assay@host/assay"):
    os.environ["DATABASE_URL"] = url
    code = pytest.main(["--collect-only", "-q", "-c", "pyproject.toml", sys.argv[1]])
    print("ended with", int(code))
"""


def test_only_what_meets_no_database_is_left_out_on_postgresql(tmp_path: Path) -> None:
    place = tmp_path / "test_each_way.py"
    place.write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, place], cwd=ROOT, capture_output=True, text=True
    )
    collected = done.stdout.split("ended with 0")
    assert [part.count("::test_") for part in collected] == [8, 7, 0], done.stdout
    assert ["::test_nothing" in part for part in collected] == [True, False, False]

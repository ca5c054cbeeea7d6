"""Attacks by strangers on the documented set-up: nginx with docs/operators/nginx.conf, gunicorn,
and the queue's server, each a process of its own."""

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import requests

from leaderboard.healthy import healthy
from tests.support.cast import PASSWORD
from tests.support.commands import ROOT, wait_for
from tests.support.postgres import ending_with_parent
from tests.support.proxy import CONFIGURATION, HOST, connected, free_port, nginx
from tests.support.valkey import Queue

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning"),
]

MIB = 2**20
FILE = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
SLOW, SECONDS = 80, 10
PREPARE = f"""
from django.core.management import call_command
call_command("migrate", "-v0")
call_command("collectstatic", "--noinput", "-v0")
from leaderboard.accounts.models import User, confirm_address
ann = User.objects.create_user("ann", "ann@example.org", "{PASSWORD}")
confirm_address(ann)
from leaderboard.accounts.teams import create_team
from leaderboard.accounts.tokens import make_token
team = create_team(name="Fenland", owner=ann)
for scope in ("read", "submit"):
    print(make_token(membership=team.memberships.get(), name="job", scopes=[scope], days=1)[1])
"""


class Site(NamedTuple):
    folder: Path
    port: int
    proxy: int
    pid: int
    reading: str
    token: str

    def written(self) -> int:
        """The bytes that the pages' processes have written, to files and sockets."""
        path = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        files = [Path(f"/proc/{pid}/io") for pid in path.read_text().split()]
        return sum(int(re.findall(r"wchar: (\d+)", file.read_text())[0]) for file in files)

    def stored(self) -> int:
        """The bytes of bodies that nginx has stored."""
        paths = (self.folder / "bodies").rglob("*")
        return sum(path.stat().st_size for path in paths if path.is_file())

    def visitor(self) -> requests.Session:
        session = requests.Session()
        session.trust_env = session.verify = False
        session.headers.update({"Host": HOST, "Referer": f"https://{HOST}/"})
        return session

    def url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.proxy}{path}"

    def signed_in(self) -> requests.Session:
        visitor = self.visitor()
        answer = sign_in(self, visitor, "ann", PASSWORD)
        assert answer.url == self.url("/"), answer.status_code
        return visitor


def sign_in(site: Site, visitor: requests.Session, name: str, password: str) -> requests.Response:
    page = visitor.get(site.url("/sign-in/")).text
    token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
    given = {"csrfmiddlewaretoken": token, "login": name, "password": password}
    # Not the redirect itself, which names the host without the test's port.
    answer = visitor.post(site.url("/sign-in/"), given, allow_redirects=False)
    return visitor.get(site.url(answer.headers["Location"])) if answer.is_redirect else answer


@pytest.fixture(scope="module")
def site(migrated: Path | None) -> Iterator[Site]:
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="assay-proxy-")))
        if migrated:
            shutil.copyfile(migrated, folder / "assay.sqlite3")
        queue = Queue(folder / "queue")
        ends.callback(queue.kill)
        queue.start()
        port = free_port()
        environment = {
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            "ASSAY_DATA_DIR": str(folder),
            "ASSAY_VALKEY_URL": queue.url,
            "ASSAY_ALLOWED_HOSTS": HOST,
            "ASSAY_HTTPS": "1",
            "ASSAY_TRUSTED_PROXIES": "1",
        }
        prepared = [sys.executable, "manage.py", "shell", "-v0", "-c", PREPARE]
        done = subprocess.run(
            prepared, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE
        )
        tokens = done.stdout.decode().split()[-2:]
        web = ends.enter_context(
            subprocess.Popen(
                [sys.executable, "manage.py", "web", "--port", str(port)],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stderr=(folder / "web.log").open("w"),
                preexec_fn=ending_with_parent(signal.SIGTERM),
            )
        )
        ends.callback(web.terminate)
        wait_for(lambda: healthy("127.0.0.1", port, [HOST]), pause=0.2)
        text = Path(os.environ.get("PROXY_TEXT", CONFIGURATION)).read_text()
        proxy = ends.enter_context(nginx(folder, port, text))
        yield Site(folder, port, proxy, web.pid, *tokens)


def head(method: str, path: str, *lines: str) -> bytes:
    """With all that Django wants before it reads a body: it checks the form's token last."""
    first = (
        f"{method} {path} HTTP/1.1",
        f"Host: {HOST}",
        "X-Forwarded-Proto: https",
        f"Referer: https://{HOST}/",
        f"Cookie: csrftoken={'x' * 32}; sessionid={'x' * 32}",
        "Content-Type: multipart/form-data; boundary=x",
    )
    return "\r\n".join([*first, *lines, "", ""]).encode()


def assert_healthy(site: Site) -> None:
    answer = site.visitor().get(site.url("/health/"), timeout=SECONDS)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "request_head",
    [
        head("POST", "/sign-in/", "Content-Length: 1000"),
        head("POST", "/sign-in/", "Transfer-Encoding: chunked") + b"3e8\r\n",
        head("POST", "/submit/", "Content-Length: 1000"),
        head("GET", "/")[:-4],
    ],
    ids=["body", "chunk", "upload", "header"],
)
def test_slow_requests_do_not_stop_the_site(site: Site, request_head: bytes) -> None:
    """Each client has an address of its own, so that no limit by address helps."""
    with ExitStack() as open_until_then:
        lines = []
        for number in range(SLOW):
            line = connected(site.proxy, source=f"127.0.1.{number + 1}")
            lines.append(open_until_then.enter_context(closing(line)))
            line.sendall(request_head)
        for _round in range(3):
            for line in lines:
                line.sendall(b"x")
            assert_healthy(site)


def answer_status(line: socket.socket) -> int:
    return int(line.makefile("rb").readline().split()[1])


@pytest.mark.parametrize(
    ("method", "path", "most"),
    [("GET", "/sign-in/", 40), ("POST", "/docs/", 31), ("POST", "/sign-in/", 21)],
    ids=["at once", "forms", "passwords"],
)
def test_an_address_has_few_requests_at_once_and_others_are_served(
    site: Site, method: str, path: str, most: int
) -> None:
    with ExitStack() as open_until_then:
        lines = []
        for _ in range(SLOW):
            line = connected(site.proxy, source=f"127.0.2.{most}")
            lines.append(open_until_then.enter_context(closing(line)))
            line.sendall(head(method, path, "Content-Length: 9"))
        wait_for(lambda: len(select.select(lines, [], [], 0)[0]) >= SLOW - most - 9)
        refused, _, _ = select.select(lines, [], [], 0)
        assert {answer_status(line) for line in refused} == {429}
        assert len(refused) <= SLOW - most
        assert_healthy(site)


def sent(
    line: socket.socket, request_head: bytes, mib: int, frame: Callable[[bytes], bytes]
) -> int:
    """Sends a form with a file until the server answers. Returns the status."""
    line.sendall(request_head + frame(FILE))
    piece = frame(b"x" * 2**16)
    with suppress(OSError):
        for _ in range(mib * 16):
            if select.select([line], [], [], 0)[0]:
                break
            line.sendall(piece)
    return answer_status(line)


def plain(piece: bytes) -> bytes:
    return piece


def chunk(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


@pytest.mark.parametrize("path", ["/submit/", "/sign-in/", "/nowhere/"])
@pytest.mark.parametrize(
    ("length", "frame"),
    [(f"Content-Length: {298 * MIB}", plain), ("Transfer-Encoding: chunked", chunk)],
    ids=["298 MiB", "unknown"],
)
def test_a_large_body_of_a_stranger_is_refused_unread(
    site: Site, path: str, length: str, frame: Callable[[bytes], bytes]
) -> None:
    """Without the proxy."""
    before = site.written()
    with closing(socket.create_connection(("127.0.0.1", site.port), timeout=20)) as line:
        assert sent(line, head("POST", path, length), 298, frame) == 413
    assert site.written() - before < MIB / 4


@pytest.mark.parametrize(
    ("path", "status"),
    [("/submit/", 303), ("/sign-in/", 413), ("/admin/login/", 413), ("/api/v1/uploads", 401)],
)
def test_the_proxy_stores_no_large_body_of_a_stranger(site: Site, path: str, status: int) -> None:
    """The answer comes although most of the body does not."""
    with closing(connected(site.proxy)) as line:
        length = f"Content-Length: {298 * MIB}"
        assert sent(line, head("POST", path, length), 1, plain) == status
        assert site.stored() == 0


def test_a_signed_in_person_may_upload_at_the_addresses_of_uploads_alone(site: Site) -> None:
    ann = site.signed_in()
    page = ann.get(site.url("/submit/"))
    assert page.status_code == 200
    data = {"csrfmiddlewaretoken": ann.cookies["csrftoken"]}
    files = {"file": ("predictions.jsonl", b"x" * 4 * MIB)}
    answers = [
        ann.post(site.url(path), data, files=files, allow_redirects=False).status_code
        for path in ("/submit/", "/account/password/")
    ]
    assert answers == [422, 413]


def test_a_token_lets_a_large_body_in_at_the_address_of_uploads_alone(site: Site) -> None:
    program = site.visitor()
    files = {"file": ("predictions.jsonl", b"x" * 4 * MIB)}
    data = {"benchmark": "none", "setting": "base"}
    answers = {}
    for token in (site.token, "assay_wrong"):
        program.headers["Authorization"] = f"Bearer {token}"
        for path in ("/api/v1/uploads", "/api/v1/team/entrants"):
            answer = program.post(site.url(path), data, files=files)
            answers[token, path] = answer.status_code
    assert [*answers.values()] == [422, 413, 401, 413]
    problem = program.post(site.url("/api/v1/uploads"), data, files=files)
    assert (problem.headers["Content-Type"], problem.json()["status"]) == (
        "application/problem+json", 401,
    )  # fmt: skip
    assert "GET /api/v1/token?scope=submit says why" in problem.json()["detail"]
    assert program.get(site.url("/token/")).status_code == 404


def test_the_proxy_stores_no_large_body_of_a_token_that_may_not_submit(site: Site) -> None:
    lines = f"Content-Length: {298 * MIB}", f"Authorization: Bearer {site.reading}"
    with closing(connected(site.proxy)) as line:
        assert sent(line, head("POST", "/api/v1/uploads", *lines), 1, plain) == 403


def test_the_uploads_of_the_proxy_are_as_large_as_the_site_allows() -> None:
    sizes = re.findall(r"client_max_body_size (\d+)m;", CONFIGURATION.read_text())
    assert sizes == ["3", "1025", "1025"]  # ASSAY_UPLOAD_MOST_MB and the form around the file


def test_strangers_are_led_to_the_sign_in_page_as_before(site: Site) -> None:
    visitor = site.visitor()
    answer = visitor.get(site.url("/submit/?board=a&x=b"), allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/sign-in/?next=/submit/%3Fboard%3Da%26x%3Db",
    )
    assert visitor.get(site.url("/signed-in/")).status_code == 404


def test_forged_addresses_are_not_believed(site: Site) -> None:
    # A limit of ten in a quarter of an hour, which may end after any of them.
    statuses = []
    while 429 not in statuses and len(statuses) < 21:
        stranger = site.visitor()
        stranger.headers["X-Forwarded-For"] = f"203.0.113.{len(statuses)}"
        answer = sign_in(site, stranger, "nobody", "wrong")
        statuses.append(answer.status_code)
    assert statuses == [200] * (len(statuses) - 1) + [429]
    assert len(statuses) > 10
    assert 0 < int(answer.headers["Retry-After"]) <= 900

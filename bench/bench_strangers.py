"""Measures how much attacks by strangers and by a member slow down a visitor, on the documented
set-up: docs/operators/nginx.conf, `manage.py up` with its own Valkey, PostgreSQL.

    python -m bench.bench_strangers [--seconds 15] [--only WORD]

A visitor reads pages, signed out and signed in, one after the other: for some seconds before each
attack, during it, and after it. Prints the 95th percentile of the times, and the ratio of those
during the attack to those before. Attackers have addresses of their own and share the machine.

    slow bodies     80 forms and 80 headers, a byte a second
    heavy page      4 clients read a page of 25 texts that are slow to highlight (a member)
    zip             a zip of 1 MB with 200 MiB of generations, checked and submitted (a member);
                    also prints the seconds until another team's small file is checked
    passwords       8 clients of 4 addresses guess passwords
    large bodies    4 clients send 298 MiB without a session
    drafts          8 clients send forms of raters, each in a new session

A full disk is the subject of tests. Exits with 1 if a ratio is over 3 or a page fails.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import multiprocessing
import re
import secrets
import ssl
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from http.client import HTTPException, HTTPSConnection
from itertools import count, cycle
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from leaderboard.healthy import healthy
from tests.support.commands import wait_for
from tests.support.postgres import cluster
from tests.support.predictions import solutions
from tests.support.proxy import HOST, connected, nginx
from tests.support.stack import Stack, running_stack

MOST_RATIO, PAGE_SECONDS = 3.0, 15.0
CHECK_SECONDS = 90.0
MIB = 2**20
TOKEN = "x" * 32
ADDRESS = "127.0.3.1"
BOARD = "rucodeeval/base"
PAGES = (
    *("/", "/benchmarks/rucodeeval/", "/benchmarks/rucodeeval/tasks/", "/entrants/"),
    *("/benchmarks/rucodeeval/tasks/1/", "/compare/", "/docs/", "/sign-in/", "/health/"),
)
OWN_PAGES = ("/account/", "/submissions/", "/submit/", "/?by=skill")
PREPARE = """
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from tests.support.cast import Cast

def session(user):
    made = SessionStore()
    made[SESSION_KEY], made[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    made[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    made.create()
    return made.session_key

cast = Cast()
entrant = cast.entrant()
cast.judged_submission(entrant)
team = cast.team("Heavy", owner=cast.charlie)
heavy = cast.entrant("Heavy", team)
text = "".join(f"    a{n} = 'x' + {n}  # y\\n" for n in range(1000))
page = cast.judged_submission(heavy, samples=25, text=text, publish=False)
print("READY", session(cast.alice), entrant.slug, session(cast.charlie), heavy.slug, page.pk)
"""


class Site(NamedTuple):
    """A running installation: alice belongs to one team, charlie attacks from another."""

    stack: Stack
    proxy: int
    alice: str
    entrant: str
    charlie: str
    heavy: str
    page: str


class Installation(Stack):
    def answers(self, path: str = "/", seconds: float = 5) -> bool:  # noqa: ARG002
        return healthy("127.0.0.1", self.port, [HOST])


class Client:
    """A connection to nginx that is kept open. With a session, it is that person's."""

    def __init__(self, site: Site, source: str, session: str = "") -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._connection = HTTPSConnection(
            *("127.0.0.1", site.proxy),
            timeout=PAGE_SECONDS,
            context=context,
            source_address=(source, 0),
        )
        cookie = f"csrftoken={TOKEN}" + (f"; sessionid={session}" if session else "")
        self._headers = {"Host": HOST, "Cookie": cookie, "Referer": f"https://{HOST}/"}

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str, str]:
        """Status, address of a redirect, text. Raises OSError or HTTPException."""
        method = "GET" if body is None else "POST"
        try:
            self._connection.request(method, path, body, self._headers | headers)
            answer = self._connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, HTTPException):
            self._connection.close()
            raise
        return answer.status, answer.getheader("Location", ""), text

    def send(self, path: str, file: bytes = b"", **fields: str) -> tuple[int, str, str]:
        parts = [(f'name="{name}"', value.encode()) for name, value in fields.items()]
        parts.append(('name="csrfmiddlewaretoken"', TOKEN.encode()))
        if file:
            parts.append(('name="file"; filename="p.zip"', file))
        head = b"--x\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n"
        body = b"".join(head % (name.encode(), value) for name, value in parts) + b"--x--\r\n"
        return self.ask(path, body, **{"Content-Type": "multipart/form-data; boundary=x"})


def repeated(*acts: Callable[[], object]) -> None:
    """Repeats each act in a thread of its own until this process is ended."""

    def repeat(act: Callable[[], object]) -> None:
        while True:
            with suppress(OSError, HTTPException):
                act()

    threads = [Thread(target=repeat, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()


def slow_bodies(site: Site) -> None:
    cookies = f"Cookie: csrftoken={TOKEN}\r\nReferer: https://{HOST}/\r\n"
    head = f"POST /sign-in/ HTTP/1.1\r\nHost: {HOST}\r\n{cookies}"
    ends = (
        "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n",
        "X: ",
    )
    lines = []
    for number in range(160):
        line = connected(site.proxy, source=f"127.0.4.{number % 80 + 1}")
        line.sendall((head + ends[number % 2]).encode())
        lines.append(line)
    while True:
        for line in lines:
            with suppress(OSError):
                line.sendall(b"x")
        time.sleep(1)


def heavy_page(site: Site) -> None:
    clients = [Client(site, ADDRESS, site.charlie) for _ in range(4)]
    path = f"/submissions/{site.page}/tasks/1/"
    repeated(*(partial(client.ask, path) for client in clients))


def zipped(texts: Sequence[str]) -> bytes:
    """A zip of a file with each of these texts for each sample task."""
    buffer = io.BytesIO()
    lines = ({"task_id": task, "completion": text} for task in solutions() for text in texts)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    return buffer.getvalue()


@cache
def big_zip() -> bytes:
    """1,000 generations of 200 kB. A part of each cannot be compressed, because a site may refuse
    files with a high ratio."""
    samples = range(1000 // len(solutions()))
    return zipped(
        [f"    # {secrets.token_hex(700)}\n" + "    return 1\n" * 15_400 for _ in samples]
    )


def submitted(site: Site, session: str, entrant: str, file: bytes, *, confirm: bool) -> float:
    """Uploads the file; returns the seconds until it is checked. Raises RuntimeError if it is
    not taken."""
    client, began = Client(site, ADDRESS, session), time.monotonic()
    status, address, text = client.send("/submit/", file, board=BOARD, entrant=entrant)
    if status != 302:
        raise RuntimeError(
            f"an upload is answered with {status}: {re.findall('errorlist.*', text)}"
        )

    def is_checked() -> bool:
        return "live/" not in client.ask(address)[2]

    wait_for(is_checked, CHECK_SECONDS, pause=0.3)
    seconds = time.monotonic() - began
    if confirm:
        status, _, text = client.send(f"{address}confirm/")
        print(f"    a zip of {len(file)} bytes is confirmed: {status}", file=sys.stderr)
    return seconds


def zips(site: Site) -> None:
    while True:
        try:
            submitted(site, site.charlie, site.heavy, big_zip(), confirm=True)
        except (RuntimeError, TimeoutError, OSError, HTTPException) as error:
            print(f"    the zip: {error}", file=sys.stderr)
            time.sleep(5)


def passwords(site: Site) -> None:
    clients = [Client(site, f"127.0.5.{n % 4 + 1}") for n in range(8)]
    names = count()

    def guess(client: Client) -> None:
        client.send("/sign-in/", login=f"somebody-{next(names)}", password="guess")

    repeated(*(partial(guess, client) for client in clients))


def large_bodies(site: Site) -> None:
    paths = cycle(("/submit/", "/sign-in/"))
    piece = b"x" * 2**16

    def send() -> None:
        with connected(site.proxy, source=ADDRESS) as line:
            head = f"POST {next(paths)} HTTP/1.1\r\nHost: {HOST}\r\nCookie: csrftoken={TOKEN}\r\n"
            line.sendall(f"{head}Content-Length: {298 * MIB}\r\n\r\n".encode())
            for _ in range(298 * 16):
                line.sendall(piece)

    repeated(*[send] * 4)


def drafts(site: Site) -> None:
    def send() -> None:
        client = Client(site, ADDRESS)
        client.send(f"/rate/items/{1}/draft/", b"", **{"comment-correctness": "x" * 19_000})

    repeated(*[send] * 8)


ATTACKS: dict[str, Callable[[Site], None]] = {
    "slow bodies": slow_bodies,
    "heavy page": heavy_page,
    "zip": zips,
    "passwords": passwords,
    "large bodies": large_bodies,
    "drafts": drafts,
}


@contextmanager
def under(attack: Callable[[Site], None], site: Site) -> Iterator[None]:
    """While a process of its own attacks the site, from two seconds after its start."""
    process = multiprocessing.get_context("fork").Process(target=attack, args=(site,))
    process.start()
    time.sleep(2)
    try:
        assert process.is_alive(), "the attack has ended"
        yield
    finally:
        process.kill()
        process.join()


def visit(site: Site, seconds: float) -> tuple[float, int]:
    """The 95th percentile of the seconds that a page takes, and the number of pages that failed."""
    stranger, member = Client(site, "127.0.0.1"), Client(site, "127.0.0.1", site.alice)
    pages = cycle([(stranger, path) for path in PAGES] + [(member, path) for path in OWN_PAGES])
    times, failures, until = list[float](), 0, time.monotonic() + seconds
    while time.monotonic() < until or len(times) < 40:
        client, path = next(pages)
        began = time.monotonic()
        try:
            status = client.ask(path)[0]
        except (OSError, HTTPException):
            status = 0
        if status != 200:
            failures += 1
            print(f"    {path} is answered with {status}", file=sys.stderr)
        times.append(PAGE_SECONDS if status == 0 else time.monotonic() - began)
        if failures > 3:
            break
    return statistics.quantiles(times, n=20)[-1] if len(times) > 1 else math.inf, failures


def small_check(site: Site) -> float:
    """Seconds, at most CHECK_SECONDS."""
    try:
        return submitted(site, site.alice, site.entrant, zipped(["    return 1\n"]), confirm=False)
    except TimeoutError:
        return CHECK_SECONDS


def measured(site: Site, name: str, seconds: float) -> bool:
    """Prints a line of the table. Returns whether its bound holds."""
    # Fills caches, and lets the attack before it end.
    wait_for(lambda: visit(site, 3) < (1.0, 1), 300)
    before, _ = visit(site, seconds)
    checks = [small_check(site)] if name == "zip" and big_zip() else []
    with under(ATTACKS[name], site):
        during, failures = visit(site, seconds)
        if checks:
            checks.append(small_check(site))
    after, _ = visit(site, seconds)
    holds = during <= MOST_RATIO * before and not failures
    told = "".join(f"{1000 * value:11.0f}" for value in (before, during, after))
    print(f"{name:14}{told}{during / before:8.1f}{failures:9}{'' if holds else '  BROKEN'}")
    if checks:
        print(
            "    another team's check: {:.1f} s before, {:.1f} s during; 90 is not in time".format(
                *checks
            )
        )
    sys.stdout.flush()
    return holds


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--only", default="", help="a word of the attacks' names")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="assay-strangers-") as name,
        tempfile.TemporaryDirectory(prefix="assay-nginx-") as other,
        cluster() as server,
    ):
        folder = Path(name)
        stack = Installation(
            folder,
            DATABASE_URL=server.url,
            ASSAY_ALLOWED_HOSTS=HOST,
            ASSAY_HTTPS="1",
            ASSAY_TRUSTED_PROXIES="1",
        )
        with running_stack(stack), nginx(Path(other), stack.port) as proxy:
            words = re.findall("READY (.*)", stack.manage("shell", "-v0", "-c", PREPARE))[0].split()
            site = Site(stack, proxy, *words)
            print(
                f"{'attack':14}{'before ms':>11}{'during ms':>11}{'after ms':>11}   ratio  failed"
            )
            names = [attack for attack in ATTACKS if given.only in attack]
            held = [measured(site, attack, given.seconds) for attack in names]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())

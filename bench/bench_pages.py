"""Measures how fast the public pages of a large site are, on PostgreSQL.

    python -m bench.bench_pages [--submissions 1000] [--verdicts 5000000] [--repeats 40]
    python -m bench.bench_pages --database URL_OF_A_SEEDED_DATABASE [--repeats 40]

1. Starts a PostgreSQL and fills it with `manage.py seed_scale`; prints how long that takes.
2. Without the page cache, signed in: prints the server time of each kind of page as median (p50)
   and 95th percentile (p95), the median processor time of this process, which other load on the
   machine changes less, and the number of queries. The first line times a loop that is the same in
   every run: its times differ only with the machine's speed.
3. With the page cache, signed out: prints the requests per second of the home page, of a board's
   page and its answer by the API, and of a static file, from a web server of two processes that
   shares the machine with its client.
4. In Chromium, signed out and with an empty browser cache: prints the largest contentful paint of
   the home page, of a board and of a comparison, the compressed size before charts, the layout
   shift and the complaints.

Exits 1 if a bound is exceeded: a time, a rate, a size, or a number of queries that differs between
benchmarks, tasks or entrants.
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import chain, cycle
from math import inf
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser

from tests.support.browser import WATCH_PAINT, browser, complaints, new_page
from tests.support.commands import ROOT, wait_for
from tests.support.postgres import cluster, ending_with_parent

MOST_SEED_SECONDS = 600.0
LEAST_RATE = 500.0
RATE_SECONDS, CONNECTIONS = 5.0, 8
STATIC = "/static/css/plotly.css"
MOST_PAINT, MOST_BYTES, MOST_SHIFT, VISITS = 1.0, 100 * 1024, 0.05, 3
# Excludes plotly and the figures, which charts load only when they come near the window.
_BYTES = """
() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((one) => !/plotly|\\/charts\\//.test(one.name) || one.name.endsWith(".css"))
  .reduce((sum, one) => sum + one.transferSize, 0)
"""
HEAD = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n"


class Kind(NamedTuple):
    """A kind of page. `seconds` bounds p95; all `paths` must need the same number of queries."""

    name: str
    seconds: float
    paths: Sequence[str]


class Served(NamedTuple):
    name: str
    median: float
    p95: float
    processor: float
    bound: float
    queries: Sequence[int]

    @property
    def holds(self) -> bool:
        return self.p95 <= self.bound and len(self.queries) == 1


def kinds() -> list[Kind]:
    from leaderboard.accounts.models import Entrant
    from leaderboard.benchmarks.models import Benchmark

    boards = [one.get_absolute_url() for one in Benchmark.objects.order_by("slug")]
    by_api = [_by_api(board) for board in boards]
    compared = [board.replace("/benchmarks/", "/compare/") for board in boards]
    entrants = [one.get_absolute_url() for one in Entrant.objects.order_by("pk")[::50]]
    return [
        *(
            Kind(f"home, {view or 'by benchmark'}", 0.05, [f"/?by={view}"])
            for view in ("", "language", "natural_language", "skill")
        ),
        Kind("home, filter", 0.2, ["/?weights=open", "/?size=small"]),
        Kind("board", 0.1, boards),
        Kind("board, by the API", 0.1, by_api),
        Kind("board, filter", 0.2, [f"{board}?weights=open" for board in boards]),
        Kind("board, filter, by the API", 0.2, [f"{path}?weights=open" for path in by_api]),
        Kind("board, part", 0.2, [f"{board}?slice=level&value=hard" for board in boards]),
        Kind("board, search", 0.2, [f"{board}?q=a" for board in boards]),
        Kind("board, sorted", 0.2, [f"{board}?sort=entrant" for board in boards]),
        Kind("compare", 0.2, ["/compare/"]),
        Kind("compare, board", 0.2, compared),
        Kind("compare, four", 0.2, [f"{one}?{_four(one)}" for one in compared]),
        Kind("compare, part", 0.2, [f"{one}?slice=level&value=hard" for one in compared]),
        Kind("tasks", 0.05, [f"{board}tasks/" for board in boards]),
        Kind("tasks, hardest first", 0.05, [f"{board}tasks/?sort=hardest" for board in boards]),
        Kind("task", 0.05, [f"{board}tasks/{n}/" for board in boards for n in (1, 7)]),
        Kind("entrants", 0.05, ["/entrants/", "/entrants/?sort=latest"]),
        Kind("entrants, filter", 0.2, ["/entrants/?size=small"]),
        Kind("entrant", 0.05, entrants),
    ]


def _by_api(board: str) -> str:
    """The API's address of the board with this address of its page."""
    return f"/api/v1{board}board"


def _four(compared: str) -> str:
    """The query of a comparison of four entrants of the board at this address."""
    from leaderboard.scores.models import Standing

    rows = Standing.objects.filter(
        board__revision__benchmark__slug=compared.split("/")[2], place__isnull=False
    )
    slugs = rows.order_by("board", "place").values_list("submission__entrant__slug", flat=True)
    return urlencode({"entrant": list(slugs[:4])}, doseq=True)


def served(kind: Kind, repeats: int) -> Served:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from leaderboard.accounts.models import User

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get())
    queries = set()
    for path in kind.paths:
        with CaptureQueriesContext(connection) as counted:
            answer = client.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answers with {answer.status_code}")
        queries.add(len(counted))
    paths = cycle(kind.paths)
    times = _times(lambda: client.get(next(paths)), repeats)
    return Served(kind.name, *times, kind.seconds, sorted(queries))


def loop(repeats: int) -> Served:
    times = _times(lambda: sum(range(2_000_000)), repeats)
    return Served("a loop, not a page", *times, inf, [0])


def _times(act: Callable[[], object], repeats: int) -> tuple[float, float, float]:
    """p50 and p95 of the seconds, p50 of the processor seconds."""
    times, processor = [], []
    for _ in range(max(repeats, 20)):
        began, used = time.perf_counter(), time.process_time()
        act()
        times.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
    p95 = statistics.quantiles(times, n=20)[-1]
    return statistics.median(times), p95, statistics.median(processor)


@contextmanager
def web_server(environment: dict[str, str]) -> Iterator[int]:
    """The port of a web server that answers."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    words = [sys.executable, "manage.py", "web", "--port", str(port)]
    with subprocess.Popen(
        words,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=ending_with_parent(15),
    ) as server:
        try:
            wait_for(lambda: _answers(port), 60, pause=0.2)
            yield port
        finally:
            server.terminate()


def _answers(port: int) -> bool:
    try:
        return _asked(port, "/health/", until=0) > 0
    except OSError:
        return False


def rate(port: int, path: str) -> float:
    """Requests per second over CONNECTIONS connections that are kept open."""
    _asked(port, path, until=time.monotonic() + 1)
    until = time.monotonic() + RATE_SECONDS
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        counts = pool.map(lambda _: _asked(port, path, until=until), range(CONNECTIONS))
        return sum(counts) / RATE_SECONDS


def _asked(port: int, path: str, *, until: float) -> int:
    """Asks for the page until that time, at least once. Returns how often."""
    request, count = HEAD.format(path=path).encode(), 0
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        answers = line.makefile("rb")
        while not count or time.monotonic() < until:
            line.sendall(request)
            status, length = answers.readline(), 0
            if b" 200 " not in status:
                raise RuntimeError(f"{path} answers with {status!r}")
            while (header := answers.readline()) not in (b"\r\n", b""):
                name, _colon, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            answers.read(length)
            count += 1
    return count


def manage(environment: dict[str, str], *words: str) -> None:
    subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True)


def measured_pages(repeats: int) -> bool:
    """Prints the table of times. Returns whether every bound holds."""
    rows = []
    head = "".join(f"{word:>8}" for word in ("p50 ms", "p95 ms", "cpu ms"))
    print(f"{'page, signed in, without cache':34}{head}{'at most':>9}  queries")
    for row in chain([loop(repeats)], (served(kind, repeats) for kind in kinds())):
        rows.append(row)
        values = (row.median, row.p95, row.processor)
        times = "".join(f"{1000 * value:8.0f}" for value in values)
        told = " or ".join(map(str, row.queries))
        broken = "" if row.holds else "  BROKEN"
        print(f"{row.name:34}{times}{1000 * row.bound:9.0f}  {told}{broken}", flush=True)
    return all(row.holds for row in rows)


def measured_rates(environment: dict[str, str]) -> bool:
    """Prints the table of rates. Returns whether every bound holds."""
    from leaderboard.benchmarks.models import Benchmark

    board = Benchmark.objects.order_by("slug")[0].get_absolute_url()
    with web_server(environment) as port:
        rates = {path: rate(port, path) for path in (STATIC, "/", board, _by_api(board))}
    print(f"{'page, signed out, with cache':34}{'requests/s':>12}{'at least':>10}")
    for path, found in rates.items():
        bound = "" if path == STATIC else f"{LEAST_RATE:10.0f}"
        print(f"{path:34}{found:12.0f}{bound}", flush=True)
    return all(found >= LEAST_RATE for path, found in rates.items() if path != STATIC)


def measured_paints(environment: dict[str, str]) -> bool:
    """Prints the worst of some visits to each page. Returns whether every bound holds."""
    from leaderboard.benchmarks.models import Benchmark

    board = Benchmark.objects.order_by("slug")[0].get_absolute_url()
    paths = ("/", board, board.replace("/benchmarks/", "/compare/"))
    print(f"{'page in Chromium':34}{'paint ms':>9}{'KiB':>6}{'shift':>7}  complaints")
    good = True
    with web_server(environment) as port, browser() as running:
        for path in paths:
            visits = [_visited(running, f"http://127.0.0.1:{port}", path) for _ in range(VISITS)]
            paint, size, shift = (
                max(values) for values in zip(*(one[:3] for one in visits), strict=True)
            )
            said = sorted({line for *_, lines in visits for line in lines})
            print(f"{path:34}{1000 * paint:9.0f}{size / 1024:6.0f}{shift:7.3f}  {said}", flush=True)
            bounds = (paint <= MOST_PAINT, size <= MOST_BYTES, shift <= MOST_SHIFT, not said)
            good = good and all(bounds)
    return good


def _visited(running: Browser, address: str, path: str) -> tuple[float, float, float, list[str]]:
    """Seconds to the largest contentful paint, bytes, layout shift, complaints."""
    with new_page(running, address=address) as page:
        page.add_init_script(WATCH_PAINT)
        page.goto(path, wait_until="load")
        page.wait_for_timeout(1_000)
        paint, shift = page.evaluate("[assayPaint / 1000, assayShift]")
        return paint, page.evaluate(_BYTES), shift, complaints(page)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--submissions", type=int, default=1_000)
    parser.add_argument("--verdicts", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--database", help="the URL of a database that is seeded already")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-pages-") as folder:
        if given.database:
            return _measured(Path(folder), given.database, given.repeats)
        with cluster() as server:
            environment = _environment(Path(folder), server.url)
            manage(environment, "migrate", "-v0")
            sizes = [f"--submissions={given.submissions}", f"--verdicts={given.verdicts}"]
            began = time.monotonic()
            manage(environment, "seed_scale", *sizes)
            seconds = time.monotonic() - began
            late = seconds > MOST_SEED_SECONDS
            told = f"seed_scale {seconds:.0f} s, at most {MOST_SEED_SECONDS:.0f}"
            print(f"{told}{'  BROKEN' if late else ''}", flush=True)
            return _measured(Path(folder), server.url, given.repeats) or int(late)


def _environment(folder: Path, url: str) -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": url, "ASSAY_DATA_DIR": str(folder)}


def _measured(folder: Path, url: str, repeats: int) -> int:
    environment = _environment(folder, url)
    manage(environment, "collectstatic", "--noinput", "-v0")
    os.environ.update(
        environment, ASSAY_CACHED_PAGES="0", DJANGO_SETTINGS_MODULE="leaderboard.settings"
    )
    # As the web server does.
    import leaderboard.wsgi  # noqa: F401
    from leaderboard.accounts.models import User

    logging.disable(logging.INFO)  # The access log would part the rows.
    User.objects.get_or_create(username="reader", defaults={"email": "reader@example.org"})
    held = [measured_pages(repeats), measured_rates(environment), measured_paints(environment)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Measures whether a site holds many programs at once: 50 clients for 5 minutes, on the documented
set-up without the proxy (`manage.py up` with its own Valkey, PostgreSQL).

    python -m bench.bench_clients [--clients 50] [--seconds 300]

Each client is a person of a team of its own. It reads a board, the comparison of two entrants and
its submissions, checks the sample file once a minute, and submits it once. Prints the requests by
kind with the median and the 95th percentile of their seconds, and the memory of the web server's
processes (proportional set size) by the minute. Exits with 1 if a request fails, if a submission is
not judged, or if the last minute's memory is over that of the second minute by more than a tenth.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.support.commands import ROOT, wait_for
from tests.support.postgres import cluster
from tests.support.predictions import solutions
from tests.support.stack import Stack, running_stack

sys.path.insert(0, str(ROOT / "client"))
from assay_client import Site  # noqa: E402 - of the client's own distribution

MOST_GROWTH, MINUTE = 1.1, 60.0
PAUSE = 0.5
PREPARE = """
from leaderboard.accounts.models import Membership
from leaderboard.accounts.tokens import make_token
from tests.support.cast import Cast, confirmed_user
cast = Cast()
for name in ("Larch", "Rowan"):
    cast.judged_submission(cast.entrant(name))
for number in range({clients}):
    person = confirmed_user(f"client-{{number}}", f"client-{{number}}@example.org")
    team = cast.team(f"Team {{number}}", owner=person)
    entrant = cast.entrant(f"Model {{number}}", team)
    membership = Membership.objects.get(user=person)
    _row, token = make_token(
        membership=membership, name="bench", scopes=["read", "submit"], days=1
    )
    print("TOKEN", token, entrant.slug)
"""


class Times:
    """Seconds of the answered requests by kind, and what failed."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.failures: list[str] = []

    def take(self, kind: str, ask: Callable[[], Any]) -> None:
        began = time.perf_counter()
        try:
            ask()
        except Exception as error:  # noqa: BLE001 - every failure counts, whatever it is
            self.failures.append(f"{kind}: {type(error).__name__}: {error}")
        else:
            self.seconds[kind].append(time.perf_counter() - began)


def client(times: Times, address: str, token: str, entrant: str, file: Path, until: float) -> None:
    with Site(address, token) as site:
        reads = cycle(
            [
                ("board", partial(site.board, "rucodeeval")),
                ("comparison", partial(site.compare, "rucodeeval", "larch", "rowan")),
                ("submissions", lambda: list(site.submissions())),
            ]
        )
        submit = partial(site.submit, file, benchmark="rucodeeval", entrant=entrant)
        times.take("submit", submit)
        check = time.monotonic()
        while time.monotonic() < until:
            times.take(*next(reads))
            if time.monotonic() - check > MINUTE:
                check = time.monotonic()
                times.take("check", partial(site.check, file, benchmark="rucodeeval"))
            time.sleep(PAUSE)


def memory(stack: Stack) -> float:
    """MiB of the web server's processes together."""
    total = 0
    for process in stack.running("gunicorn"):
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        (kib,) = re.findall(r"^Pss: +(\d+) kB", text, re.MULTILINE)
        total += int(kib)
    return total / 1024


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-clients-") as place, cluster() as server:
        folder = Path(place)
        file = folder / "predictions.jsonl"
        answers = solutions().items()
        lines = (json.dumps({"task_id": task, "completion": text}) for task, text in answers)
        file.write_text("".join(f"{line}\n" for line in lines))
        stack = Stack(folder, DATABASE_URL=server.url)
        stack.manage("migrate", "-v0")
        printed = stack.manage("shell", "-v0", "-c", PREPARE.format(clients=words.clients))
        tokens = re.findall(r"^TOKEN (\S+) (\S+)$", printed, re.MULTILINE)
        with running_stack(stack):
            return measured(stack, tokens, file, words.seconds)


def measured(stack: Stack, tokens: list[tuple[str, str]], file: Path, seconds: float) -> int:
    times, used = Times(), []
    address, until = f"http://127.0.0.1:{stack.port}", time.monotonic() + seconds
    with ThreadPoolExecutor(len(tokens)) as pool:
        for token, entrant in tokens:
            pool.submit(client, times, address, token, entrant, file, until)
        while time.monotonic() < until:
            time.sleep(min(MINUTE, max(0, until - time.monotonic())))
            used.append(memory(stack))
    for kind, values in sorted(times.seconds.items()):
        p95 = statistics.quantiles(values, n=20)[-1]
        print(f"{kind:12}{len(values):7}{statistics.median(values):9.3f} s{p95:9.3f} s", flush=True)
    print("memory by the minute, MiB:", *(f"{value:.0f}" for value in used))
    print(f"failures: {len(times.failures)}", *times.failures[:5], sep="\n  ")
    unjudged = "SELECT count(*) FROM evaluation_evaluation WHERE state <> 'done'"
    wait_for(lambda: not stack.number(unjudged), 600, pause=1)
    evaluations = stack.number("SELECT count(*) FROM evaluation_evaluation")
    print(f"evaluations done: {evaluations} of {len(tokens) + 2}")
    grew = len(used) > 2 and used[-1] > MOST_GROWTH * used[1]
    return int(bool(times.failures) or grew or evaluations < len(tokens) + 2)


if __name__ == "__main__":
    raise SystemExit(main())

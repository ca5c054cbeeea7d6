"""Records how a site judges, so that its forecasts can be replayed (tests/acceptance).

    python -m bench.record_judging OUT.json.gz [--sample 400] [--seconds 1800] [--seed 1]

Twice a second it reads the open chunks and records what has changed, until --seconds have passed
or Ctrl-C. It changes nothing. The file has no names: evaluations, benchmarks and chunks are
numbered, and times are seconds since the beginning.

With --sample it starts and records a separate site instead, and sends it this number of submissions
of invented sizes and speeds in bursts: each burst begins when most of the previous one is judged.
The same --seed gives the same submissions.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import django

from tests.support.predictions import ANSWERS, TASKS
from tests.support.stack import Stack, running_stack

LOOK_SECONDS, HOST_SECONDS, KEEP_SECONDS = 0.5, 30.0, 60.0
# The tasks are small: chunks of about two seconds.
SAMPLE_SITE = {"ASSAY_CHUNK_SECONDS": "2", "ASSAY_LEASE_SECONDS": "60"}
BODIES = (
    ("    return None\n", 80),
    ("    raise LookupError\n", 10),
    ("    __import__('time').sleep(0.1)\n", 7),
    ("    while True:\n        pass\n", 3),
)
EVALUATION = ("benchmark", "created", "judged")
CHUNK = ("evaluation", "runs", "size")
HOST = ("time", "load", "workers")
CHANGE = ("time", "chunk", "state", "judged", "rung", "claimed", "worked")


class Burst(NamedTuple):
    """Submissions that come with a pause of `gap` seconds on average, once no more than `open`
    evaluations are being judged."""

    size: int
    gap: float
    open: int


def bursts(rng: random.Random) -> Iterator[Burst]:
    while True:
        yield Burst(rng.randint(1, 14), rng.uniform(0.3, 5), rng.randint(0, 8))


class Recording:
    """The observations so far. `look` reads the database."""

    def __init__(self) -> None:
        self._began = time.time()
        self._benchmarks: dict[int, int] = {}
        self._evaluations: dict[int, list[Any]] = {}
        self._places: dict[int, int] = {}
        self._chunks: list[list[Any]] = []
        self._last: dict[int, list[Any]] = {}
        self._changes: list[list[Any]] = []
        self._hosts: list[list[float]] = []

    @property
    def seconds(self) -> float:
        return time.time() - self._began

    def look(self) -> int:
        """Returns the number of evaluations that are being judged."""
        from evaluation.models import Chunk, Evaluation
        from evaluation.state.expected_end import living_workers

        open_ = [key for key, row in self._evaluations.items() if row[-1] is None]
        benchmark = "submission__revision__benchmark"
        new = Evaluation.objects.filter(state="judging", judging_ended=None).exclude(pk__in=open_)
        for key, kind, created in new.values_list("pk", benchmark, "created").order_by("pk"):
            number = self._benchmarks.setdefault(kind, len(self._benchmarks))
            self._evaluations[key] = [number, self._at(created), None]
            open_.append(key)
        columns = ("state", "judged", "rung", "claimed", "worked")
        for row in Chunk.objects.filter(evaluation__in=open_).order_by("pk"):
            now = [getattr(row, name) for name in columns]
            if self._last.get(row.pk) != now:
                self._note(row, now)
        ended = Evaluation.objects.filter(pk__in=open_, judging_ended__isnull=False)
        for key, judged in ended.values_list("pk", "judging_ended"):
            self._evaluations[key][-1] = self._at(judged)
        if not self._hosts or self.seconds - self._hosts[-1][0] > HOST_SECONDS:
            workers = len(living_workers("python"))
            self._hosts.append([round(self.seconds), round(os.getloadavg()[0], 1), workers])
        return sum(row[-1] is None for row in self._evaluations.values())

    def _note(self, row: Any, now: list[Any]) -> None:
        if row.pk not in self._places:
            self._places[row.pk] = len(self._chunks)
            place = list(self._evaluations).index(row.evaluation_id)
            self._chunks.append([place, row.runs, row.size])
        self._last[row.pk] = now
        state, judged, rung, claimed, worked = now
        seconds = worked and round(worked.total_seconds(), 2)
        told = [state[0], judged, self._at(rung), self._at(claimed), seconds]
        self._changes.append([round(self.seconds, 2), self._places[row.pk], *told])

    def _at(self, moment: datetime | None) -> float | None:
        return moment and round(moment.timestamp() - self._began, 2)

    def keep(self, path: Path) -> None:
        from django.conf import settings

        told = {
            "chunk_seconds": settings.CHUNK_SECONDS,
            "processors": os.cpu_count(),
            "host": _columns(HOST, self._hosts),
            "evaluations": _columns(EVALUATION, self._evaluations.values()),
            "chunks": _columns(CHUNK, self._chunks),
            "changes": _columns(CHANGE, self._changes),
        }
        path.write_bytes(gzip.compress(json.dumps(told, separators=(",", ":")).encode(), mtime=0))


def _columns(names: tuple[str, ...], rows: Any) -> dict[str, list[Any]]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


class Load:
    """Submits invented predictions to this process's site."""

    def __init__(self, rng: random.Random) -> None:
        from leaderboard.accounts.models import Entrant, User
        from leaderboard.benchmarks.models import Benchmark

        self._rng, self._bursts = rng, bursts(rng)
        self._burst, self._next = next(self._bursts), 0.0
        self._benchmarks = list(Benchmark.objects.order_by("slug"))
        self._user = User.objects.create_user("bench", "bench@example.org")
        self._entrant = Entrant.objects.get()
        self.sent = 0

    def go_on(self, now: float, open_: int) -> None:
        if now < self._next or (self._burst.open < open_ and not self._next):
            return
        self._submit()
        self._next = now + self._rng.expovariate(1 / self._burst.gap)
        self._burst = self._burst._replace(size=self._burst.size - 1)
        if not self._burst.size:
            self._burst, self._next = next(self._bursts), 0.0

    def _submit(self) -> None:
        from evaluation.work.actions import open_evaluation
        from evaluation.work.bells import ring_next
        from leaderboard.submissions.models import Generation, Submission

        rng = self._rng
        revision = rng.choice(self._benchmarks).current
        size = max(1, min(120, round(math.exp(rng.gauss(2.6, 0.9)))))
        # Submissions differ in the share of their slow programs, as models do.
        texts, weights = zip(*BODIES, strict=True)
        slow = rng.betavariate(0.5, 2)
        weights = [*weights[:2], *(weight * 6 * slow for weight in weights[2:])]
        submission = Submission.objects.create(
            entrant=self._entrant,
            revision=revision,
            user=self._user,
            generations_count=size,
            digest="0" * 64,
            compared=True,
        )
        tasks = list(revision.tasks.order_by("number"))
        Generation.objects.bulk_create(
            Generation(
                submission=submission,
                task=tasks[number % len(tasks)],
                sample=number // len(tasks),
                text=rng.choices(texts, weights)[0],
            )
            for number in range(size)
        )
        ring_next(open_evaluation(submission=submission).pk)
        self.sent += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with ExitStack() as ends:
        if asked.sample:
            folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="assay-rec-"))
            os.environ.update(_sample_site(ends, Path(folder)).environment)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        django.setup()
        _record(asked)


def _sample_site(ends: ExitStack, folder: Path) -> Stack:
    stack = Stack(folder, **SAMPLE_SITE)
    stack.prepare()
    words = ("rucodeeval", TASKS, "--answers", ANSWERS, "--revision", "sample", "--slug", "slower")
    stack.manage("import_benchmark", *words, "--list")
    stack.script(
        "from leaderboard.benchmarks.models import Benchmark\n"
        "Benchmark.objects.filter(slug='slower').update(limits={'cpu_seconds': 1})"
    )
    return ends.enter_context(running_stack(stack))


def _record(asked: argparse.Namespace) -> None:
    recording = Recording()
    load = Load(random.Random(asked.seed)) if asked.sample else None
    kept = 0.0
    try:
        while recording.seconds < asked.seconds:
            open_ = recording.look()
            if load is not None and load.sent < asked.sample:
                load.go_on(recording.seconds, open_)
            elif load is not None and not open_:
                break
            if recording.seconds - kept > KEEP_SECONDS:
                recording.keep(asked.out)
                kept = recording.seconds
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        print("stopped")
    recording.keep(asked.out)
    print(f"{asked.out}: {asked.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

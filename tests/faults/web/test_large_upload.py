"""Test that an upload of 50,000 generations (100 MB) is stored within 20 s; meanwhile the pages
answer, and no other write to SQLite waits for more than a second."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.web.conftest import MakeStack
from tests.support.commands import report_lines, wait_for, write_lines
from tests.support.predictions import ANSWERS, TASKS
from tests.support.stack import Stack, running_stack

GENERATIONS, SAMPLES, TASK_COPIES = 50_000, 100, 42
STORED_SECONDS, PAGE_SECONDS, WRITE_SECONDS = 20.0, 1.0, 1.0


def _many_tasks(folder: Path) -> tuple[Path, Path]:
    """Many copies of the sample tasks and answers, each copy with its own ids."""
    copies = [1000 * copy for copy in range(TASK_COPIES)]
    tasks = [
        {**line, "meta": {**line["meta"], "id": more + line["meta"]["id"]}}
        for more in copies
        for line in report_lines(TASKS)
    ]
    answers = [{**x, "id": more + int(x["id"])} for more in copies for x in report_lines(ANSWERS)]
    return (
        write_lines(folder / "tasks.jsonl", tasks),
        write_lines(folder / "answers.jsonl", answers),
    )


def _predictions(folder: Path, tasks: Path) -> Path:
    """Writes GENERATIONS predictions of about 2 KB, all different."""
    ids = [line["meta"]["id"] for line in report_lines(tasks)]
    chance = random.Random(0)

    def body(number: int) -> str:
        steps = "".join(
            f"    step_{chance.random()} = {number}\n" for _ in range(chance.randint(45, 60))
        )
        return f"\n{steps}    return None\n"

    lines = (
        {"task_id": ids[number // SAMPLES], "completion": body(number)}
        for number in range(GENERATIONS)
    )
    return write_lines(folder / "predictions.jsonl", lines)


class _Again(threading.Thread):
    """Repeats a call in a thread; `seconds` has the duration of each call."""

    def __init__(self, what: Callable[[], object], *, pause: float) -> None:
        super().__init__(daemon=True)
        self._what, self._pause, self._over = what, pause, threading.Event()
        self.seconds: list[float] = []

    def run(self) -> None:
        while not self._over.wait(self._pause):
            began = time.monotonic()
            self._what()
            self.seconds.append(time.monotonic() - began)

    def end(self) -> list[float]:
        self._over.set()
        self.join()
        return self.seconds


def _visit(stack: Stack) -> None:
    assert stack.answers("/", 30)


def _write_something(stack: Stack) -> None:
    """Writes as any process of the site does, in an IMMEDIATE transaction of SQLite."""
    file = stack.folder / "assay.sqlite3"
    with closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE accounts_team SET name = name")
        database.execute("COMMIT")


@pytest.mark.slow
def test_a_large_upload_is_stored_soon_and_pages_answer_meanwhile(
    make_stack: MakeStack, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    made = make_stack(ASSAY_CHUNK_SECONDS="45", ASSAY_LEASE_SECONDS="60")
    tasks, answers = _many_tasks(tmp_path)
    made.manage("import_benchmark", "rucodeeval", tasks, "--revision", "many", "--answers", answers)
    file = _predictions(tmp_path, tasks)
    with running_stack(made) as stack:
        # Each of the server's processes has answered a request before.
        assert all(stack.answers("/") for _ in range(20))
        visits = _Again(lambda: _visit(stack), pause=0.1)
        writes = _Again(lambda: _write_something(stack), pause=0.02)
        visits.start()
        writes.start()
        sending = stack.submitting(file)
        seconds = {state: _seconds_in(stack, state) for state in ("checking", "storing")}
        looks, waits = visits.end(), writes.end()
        sending.kill()
        slowest = {"slowest page": max(looks), "longest wait of a write": max(waits)}
        for what, value in {**seconds, **slowest}.items():
            record_property(what, round(value, 2))
            print(f"{what}: {value:.2f} s")
        stored = stack.number("SELECT count(*) FROM submissions_generation")
        assert stored == GENERATIONS
        assert len(looks) > 10
        assert len(waits) > 100
        assert sum(seconds.values()) <= STORED_SECONDS
        assert max(looks) <= PAGE_SECONDS
        assert max(waits) <= WRITE_SECONDS


def _seconds_in(stack: Stack, state: str) -> float:
    """Waits for the upload to enter the state. Returns the seconds until it leaves it."""
    query = "SELECT state FROM submissions_upload"
    wait_for(lambda: stack.rows(query) == [(state,)], 120, pause=0.02)
    began = time.monotonic()
    wait_for(lambda: stack.rows(query) != [(state,)], 120, pause=0.02)
    return time.monotonic() - began

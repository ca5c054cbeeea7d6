"""Measures how much hanging programs delay other evaluations on a host.

    python -m bench.bench_starvation [--generations 1590] [--data FOLDER] [--workers 2]

FOLDER holds ruCodeEval's tasks.jsonl and predictions.json (default: ASSAY_DATA/rucodeeval).

1. Prepares a project whose functions are answered by a thread: a stub of any of its eight tasks
   deadlocks. Prints the seconds from the sources to the last reference.
2. Times a submission of ruCodeEval without other load, then while two others are judged whose
   generations all deadlock or sleep: one in that project, one of functions. Prints the ratio.

Exits with 1 if a bound is exceeded: 300 s, and a ratio of 4.5. The commands have separate slots
from other work on the host.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

from evaluation.engine import uploads
from evaluation.engine.families.rucodeeval import FAMILY
from evaluation.engine.variables import Variables
from tests.evaluation.engine.preparation.repositories import commit
from tests.support.repositories import projects_kept_in

READY_SECONDS, RATIO_BOUND = 300.0, 4.5
TABLE = '''"""A table kept by a thread; callers ask over a queue and wait for the answer."""

import queue
import threading


class Table:
    def __init__(self):
        self._asked = queue.Queue()
        self._entries = {}
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            method, answer, arguments = self._asked.get()
            method(answer, *arguments)

    def ask(self, name, *arguments):
        answer = queue.Queue()
        self._asked.put((getattr(self, name), answer, arguments))
        return answer.get()

    def put(self, answer, key, value):
        answer.put(self._entries.setdefault(key, value))

    def get(self, answer, key):
        answer.put(self._entries.get(key))

    def drop(self, answer, key):
        answer.put(self._entries.pop(key, None))

    def has(self, answer, key):
        answer.put(key in self._entries)

    def size(self, answer):
        answer.put(len(self._entries))

    def keys(self, answer):
        answer.put(sorted(self._entries))

    def clear(self, answer):
        answer.put(self._entries.clear())

    def swap(self, answer, a, b):
        answer.put(self._entries.update({a: self._entries[b], b: self._entries[a]}))
'''
METHODS = ("put", "get", "drop", "has", "size", "keys", "clear", "swap")
TESTS = """import pytest

from keeper.table import Table


@pytest.fixture
def table():
    made = Table()
    made.ask("put", "a", 1)
    made.ask("put", "b", 2)
    return made


@pytest.mark.parametrize(
    "asked, answer",
    [
        (("get", "a"), 1),
        (("drop", "b"), 2),
        (("has", "c"), False),
        (("size",), 2),
        (("keys",), ["a", "b"]),
        (("put", "a", 3), 1),
    ],
)
def test_answers(table, asked, answer):
    assert table.ask(*asked) == answer


def test_clear(table):
    table.ask("clear")
    assert table.ask("size") == 0


def test_swap(table):
    table.ask("swap", "a", "b")
    assert table.ask("get", "a") == 2
"""
SLEEPS = "    import time\n    while True:\n        time.sleep(1)\n"
DEADLOCKS = "    import queue\n    queue.Queue().get()\n"


def _task(number: int, name: str, at: str) -> dict[str, object]:
    lines = TABLE.split("\n")
    body = next(n for n, line in enumerate(lines) if line.startswith(f"    def {name}(")) + 1
    left, right = "\n".join(lines[:body]), "\n".join(lines[body + 1 :])
    meta = {
        "id": number,
        "repo": "assay/keeper",
        "base_commit": at,
        "gt": lines[body],
        "left_context": left,
        "right_context": right,
        "image_name": "python:3.11-slim-bookworm",
        "build_command": "pip install pytest",
        "test_command": "pytest tests",
        "fn": "keeper/table.py",
        "PASS_TO_PASS": [],
        "FAIL_TO_PASS": [],
        "intent": f"{name}[function]",
        "intent_type": "function",
    }
    inputs = {"left_context": left}
    return {"instruction": "{left_context}", "inputs": inputs, "outputs": "", "meta": meta}


def _lines(path: Path, rows: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _answers(path: Path, found: Iterable[tuple[object, str]]) -> Path:
    return _lines(path, ({"task_id": task, "completion": text} for task, text in found))


class Commands:
    """Runs the command line, with separate slots and projects."""

    def __init__(self, folder: Path, projects: Path, workers: int) -> None:
        self._folder, self._workers = folder, workers
        self._environment = {
            **os.environ,
            "TMPDIR": str(folder),
            "ASSAY_REPOSITORIES": f"{folder}/mirror/{{repository}}",
            "ASSAY_PROJECTS_DIR": str(projects),
        }

    def start(
        self, family: str, tasks: Path, predictions: Path, name: str
    ) -> subprocess.Popen[str]:
        words = [
            *("run", family, "--tasks", str(tasks), "--predictions", str(predictions)),
            *("--report", str(self._folder / f"{name}.jsonl"), "--workers", str(self._workers)),
        ]
        return subprocess.Popen(
            [sys.executable, "-m", "evaluation", *words],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=(self._folder / f"{name}.log").open("w"),
            text=True,
            # As a shell's background job, it would inherit that Ctrl-C is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def seconds(self, family: str, tasks: Path, predictions: Path, name: str) -> float:
        began = time.perf_counter()
        code = self.start(family, tasks, predictions, name).wait()
        if code:
            sys.exit(f"{name} ended with {code}: {self.said(name)}")
        return time.perf_counter() - began

    def said(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text()[-2000:]

    @contextmanager
    def meanwhile(self, family: str, tasks: Path, predictions: Path, name: str) -> Iterator[None]:
        """The command runs until the block is left."""
        process = self.start(family, tasks, predictions, name)
        try:
            yield
            if process.poll() is not None:
                sys.exit(f"{name} ended too early: {self.said(name)}")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def _project(folder: Path) -> Path:
    """Makes the project's repository and returns its tasks."""
    tree = {"keeper/__init__.py": "", "keeper/table.py": TABLE, "tests/test_table.py": TESTS}
    at = commit(folder / "mirror/assay/keeper", tree)
    return _lines(
        folder / "keeper.jsonl", (_task(*each, at) for each in enumerate(METHODS, start=1))
    )


def _chosen(tasks: Path, predictions: Path, count: int, folder: Path) -> Path:
    loaded = FAMILY.load_tasks(tasks, None)
    index = uploads.SlotIndex.of(loaded, lambda task: FAMILY.slots(task, "base"))
    found = islice(uploads.read(predictions, index), count)
    return _answers(folder / "theirs.jsonl", ((one.key.task_id, one.text) for one in found))


def _measured(data: Path, count: int, commands: Commands, folder: Path) -> tuple[float, float]:
    """The seconds until the project is ready, and the ratio."""
    keeper, tasks = _project(folder), data / "tasks.jsonl"
    first = _answers(folder / "first.jsonl", [(1, "        pass")])
    began = time.time()
    commands.seconds("realcode", keeper, first, "ready")
    # This file is written when the last reference has run.
    ready = (folder / "ready.jsonl.run.json").stat().st_mtime - began
    print(f"the project with {len(METHODS)} tasks is ready after {ready:.0f} s", flush=True)
    chosen = _chosen(tasks, data / "predictions.json", count, folder)
    alone = commands.seconds("rucodeeval", tasks, chosen, "alone")
    print(f"{count} generations alone: {alone:.0f} s", flush=True)
    loaded = FAMILY.load_tasks(tasks, None)
    waiting = _answers(
        folder / "waiting.jsonl",
        ((task.id, text) for _ in range(50) for task in loaded for text in (SLEEPS, DEADLOCKS)),
    )
    locked = _answers(
        folder / "locked.jsonl",
        ((number, "        pass") for _ in range(50) for number in range(1, len(METHODS) + 1)),
    )
    with ExitStack() as stack:
        stack.enter_context(commands.meanwhile("realcode", keeper, locked, "project"))
        stack.enter_context(commands.meanwhile("rucodeeval", tasks, waiting, "functions"))
        time.sleep(20)
        beside = commands.seconds("rucodeeval", tasks, chosen, "beside")
    print(f"{count} generations next to hanging ones: {beside:.0f} s", flush=True)
    return ready, beside / alone


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = Path(Variables().text("ASSAY_DATA", "../shared/data")) / "rucodeeval"
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--generations", type=int, default=1590)
    parser.add_argument("--workers", type=int, default=2)
    words = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-bench-")))
        projects = stack.enter_context(projects_kept_in(folder / "projects"))
        commands = Commands(folder, projects, words.workers)
        ready, ratio = _measured(words.data, words.generations, commands, folder)
    print(f"ratio {ratio:.2f}, at most {RATIO_BOUND}; ready in {ready:.0f} s, at most 300")
    return int(ratio > RATIO_BOUND or ready > READY_SECONDS)


if __name__ == "__main__":
    sys.exit(main())

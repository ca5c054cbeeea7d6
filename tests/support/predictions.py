"""Prediction files over the sample tasks of ruCodeEval: right, wrong, crashing, endless."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from tests.support.commands import ROOT, Fate

SAMPLE = ROOT / "evaluation" / "engine" / "families" / "rucodeeval" / "sample"
TASKS, ANSWERS = SAMPLE / "tasks.jsonl", SAMPLE / "answers.jsonl"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of body: how it is made from the right one, its status, its share."""

    body: Callable[[str], str]
    status: str
    share: int


def _after(lines: str) -> Callable[[str], str]:
    return lambda solution: "\n" + lines + solution.lstrip("\n")


def _only(lines: str) -> Callable[[str], str]:
    return lambda _: "\n" + lines


_TEMPORARY = """\
    import tempfile
    with tempfile.TemporaryFile(dir="/tmp") as scratch:
        scratch.write(bytes(65536))
"""
KINDS = (
    Kind(lambda solution: solution, "passed", 380),
    Kind(_after("    __import__('time').sleep(0.004)\n"), "passed", 100),
    Kind(_after(_TEMPORARY), "passed", 100),
    Kind(_only("    return object\n"), "failed", 150),
    Kind(_only("    return None\n"), "failed", 100),
    Kind(_only("    raise LookupError('no')\n"), "runtime_error", 60),
    Kind(_only("    import os\n    os._exit(0)\n"), "runtime_error", 40),
    Kind(_only("    import os\n    os.kill(os.getpid(), 9)\n"), "runtime_error", 20),
    Kind(_only("    return (\n"), "compile_error", 40),
    Kind(_only("    while True:\n        pass\n"), "timeout", 10),
)


def solutions() -> dict[int, str]:
    """The right body of each sample task."""
    lines = map(json.loads, ANSWERS.read_text("utf-8").splitlines())
    return {line["id"]: line["canonical_solution"] for line in lines}


def _mix(count: int) -> list[Kind]:
    """`count` kinds by their shares, at least one of each, in an order that is always the same."""
    whole = sum(kind.share for kind in KINDS)
    mixed = [kind for kind in KINDS for _ in range(max(1, kind.share * count // whole))]
    mixed += [KINDS[0]] * (count - len(mixed))
    random.Random(20).shuffle(mixed)
    return mixed[:count]


def _generations(count: int) -> Iterator[tuple[int, int, Kind, str]]:
    right = solutions()
    for number, kind in enumerate(_mix(count)):
        task = list(right)[number % len(right)]
        yield task, number // len(right), kind, kind.body(right[task])


def write(path: Path, count: int) -> list[Fate]:
    """Writes `count` generations as JSONL. Returns their expected fates, in the order of
    `fates`."""
    expected = []
    with path.open("w", encoding="utf-8") as file:
        for task, sample, kind, text in _generations(count):
            print(json.dumps({"task_id": task, "completion": text}), file=file)
            expected.append(Fate(str(task), sample, None, kind.status, kind.status == "passed"))
    return sorted(expected, key=lambda fate: (fate.task_id, fate.sample))


def write_quick(path: Path, count: int, note: str = "") -> None:
    """Writes `count` generations whose runs end at once, each fourth of them wrong. Files with
    unlike notes differ."""
    right = solutions()
    with path.open("w", encoding="utf-8") as file:
        for number, task in zip(range(count), cycle(right)):
            text = KINDS[3 if number % 4 == 3 else 0].body(right[task])
            print(json.dumps({"task_id": task, "completion": f"{text}    # {note}\n"}), file=file)


def words(predictions: Path, report: Path) -> list[str | Path]:
    """The command that judges them, with a time limit that soon ends the endless ones."""
    return [
        "run", "rucodeeval", "--tasks", TASKS, "--answers", ANSWERS,
        "--predictions", predictions, "--report", report,
        "--workers", "2", "--limit", "cpu=0.5s",
    ]  # fmt: skip

"""Compares the time and memory of checking an upload with those of only parsing its lines.

    python -m bench.bench_uploads [generations]

Writes its own data (by default 50,000 generations of about 2 KB) to a temporary folder, measures
each way in a separate process and prints a table. Exits with 1 if a bound is exceeded. Times are
multiples of `orjson.loads` over the lines of the JSONL file (both alternate in one process; the
best of five each). Memory is the peak above that of a process with the same imports and the same
index of tasks. The times of `read` are shown but have no bound.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation.engine.records import Slot, Task  # noqa: E402  # the path comes first
from evaluation.engine.uploads import SlotIndex, check, read  # noqa: E402  # likewise

REPEATS = 5
MEMORY_MIB = 150
JSONL_RATIO = 3.0
DOCUMENT_RATIO = 8.0


@dataclass(frozen=True)
class Measured:
    """The best seconds of a way and of parsing the lines, the peak of the process in
    MiB, and how many generations it counted."""

    seconds: float
    base: float
    peak: float
    count: int


def plain_text(number: int) -> str:
    """About 2 KB that parse quickest: no escapes but newlines."""
    return f"def solve_{number}(values):\n" + "    total = combine(total, values) * 2\n" * 52


def dense_text(number: int) -> str:
    """About 2 KB with many quotes, brackets, backslashes and some Cyrillic."""
    line = f'    values["{number}"] = [{{"key": \'{number * 7919}\'}}]  # значение \\ {number}\n'
    return f"```python\ndef solve_{number}(values):\n" + line * 30 + "```\n"


def write_files(folder: Path, generations: int, text_of: Callable[[int], str]) -> None:
    """Streams the files, so that this process stays small: a child's peak memory counts from its
    parent's."""
    forms = {"one_line.json": ("", ",", None), "pretty.json": ("\n", ",\n", 2)}
    with (folder / "lines.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(generations):
            record = {"task_id": number, "completion": text_of(number)}
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
    for name, (start, comma, indent) in forms.items():
        with (folder / name).open("w", encoding="utf-8") as document:
            document.write('{"data": {"test": [' + start)
            for number in range(generations):
                record = {"outputs": [[text_of(number)]], "meta": {"id": number}}
                document.write(comma if number else "")
                document.write(json.dumps(record, ensure_ascii=False, indent=indent))
            document.write("]}}")
    write_bad(folder, generations)


def write_bad(folder: Path, generations: int) -> None:
    """Copies the lines, with the last but one cut short."""
    source, target = folder / "lines.jsonl", folder / "bad.jsonl"
    with source.open("rb") as lines, target.open("wb") as bad:
        for number, line in enumerate(lines, 1):
            bad.write(line[:-10] + b"\n" if number == generations - 1 else line)


def index_of(generations: int) -> SlotIndex:
    tasks = [Task(number, {}, {}) for number in range(generations)]
    return SlotIndex.of(tasks, lambda _: [Slot()])


def do_nothing(_path: Path, _index: SlotIndex) -> int:
    return 0


def parse_lines(path: Path, _index: SlotIndex) -> int:
    count = 0
    with path.open("rb") as lines:
        for line in lines:
            orjson.loads(line)
            count += 1
    return count


def check_file(path: Path, index: SlotIndex) -> int:
    return check(path, index).generations


def read_file(path: Path, index: SlotIndex) -> int:
    return sum(1 for _ in read(path, index))


def bad_line(path: Path, index: SlotIndex) -> int:
    """The line of the only problem; 0 unless there is exactly one."""
    lines = [problem.line or 0 for problem in check(path, index).problems]
    return lines[0] if len(lines) == 1 else 0


WAYS: dict[str, Callable[[Path, SlotIndex], int]] = {
    "idle": do_nothing,
    "parse": parse_lines,
    "check": check_file,
    "read": read_file,
    "bad": bad_line,
}


def measure(way: str, path: Path, generations: int) -> Measured:
    """Measures the way in a separate process."""
    command = [sys.executable, __file__, "--child", way, str(path), str(generations)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Measured(**json.loads(done.stdout))


def child(way: str, path: Path, generations: int) -> None:
    index = index_of(generations)
    best, base, count = float("inf"), float("inf"), 0
    for _ in range(REPEATS):
        start = time.perf_counter()
        count = WAYS[way](path, index)
        middle = time.perf_counter()
        if way != "idle":
            parse_lines(path.parent / "lines.jsonl", index)
        best = min(best, middle - start)
        base = min(base, time.perf_counter() - middle)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": best, "base": base, "peak": peak, "count": count}))


def run(folder: Path, generations: int, text_of: Callable[[int], str]) -> bool:
    write_files(folder, generations, text_of)
    megabytes = (folder / "lines.jsonl").stat().st_size / 1e6
    idle = measure("idle", folder / "lines.jsonl", generations)
    print(f"{text_of.__name__}: {generations} generations, {megabytes:.0f} MB of JSONL")
    fine = True
    for way in ("check", "read"):
        for name in ("lines.jsonl", "one_line.json", "pretty.json"):
            measured = measure(way, folder / name, generations)
            fine &= judge(f"{way} {name}", measured, idle, generations)
    named = measure("bad", folder / "bad.jsonl", generations).count == generations - 1
    print(f"a bad line {generations - 1} is named: {'yes' if named else 'NO'}")
    return fine and named


def judge(label: str, measured: Measured, idle: Measured, generations: int) -> bool:
    ratio, memory = measured.seconds / measured.base, measured.peak - idle.peak
    bound = JSONL_RATIO if "jsonl" in label else DOCUMENT_RATIO
    fine = measured.count == generations and memory <= MEMORY_MIB
    fine &= ratio <= bound or not label.startswith("check")
    print(
        f"{label:20} {measured.seconds:6.3f} s, {ratio:5.2f} of {bound:.0f} times "
        f"{measured.base:.3f} s, {memory:5.1f} of {MEMORY_MIB} MiB above idle"
        + ("" if fine else "  BROKEN")
    )
    return fine


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
        return 0
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as folder:
        fine = [run(Path(folder), generations, text) for text in (plain_text, dense_text)]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())

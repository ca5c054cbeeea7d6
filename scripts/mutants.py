"""Measures which seeded mutants of the product a test suite finds. Not part of `make test`.

    python -m scripts.mutants --list
    python -m scripts.mutants --product REV --suite REV --results new.jsonl
    python -m scripts.mutants --product REV --suite OLD --results old.jsonl --not-found-in new.jsonl
    python -m scripts.mutants --compare old.jsonl new.jsonl

A mutant is found if a test fails with it, fails with it again, and passes without it. It is not
found if all tests pass, or after five minutes. Mutants with a line in the results are not run
again.

Mutants run with this user's permissions: use a machine without valuable data, and run nothing else
with Docker there, since images that a mutant made are removed after it.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts import mutations
from scripts.environment import ROOT
from scripts.mutations import Mutant
from scripts.suite_copy import Copy, Ended, copy_of

SEED = 14
SECONDS = 300.0
# Test files that run first: collecting all files takes half a minute.
NEAR = 20
INSIDE = "evaluation/engine/sandbox/inside/"
JAVA = "evaluation/engine/sandbox/java/"
IMAGES = "evaluation.engine.sandbox.images"
# These files only fill the JVM's archive of loaded classes.
WARM_UP = f"{JAVA}warm_up"
# Code that makes images: a mutant may leave a wrong one behind under the right name.
MAKES_IMAGES = (
    "evaluation/making/",
    "evaluation/engine/preparation/",
    "evaluation/engine/sandbox/",
)
# By a pattern of the module's path: the corpus that runs first, because it uses the module's code.
CORPORA = (
    (r"\.java$|/java_|/workshop|/warm_jvms", "aixbench_auto/test_corpus"),
    (r"/(packing|pytest_plugin|repository|searching|surefire|trees)\.py$", "projects_corpus"),
    ("", "engine/test_corpus"),
)


def chosen(root: Path, seed: int, counts: tuple[int, int]) -> list[Mutant]:
    """Mutants of the product, then mutants of the sandbox's inside, half of them Java."""
    product: list[Mutant] = []
    inside: list[Mutant] = []
    java: list[Mutant] = []
    for top in ("evaluation", "leaderboard"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if name.startswith(JAVA):
                if path.suffix == ".java" and not name.startswith(WARM_UP):
                    java += mutations.of(name, path.read_bytes())
            elif path.suffix == ".py" and "migrations" not in path.parts:
                (inside if name.startswith(INSIDE) else product).extend(
                    mutations.of(name, path.read_bytes())
                )
    return [
        *mutations.choose(product, counts[0], seed),
        *mutations.choose(inside, counts[1] - counts[1] // 2, seed),
        *mutations.choose(java, counts[1] // 2, seed),
    ]


def batches(path: str, tests: Mapping[str, str]) -> list[list[str]]:
    """The test files that judge a mutant of the file `path`, in the order in which they run."""
    if path.startswith((INSIDE, JAVA)):
        first = next(corpus for modules, corpus in CORPORA if re.search(modules, path))
        those = [name for name in tests if re.search(r"corpus|java|aixbench_auto", name)]
        those.sort(key=lambda name: (first not in name, "corpus" not in name, name))
        return [[name for name in those if name.startswith("tests/evaluation/engine/")]]
    order = sorted(tests, key=lambda name: (-_nearness(path, name, tests[name]), name))
    return [order[:NEAR], order[NEAR:]]


def _nearness(path: str, test: str, text: str) -> int:
    """The number of shared words in the two paths, plus three if the test imports the module."""
    parts = Path(path).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    shared = set(re.split(r"[/_.]", path)) & set(re.split(r"[/_.]", test))
    return len(shared) + 3 * (module in _imports(text))


def _imports(text: str) -> set[str]:
    """The modules and names that a test file imports."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def judge(copy: Copy, mutant: Mutant, seconds: float = SECONDS) -> tuple[Ended, float]:
    """The suite's result with the mutant, and the seconds to the first failure."""
    left = seconds
    for files in batches(mutant.path, copy.tests()):
        ended, left = _first_find(copy, mutant, files, left)
        if ended.how != "passed":
            break
    return ended, seconds - left


def _first_find(
    copy: Copy, mutant: Mutant, files: Sequence[str], left: float
) -> tuple[Ended, float]:
    """The tests' result, without failures that do not depend on the mutant; the seconds left."""
    flaky: set[str] = set()
    while left > 0:
        words = _words(files, copy.broken | flaky)
        if not words:
            return Ended("passed"), left
        started = time.monotonic()
        with _own_images(mutant), copy.mutated(mutant):
            ended = copy.pytest(words, left)
        left -= time.monotonic() - started
        if ended.how != "failed":
            return ended, left
        alone = _alone(ended.test, files)
        if copy.pytest(alone, SECONDS).how != "passed":
            if not ended.test:
                raise SystemExit("mutants: pytest does not start on this product without a mutant.")
            copy.broken.add(ended.test)
            continue
        with copy.mutated(mutant):
            if copy.pytest(alone, SECONDS).how != "passed":
                return ended, left
        flaky.add(ended.test)
    return Ended("time over"), left


def _words(files: Sequence[str], without: set[str]) -> list[str]:
    """Arguments for pytest; none if no file is left, since pytest would then run all tests."""
    left = [name for name in files if name not in without]
    return [*(f"--deselect={test}" for test in sorted(without)), *left] if left else []


def _alone(test: str, files: Sequence[str]) -> list[str]:
    """Arguments to run a test again; if files could not be imported, only to import them."""
    if "::" in test:
        return [test]
    return ["--collect-only", *([test] if test else files)]


def run(mutants: Sequence[Mutant], copy: Copy, results: Path, about: Mapping[str, str]) -> None:
    """Appends a line for each mutant; `about` names the commits."""
    for mutant in mutants:
        with _own_images(mutant):
            if mutant.path.startswith(JAVA) and not _makes_image(copy, mutant):
                ended, seconds = Ended("failed", IMAGES), 0.0
            else:
                ended, seconds = judge(copy, mutant)
        line = {
            **{name: getattr(mutant, name) for name in ("id", *Mutant.__match_args__)},
            **about,
            "found": ended.how == "failed",
            "how": ended.how,
            "test": ended.test,
            "seconds": round(seconds, 1),
        }
        with results.open("a") as stream:
            stream.write(json.dumps(line) + "\n")
        print(f"{described(mutant)}: {ended.how} after {seconds:.0f} s {ended.test}", flush=True)
    for test in sorted(copy.broken):
        print(f"mutants: fails without any mutant, and was left out: {test}", flush=True)


def _makes_image(copy: Copy, mutant: Mutant) -> bool:
    """Makes the Java image before the mutant's time begins. Runs no test if this fails twice."""
    command = [sys.executable, "-m", IMAGES]
    with copy.mutated(mutant):
        return any(
            subprocess.run(command, cwd=copy.root, capture_output=True, check=False).returncode == 0
            for _ in range(2)
        )


@contextmanager
def _own_images(mutant: Mutant) -> Iterator[None]:
    """Removes the images that a mutant made, also under the names of earlier ones."""
    if not mutant.path.startswith(MAKES_IMAGES):
        yield
        return
    before = _images()
    try:
        yield
    finally:
        # A container of an interrupted test may still use one.
        remove = ["docker", "image", "rm", "--force"]
        for name, _id in _images() - before:
            subprocess.run([*remove, name], stdout=subprocess.DEVNULL, check=False)


def _images() -> set[tuple[str, str]]:
    """Names and ids."""
    command = ["docker", "image", "ls", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = (line.split() for line in listed.splitlines() if line.startswith("assay-"))
    return {(name, id) for name, id in found}


def described(mutant: Mutant) -> str:
    before, after = (" ".join(text.split())[:60] for text in (mutant.before, mutant.after))
    return f"{mutant.id} {mutant.path}:{mutant.line} {mutant.kind}: {before} -> {after or '(gone)'}"


def read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def compare(old: Path, new: Path) -> int:
    """Prints what each suite found. Returns 1 if the new one missed a mutant that the old found."""
    before = {line["id"]: line for line in read(old)}
    after = {line["id"]: line for line in read(new)}
    lost = [id for id, line in before.items() if line["found"] and not _found(after, id)]
    for id, line in {**before, **after}.items():
        ends = [lines[id]["how"] if id in lines else "not run" for lines in (before, after)]
        place = f"{line['path']}:{line['line']}"
        print(f"{id}  {line['kind']:10}  {ends[0]:9}  {ends[1]:9}  {place}{' LOST' * (id in lost)}")
    for name, lines in (("old", before), ("new", after)):
        print(f"{name}: {sum(_found(lines, id) for id in lines)} of {len(lines)} found")
    print(f"found by the old suite and not by the new one: {len(lost)}")
    return 1 if lost else 0


def _found(lines: Mapping[str, Mapping[str, Any]], id: str) -> bool:
    return id in lines and bool(lines[id]["found"])


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Mutants of the product, and the tests that find them."
    )
    parser.add_argument("--product", default="HEAD", help="commit of the code that is mutated")
    parser.add_argument("--suite", default="HEAD", help="commit of the tests")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--counts",
        type=int,
        nargs=2,
        default=(60, 20),
        metavar="N",
        help="mutants of the product, and of what runs inside the sandbox",
    )
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these mutants")
    parser.add_argument("--results", type=Path, help="file of JSON lines to append to")
    parser.add_argument(
        "--not-found-in",
        type=Path,
        metavar="FILE",
        help="skip mutants that were found in these results",
    )
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"))
    given = parser.parse_args()
    if given.compare:
        return compare(*given.compare)
    if not given.list and not given.results:
        parser.error("one of --results, --list and --compare is needed")
    # A terminated run must also end its tests and remove its copy and its images.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    about = {name: _commit(getattr(given, name)) for name in ("product", "suite")}
    with copy_of(about["product"], about["suite"]) as copy:
        mutants = chosen(copy.root, given.seed, given.counts)
        if given.only:
            if unknown := set(given.only) - {mutant.id for mutant in mutants}:
                parser.error(f"not among the mutants: {', '.join(sorted(unknown))}")
            mutants = [mutant for mutant in mutants if mutant.id in given.only]
        if given.list:
            print("\n".join(map(described, mutants)))
            return 0
        done = {line["id"] for line in read(given.results) if about.items() <= line.items()}
        if given.not_found_in:
            done |= {line["id"] for line in read(given.not_found_in) if line["found"]}
        run([mutant for mutant in mutants if mutant.id not in done], copy, given.results, about)
    return 0


def _commit(revision: str) -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", f"{revision}^{{commit}}"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())

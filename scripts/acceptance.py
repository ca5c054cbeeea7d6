"""`make acceptance`: checks the promises against real data, then runs every benchmark in bench/.

Tests whose part of the data in ASSAY_DATA is missing are skipped. ONLY selects a part: `realcode or
published_labels` as pytest's -k, or benchmarks by name.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path

from evaluation.engine.variables import Variables
from scripts.check import QUICK, django_tests, on_postgresql, on_sqlite, pytest
from scripts.environment import ROOT
from scripts.steps import Command, module, print_speed, run_steps

TEST_SECONDS = "7200"


def steps(only: str) -> dict[str, Command]:
    """The steps, which run one at a time because several of them measure time. `only` is a part, or
    "" for all."""
    named = [path for path in benches() if path.stem in only.split(" or ")]
    if named:
        return {path.name: module(f"bench.{path.stem}") for path in named}
    tests = module(
        "pytest",
        "-v",
        "-rs",
        "-m",
        "acceptance or slow",
        "--timeout",
        TEST_SECONDS,
        "-p",
        "no:xdist",
        *(["-k", only] if only else []),
    )
    if only:
        return {"acceptance tests": on_sqlite(*tests)}
    return {
        "acceptance tests": on_sqlite(*tests),
        "property tests with more examples": on_sqlite(
            *pytest(f"{QUICK} and hypothesis", "--hypothesis-profile", "long", "tests")
        ),
        "the rest on PostgreSQL": on_postgresql(
            *pytest(f"{QUICK} and any_database", *django_tests())
        ),
        **{path.name: module(f"bench.{path.stem}") for path in benches()},
    }


def benches() -> list[Path]:
    return sorted((ROOT / "bench").glob("bench_*.py"))


def main() -> int:
    variables = Variables()
    data = variables.path("ASSAY_DATA") or Path("../shared/data")
    found = "is there" if data.is_dir() else "is missing, so tests that need it are skipped"
    print(f"== the data directory {data} (ASSAY_DATA) {found}", flush=True)
    if not variables.text("ASSAY_REPOSITORIES"):
        print("== ASSAY_REPOSITORIES is not set, so real repositories are skipped")
    if not benches():
        print("== there are no benchmarks in bench/", flush=True)
    only = variables.text("ONLY")
    if only:
        print(f"== ONLY is {only!r}: the rest is skipped", flush=True)
    print_speed()
    # Two runs at once would measure each other, and remove each other's project images.
    with Path(tempfile.gettempdir(), f"assay-acceptance-{os.getuid()}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("== waiting for another make acceptance on this machine", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        return run_steps([steps(only)])


if __name__ == "__main__":
    raise SystemExit(main())

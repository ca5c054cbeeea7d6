"""What `make acceptance` runs: the promises held against real data, then every benchmark in bench/.

The data lie in ASSAY_DATA; what needs a part of them that is missing is skipped, and said so.
"""

from __future__ import annotations

import os
from pathlib import Path

from scripts.check import on_sqlite
from scripts.environment import ROOT
from scripts.steps import Command, module, run_steps

TEST_SECONDS = "7200"


def steps() -> dict[str, Command]:
    """One process at a time: several of these measure time."""
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
    )
    return {
        "acceptance tests": on_sqlite(*tests),
        **{path.name: module(f"bench.{path.stem}") for path in benches()},
    }


def benches() -> list[Path]:
    """The benchmarks: bench/bench_*.py. What else lies there is a part of one."""
    return sorted((ROOT / "bench").glob("bench_*.py"))


def main() -> int:
    data = Path(os.environ.get("ASSAY_DATA", "../shared/data"))
    found = "is there" if data.is_dir() else "is missing, so that what needs it is skipped"
    print(f"== the data directory {data} (ASSAY_DATA) {found}", flush=True)
    if not os.environ.get("ASSAY_REPOSITORIES"):
        print("== ASSAY_REPOSITORIES names no place, so that real repositories are skipped")
    if not benches():
        print("== there are no benchmarks in bench/", flush=True)
    return run_steps(steps())


if __name__ == "__main__":
    raise SystemExit(main())

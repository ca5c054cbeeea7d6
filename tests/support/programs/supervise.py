"""A supervisor of players: `supervise.py FOLDER PLAN`, the plan being a list in JSON.

Each entry has a name and ways to behave, or a command; an awaited one is ready when it says so
by a file. Every tick is noted in the folder's `ticks`, a line of JSON each.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.supervision import Program, Supervisor

PLAYER = Path(__file__).with_name("player.py")


def program(folder: Path, entry: dict[str, Any]) -> Program:
    name, ways = entry["name"], entry.get("ways", [])
    mark = folder / f"{name}.ready"
    return Program(
        name=name,
        command=entry.get("command") or [sys.executable, str(PLAYER), str(folder), name, *ways],
        ready=mark.exists if "awaited" in ways else None,
        ready_seconds=entry.get("ready_seconds", 20),
        grace_seconds=entry.get("grace_seconds", 20),
    )


def main(folder: Path, plan: list[dict[str, Any]], *options: str) -> int:
    def tick(names: Sequence[str]) -> None:
        with (folder / "ticks").open("a") as ticks:
            ticks.write(json.dumps(list(names)) + "\n")
        if "failing-ticks" in options:
            raise ValueError("the database is away")

    supervisor = Supervisor(
        [program(folder, entry) for entry in plan],
        logs=folder if "logs" in options else None,
        tick=tick,
        tick_seconds=0.05,
    )
    return supervisor.wait()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), json.loads(sys.argv[2]), *sys.argv[3:]))

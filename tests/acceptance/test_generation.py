"""Test that dynamic conversations over the published tasks take at most the promised minute."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ROOT, command
from tests.support.endpoint import Endpoint, Messages, serving

DATA = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data"))
CODEIF = DATA / "codeif-bench"
TASKS = CODEIF / "v0" / "L_1_part_1.jsonl"
MOST_SECONDS = 60

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the benchmarks' data are not in {DATA}"),
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


class Published:
    """A model that answers at once with what a published model answered to the same instruction."""

    def __init__(self, model: str) -> None:
        folder = CODEIF / "predictions" / "L_1_part_1" / model
        self._tasks: Mapping[str, dict[str, Any]] = {task["prompt"]: task for task in lines(TASKS)}
        self._said = {
            (one["task_id"], one.get("requirement")): one["completion"]
            for setting in ("base", "n_round")
            for one in lines(folder / f"{setting}.jsonl")
        }

    def __call__(self, messages: Messages) -> str:
        task = self._tasks[messages[0]["content"]]
        last = messages[-1]["content"]
        asked = (n for n, one in task["requirements"].items() if one["requirement"] in last)
        base = self._said[task["task_id"], None]
        return str(self._said.get((task["task_id"], next(asked, None)), base))


def test_the_dynamic_loop_over_fifty_tasks_takes_a_minute(tmp_path: Path) -> None:
    out = tmp_path / "transcripts.jsonl"
    with serving(Endpoint(Published("claude"))) as endpoint:
        began = time.monotonic()
        done = command(
            "generate", "codeif_function", "--setting", "dynamic", "--tasks", TASKS,
            "--prompts", CODEIF / "prompts.json", "--endpoint", endpoint.url, "--model", "m",
            "--concurrency", "32", "--workers", "2", "--out", out, seconds=500,
        )  # fmt: skip
        seconds = time.monotonic() - began
    assert done.code == 0, done.err
    assert len(lines(out)) == 1 + 50
    assert seconds <= MOST_SECONDS, f"{seconds:.0f} s for {len(endpoint.requests)} turns"

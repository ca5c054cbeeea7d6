"""Tests of `generate` for dynamic conversations, whose turns are judged in real sandboxes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli
from tests.evaluation.cli.test_generate import FAMILY, SAMPLES, tasks_of, tasks_path, words
from tests.support.commands import report_lines, write_lines
from tests.support.endpoint import Endpoint, Messages, serving

pytestmark = [pytest.mark.docker, pytest.mark.timeout(3600)]
TASKS = {task.public["prompt"]: task for task in tasks_of(FAMILY)}
# Tasks of which some have wrong answers and some have right ones.
FEW = (3, 4, 10)


def completions() -> dict[tuple[Any, str], str]:
    """A sample model's answers to each task and instruction, some of them wrong."""
    found: dict[tuple[Any, str], str] = {}
    for setting in ("base", "multi_turn"):
        for one in report_lines(SAMPLES / FAMILY / "sample" / "maple" / f"{setting}.jsonl"):
            found[one["task_id"], one.get("requirement") or ""] = one["completion"]
    return found


COMPLETIONS = completions()


def answer(messages: Messages) -> str:
    """The sample model's answer to the instruction of the last message."""
    task = TASKS[messages[0]["content"]]
    last = messages[-1]["content"]
    named = (n for n, text in task.public["requirements"].items() if text in last)
    return COMPLETIONS.get((task.id, next(named, "")), COMPLETIONS[task.id, ""])


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint(answer)) as scripted:
        yield scripted


def transcripts(out: Path) -> dict[Any, Any]:
    return {one["task_id"]: one["messages"] for one in report_lines(out)[1:]}


def require_taken(out: Path) -> None:
    """Asserts that some of the transcripts, judged again from the file only, are accepted and
    scored."""
    summary = out.with_name("summary.json")
    given = [f"--tasks={SAMPLES / FAMILY / 'sample' / 'tasks.jsonl'}", f"--predictions={out}"]
    told = [f"--report={out.with_name('report.jsonl')}", f"--summary={summary}"]
    more = ["--setting=dynamic", "--only=3,4,10", "--workers=2"]
    assert cli.main(["run", FAMILY, *given, *told, *more]) == 0
    overall = [one for one in json.loads(summary.read_text()) if one["slice"] == "overall"]
    assert {one["metric"] for one in overall} == {"IA", "CA", "IFR", "IFE"}
    assert all(one["value"] is not None for one in overall)


def test_transcripts_are_as_the_rules_demand(endpoint: Endpoint, tmp_path: Path) -> None:
    out, tasks = tmp_path / "p.jsonl", tmp_path / "tasks.jsonl"
    write_lines(tasks, [x for x in report_lines(tasks_path(FAMILY)) if x["task_id"] in FEW])
    more = (f"--tasks={tasks}", "--setting=dynamic", "--workers=2")
    assert cli.main(words(endpoint, out, *more)) == 0
    header = report_lines(out)[0]["generation"]
    assert header["judged"]["limits"]["cpu_seconds"] == 10.0
    assert header["judged"]["image"].startswith("sha256:")
    require_taken(out)
    held = transcripts(out)
    assert set(held) == set(FEW)
    said = [message["content"] for messages in held.values() for message in messages]
    feedback = [content for content in said if content.startswith("Your code does not do")]
    assert any("Traceback (most recent call last)" in content for content in feedback)
    # A kill may come between a turn's answer and what the turn passes.
    journal = out.with_name(out.name + ".journal")
    stored = report_lines(journal)
    del stored[max(n for n, line in enumerate(stored) if "row" in line)]
    write_lines(journal, stored)
    out.unlink()
    assert cli.main(words(endpoint, out, *more)) == 0
    assert transcripts(out) == held

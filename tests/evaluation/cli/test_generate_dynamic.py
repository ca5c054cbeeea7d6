"""Tests of `generate` for dynamic conversations, whose turns are judged in real sandboxes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli
from evaluation.engine.conversations.dialogue import Name
from evaluation.engine.conversations.replay import Reading, texts_of, turns_of
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.instructions import accumulating
from tests.evaluation.cli.test_generate import FAMILY, SAMPLES, lines, tasks_of, tasks_path, words
from tests.support.endpoint import Endpoint, Messages, serving
from tests.support.transcripts import departure

pytestmark = [pytest.mark.docker, pytest.mark.timeout(3600)]
TASKS = {task.public["prompt"]: task for task in tasks_of(FAMILY)}
# Tasks of which some have wrong answers and some have right ones.
FEW = (3, 4, 10)


def completions() -> dict[tuple[Any, str], str]:
    """A sample model's answers to each task and instruction, some of them wrong."""
    found: dict[tuple[Any, str], str] = {}
    for setting in ("base", "multi_turn"):
        for one in lines(SAMPLES / FAMILY / "sample" / "maple" / f"{setting}.jsonl"):
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
    return {one["task_id"]: one["messages"] for one in lines(out)[1:]}


def rows(out: Path) -> dict[Any, list[dict[Name, bool]]]:
    """What each turn passes according to the journal, by task, in order."""
    found: dict[Any, dict[int, dict[Name, bool]]] = {}
    for line in lines(out.with_name(out.name + ".journal"))[1:]:
        if "row" in line:
            task, _, _, turn = line["place"]
            found.setdefault(task, {})[turn] = dict(line["row"])
    return {task: [turns[n] for n in sorted(turns)] for task, turns in found.items()}


def require_rules(out: Path) -> None:
    """Asserts that every transcript follows the rules, given the recorded verdicts."""
    passed, said = rows(out), transcripts(out)
    assert set(said) == set(FEW)
    for task in (task for task in TASKS.values() if task.id in FEW):
        reading = Reading(texts_of(task), OURS.dynamic)
        names, turns = accumulating(task), turns_of(said[task.id])
        assert departure(names, turns, passed[task.id], [reading]) is None


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
    few = [one for one in lines(tasks_path(FAMILY)) if one["task_id"] in FEW]
    tasks.write_text("".join(f"{json.dumps(one)}\n" for one in few), "utf-8")
    more = (f"--tasks={tasks}", "--setting=dynamic", "--workers=2")
    assert cli.main(words(endpoint, out, *more)) == 0
    require_rules(out)
    header = lines(out)[0]["generation"]
    assert header["judged"]["limits"]["cpu_seconds"] == 10.0
    assert header["judged"]["image"].startswith("sha256:")
    require_taken(out)
    feedback = [
        message["content"]
        for messages in transcripts(out).values()
        for message in messages
        if message["content"].startswith("Your code does not do")
    ]
    assert feedback
    assert any("Traceback (most recent call last)" in content for content in feedback)
    # A kill may come between a turn's answer and what the turn passes.
    journal = out.with_name(out.name + ".journal")
    stored = [line for line in journal.read_text("utf-8").splitlines() if line]
    del stored[max(n for n, line in enumerate(stored) if "row" in json.loads(line))]
    journal.write_text("".join(f"{line}\n" for line in stored), "utf-8")
    out.unlink()
    assert cli.main(words(endpoint, out, *more)) == 0
    require_rules(out)

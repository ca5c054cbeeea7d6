"""Tests of `run` on transcripts of dynamic conversations: each instruction's tests judge every turn
in real sandboxes, and the verdicts decide whether a transcript follows the rules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli
from evaluation.cli import report
from evaluation.engine.conversations.dialogue import Row
from evaluation.engine.family import Held
from evaluation.engine.instructions import accumulating, name_of
from evaluation.engine.records import Key, Verdict
from tests.support.commands import report_lines
from tests.support.transcripts import (
    FAMILY,
    FORGED,
    FORGERIES,
    TASKS,
    Forgery,
    Talk,
    file_of,
    forged,
    honest,
    tasks,
    tasks_file,
)

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Judged:
    """The honest transcripts of two tasks, judged by the real command."""

    code: int
    lines: list[dict[str, Any]]
    scores: dict[str, float]

    @property
    def verdicts(self) -> list[Verdict]:
        return [report.verdict(line) for line in self.lines]

    def rows(self, task: int) -> list[Row]:
        found: dict[int, dict[str | None, bool]] = {}
        for line in self.lines:
            if line["task_id"] == task:
                name = name_of(line["test_set"]) if line["test_set"] else None
                found.setdefault(line["turn"], {})[name] = line["passed"]
        return [found[turn] for turn in sorted(found)]


def run(folder: Path, talks: Mapping[int, Talk], name: str) -> tuple[int, Path]:
    predictions, out = folder / f"{name}.jsonl", folder / f"{name}.report.jsonl"
    predictions.write_bytes(file_of(talks))
    code = cli.main(
        [
            "run",
            FAMILY.slug,
            f"--tasks={tasks_file(folder)}",
            f"--predictions={predictions}",
            "--setting=dynamic",
            f"--report={out}",
            f"--summary={folder / 'summary.json'}",
            "--workers=1",
        ]
    )
    return code, out


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("honest")
    code, out = run(folder, {task: [*honest()[task]] for task in TASKS}, "honest")
    scores = json.loads((folder / "summary.json").read_text("utf-8"))
    overall = {one["metric"]: one["value"] for one in scores if one["slice"] == "overall"}
    return Judged(code, report_lines(out), overall)


def test_an_honest_transcript_is_taken_and_every_turn_judged_by_every_set(judged: Judged) -> None:
    assert judged.code == 0
    expected = {
        (task, turn, test_set)
        for task in TASKS
        for turn in range(1, len(honest()[task]) + 1)
        for test_set in ("", *accumulating(tasks()[task]))
    }
    assert {(x["task_id"], x["turn"], x["test_set"]) for x in judged.lines} == expected


def held(judged: Judged, talk: Talk) -> Held:
    """Checks the task's transcript against the rules, with the current verdicts on its answers."""
    reader, key = FAMILY.transcripts, Key(FORGED, 0)
    turn_of = {turn.answer: n for n, turn in enumerate(honest()[FORGED], 1)}
    verdicts = [
        replace(verdict, key=key._replace(turn=n))
        for n, turn in enumerate(talk, 1)
        for verdict in judged.verdicts
        if (verdict.key.task_id, verdict.key.turn) == (FORGED, turn_of[turn.answer])
    ]
    asked = {key._replace(turn=n): turn.asked for n, turn in enumerate(talk, 1)}
    return reader.held([tasks()[FORGED]], asked, verdicts)


def test_unforged_it_is_taken(judged: Judged) -> None:
    assert not held(judged, [*honest()[FORGED]]).departures


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_a_forged_transcript_is_refused_by_real_verdicts(judged: Judged, forgery: Forgery) -> None:
    told = held(judged, forged(forgery)[FORGED]).departures[FORGED]
    assert told.startswith(f"Turn {forgery.turn} ")
    assert forgery.told in told


@pytest.mark.parametrize("name", ["code_bettered", "hint"])
def test_the_command_says_why_and_scores_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (forgery,) = (one for one in FORGERIES if one.name == name)
    code, _ = run(tmp_path, forged(forgery), name)
    out, err = capsys.readouterr()
    assert code == 2
    assert f"task {FORGED}: Turn {forgery.turn} " in err
    assert "CA" not in out and not (tmp_path / "summary.json").exists()

"""The files and output of a successful `run`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.cli.conftest import ENDLESS, RIGHT, Small, small
from tests.support.commands import ROOT, Finished, in_process, report_lines, write_lines

pytestmark = pytest.mark.docker

FIELDS = [
    "task_id", "sample", "requirement", "turn", "test_set", "status", "integrity", "tier", "passed",
    "tests_passed", "tests_total", "duration_ms", "control_ms", "peak_memory_kib", "flags",
]  # fmt: skip
CODEIF = ROOT / "evaluation" / "engine" / "families" / "codeif_function" / "sample"


@dataclass(frozen=True, slots=True)
class Judged:
    finished: Finished
    lines: list[dict[str, Any]]
    summary: list[dict[str, Any]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    given = small(tmp_path_factory.mktemp("small"))
    out = given.report.with_name("summary.json")
    finished = in_process(*given.words(summary=out))
    return Judged(finished, report_lines(given.report), json.loads(out.read_text("utf-8")))


def test_each_generation_has_a_line_with_the_promised_fields_and_counts(judged: Judged) -> None:
    assert judged.finished.code == 0, judged.finished.err
    assert [list(line) for line in judged.lines] == [FIELDS] * 4
    names = ("task_id", "sample", "passed", "tests_passed", "tests_total")
    assert sorted(tuple(line[name] for name in names) for line in judged.lines) == [
        (1, 0, True, 3, 3),
        (1, 1, False, 0, 3),
        (2, 0, True, 1, 1),
        (2, 1, True, 1, 1),
    ]
    for line in judged.lines:
        assert (line["requirement"], line["turn"]) == (None, None)
        assert 0 <= line["duration_ms"] < 10_000
        assert 1_000 < line["peak_memory_kib"] < 512 * 1024
    # Without a terminal there are plain lines.
    assert judged.finished.err.splitlines()[-1] == "Judged 4 of 4."
    assert not {"\r", "\x1b"} & set(judged.finished.err)


def test_the_summary_says_what_is_missing_and_why(judged: Judged) -> None:
    first = judged.summary[0]
    assert (first["metric"], first["slice"], first["tasks"]) == ("pass@1", "overall", 3)
    # The task without a generation counts as wrong: (1/2 + 1 + 0) / 3.
    assert (first["value"], first["low"], first["high"]) == (pytest.approx(0.5), None, None)
    assert "1 of 3 tasks have no generation" in judged.finished.err
    printed = next(x for x in judged.finished.out.splitlines() if x.startswith("pass@1 "))
    assert "No interval: it needs results on 6 tasks, and there are 3." in printed
    undefined = next(score for score in judged.summary if score["metric"] == "pass@5")
    assert (undefined["value"], undefined["low"], undefined["high"]) == (None, None, None)
    assert "5 samples" in undefined["note"]
    assert "setting base" in judged.finished.out


def test_only_judges_these_tasks_and_the_rest_can_follow(given: Small) -> None:
    first = in_process(*given.words(only="2"))
    assert {line["task_id"] for line in report_lines(given.report)} == {2}
    assert "1 tasks" in first.out
    both = in_process(*given.words())
    assert (first.code, both.code) == (0, 0), both.err
    assert sorted(line["task_id"] for line in report_lines(given.report)) == [1, 1, 2, 2]


def test_a_limit_given_as_words_ends_what_reaches_it(given: Small) -> None:
    write_lines(
        given.predictions,
        [{"task_id": 1, "completion": ENDLESS}, {"task_id": 1, "completion": RIGHT["double"]}],
    )
    in_process(*given.words(limit="cpu=0.3s"))
    endless, right = sorted(report_lines(given.report), key=lambda line: line["sample"])
    assert (endless["status"], right["status"]) == ("timeout", "passed")
    assert endless["duration_ms"] >= 300
    described = json.loads(given.report.with_name("report.jsonl.run.json").read_text("utf-8"))
    assert described["limits"]["cpu_seconds"] == 0.3


def test_conversations_are_judged_by_each_instruction_and_go_on_from_what_is_there(
    tmp_path: Path,
) -> None:
    report, predictions = tmp_path / "report.jsonl", tmp_path / "both.jsonl"
    folder = CODEIF / "birch"
    predictions.write_bytes(
        (folder / "base.jsonl").read_bytes() + (folder / "multi_turn.jsonl").read_bytes()
    )
    words = (
        "run", "codeif_function", "--setting=multi_turn", "--only=1,3", "--workers=1",
        f"--tasks={CODEIF / 'tasks.jsonl'}", f"--report={report}", f"--predictions={predictions}",
    )  # fmt: skip
    done = in_process(*words)
    assert done.code == 0, done.err
    lines = report_lines(report)
    units = {(x["task_id"], x["requirement"], x["test_set"]) for x in lines}
    assert len(units) == len(lines)
    assert {x["test_set"] for x in lines} >= {"", "base", "Exception Handling"}
    assert "Exception Handling" in done.out.partition("\nturn ")[0]
    kept = lines[: len(lines) // 2]
    write_lines(report, kept)
    again = in_process(*words)
    assert again.code == 0, again.err
    assert report_lines(report)[: len(kept)] == kept
    found = {(x["task_id"], x["requirement"], x["test_set"]) for x in report_lines(report)}
    assert (found, len(report_lines(report))) == (units, len(lines))
    assert again.out == done.out
    table = done.out[done.out.index("\nturn ") :].splitlines()
    assert table[1].split()[:1] + table[2].split()[:1] == ["turn", "0"]
    assert "begin at turn 1" not in done.out

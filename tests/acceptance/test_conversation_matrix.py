"""Tests of the metrics of conversations on the published Multi-Turn predictions (ASSAY_DATA),
against a separate computation that follows the benchmark's description."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from tests.acceptance.test_published_labels import CODEIF, DATA, EXTENSION, MODELS
from tests.support.commands import judged_lines, report_lines

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.timeout(2400),
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the benchmarks' data are not in {DATA}"),
]

TASKS = CODEIF / "v0" / "L_1_part_1.jsonl"


class Talk(NamedTuple):
    """A task's conversation: its instructions by turn. Turn 0 is Base, whose name is None."""

    names: list[str | None]
    alone: Mapping[tuple[int, int], bool]
    accumulated: Mapping[int, bool]

    @property
    def kept(self) -> list[int]:
        """The turns whose tests accumulate."""
        return [i for i, name in enumerate(self.names) if name != EXTENSION]


class Run(NamedTuple):
    lines: list[dict[str, Any]]
    scores: dict[tuple[str, str, str], dict[str, Any]]
    talks: list[Talk]


@pytest.fixture(scope="module", params=MODELS)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A model's Multi-Turn predictions with its Base ones, judged by the command line."""
    folder = tmp_path_factory.mktemp("matrix")
    published = CODEIF / "predictions" / "L_1_part_1" / request.param
    both = folder / "both.jsonl"
    both.write_bytes((published / "base.jsonl").read_bytes())
    with both.open("ab") as file:
        file.write((published / "n_round.jsonl").read_bytes())
    summary, began = folder / "summary.json", time.monotonic()
    lines = judged_lines(
        "codeif_function", "--setting=multi_turn", "--tasks", TASKS, "--predictions", both,
        "--summary", summary, report=folder / "report.jsonl", seconds=2300,
    )  # fmt: skip
    print(f"{request.param}: {len(lines)} runs in {time.monotonic() - began:.0f} s")
    scores = json.loads(summary.read_text("utf-8"))
    by_place = {(one["metric"], one["slice"], one["slice_value"]): one for one in scores}
    return Run(lines, by_place, _talks(lines))


def _talks(lines: Iterable[dict[str, Any]]) -> list[Talk]:
    by_task: dict[int, dict[tuple[str | None, str], bool]] = defaultdict(dict)
    for line in lines:
        by_task[line["task_id"]][line["requirement"], line["test_set"]] = line["passed"]
    found = []
    for task in report_lines(TASKS):
        order = task["multi-turn"]
        # An extension that is not listed comes after all others, if the task has one.
        more = [EXTENSION] if EXTENSION in set(task["requirements"]) - set(order) else []
        found.append(_talk([None, *order, *more], by_task[task["task_id"]]))
    return found


def _talk(names: list[str | None], passed: Mapping[tuple[str | None, str], bool]) -> Talk:
    alone, accumulated = {}, {}
    for i, code in enumerate(names):
        for j, tests in enumerate(names):
            # The tests that Base or an extension implies are its own tests alone.
            same = i == j and code in (None, EXTENSION)
            place = (code, "" if same else tests or "base")
            if place in passed:
                alone[i, j] = passed[place]
        if code != EXTENSION and (code, "") in passed:
            accumulated[i] = passed[code, ""]
    return Talk(names, alone, accumulated)


def _ca(talk: Talk, i: int) -> float:
    return fmean(talk.alone[i, j] for j in talk.kept if j <= i)


def _ifr(talk: Talk, i: int) -> float:
    earlier = [k for k in talk.kept if k < i]
    had = [j for j in earlier if any(talk.alone[k, j] for k in earlier if k >= j)]
    return sum(not talk.alone[i, j] for j in had) / len(had) if had else 0.0


def _script_ifr(talk: Talk, i: int) -> float:
    had = [k for k in talk.kept if k < i and talk.accumulated[k]]
    if talk.accumulated[i] or not had:
        return 0.0
    return sum(not talk.alone[i, k] for k in had) / len(had)


REFERENCE: dict[str, tuple[Callable[[Talk, int], float], int, bool]] = {
    # The computation, the first turn with a value, and whether an extension has a value.
    "IA": (lambda talk, i: float(talk.alone[i, i]), 0, True),
    "CA": (_ca, 0, False),
    "strict CA": (lambda talk, i: float(talk.accumulated[i]), 0, False),
    "pass@1": (lambda talk, i: float(talk.accumulated[i]), 1, False),
    "IFR": (_ifr, 1, False),
    "script IFR": (_script_ifr, 1, False),
}


def _values(talks: Iterable[Talk], metric: str) -> dict[tuple[str, str], list[float]]:
    """The values to average, by slice."""
    compute, first, extended = REFERENCE[metric]
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for talk in talks:
        for i, name in enumerate(talk.names):
            there = (i, i) in talk.alone
            if i < first or not there or (name == EXTENSION and not extended):
                continue
            value = compute(talk, i)
            found["overall", ""].append(value)
            found["turn", str(i)].append(value)
            if name is not None:
                found["category", name].append(value)
    return found


def test_every_turn_meets_every_instruction(judged: Run) -> None:
    for talk in judged.talks:
        places = {(i, j) for i in talk.kept for j in talk.kept}
        assert places <= talk.alone.keys()


@pytest.mark.parametrize("metric", REFERENCE)
def test_the_metrics_equal_a_computation_of_their_own(judged: Run, metric: str) -> None:
    reference = _values(judged.talks, metric)
    if metric == "pass@1":
        # By turn, pass@1 counts extensions too; strict CA does not.
        reference = {place: units for place, units in reference.items() if place[0] != "turn"}
    for (slice_name, value), units in reference.items():
        score = judged.scores[metric, slice_name, value]
        assert score["n"] == len(units), (slice_name, value)
        assert score["value"] == pytest.approx(fmean(units), abs=1e-12), (slice_name, value)
    told = {key[1:] for key in judged.scores if key[0] == metric}
    assert metric == "pass@1" or told == reference.keys()


def test_strict_ca_passes_what_the_published_labels_say(
    judged: Run, request: pytest.FixtureRequest
) -> None:
    model = request.node.callspec.params["judged"]
    labels = report_lines(CODEIF / "predictions" / "L_1_part_1" / model / "n_round.published.jsonl")
    found = {
        (line["task_id"], line["requirement"]): line["passed"]
        for line in judged.lines
        if not line["test_set"]
    }
    assert len(labels) == 245
    same = [one for one in labels if found[one["task_id"], one["requirement"]] == one["passed"]]
    assert len(same) >= 240

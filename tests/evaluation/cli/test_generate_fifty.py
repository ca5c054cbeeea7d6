"""Tests of `generate` over fifty tasks with an endpoint that has every kind of mishap:
conversations end as the rules demand, wherever the command was killed. In `make test`,
`test_generate.py` and `test_generate_dynamic.py` show the same with twelve tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli
from evaluation.engine.conversations.dialogue import instructions_of
from evaluation.engine.conversations.replay import Reading, texts_of, turns_of
from evaluation.engine.conversations.static import History
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.instructions import MULTI_TURN, SETTINGS
from tests.evaluation.cli.test_generate import by_place, due, killed_and_gone_on, lines, words
from tests.support.endpoint import Endpoint, serving
from tests.support.fifty import TASKS, passes, said, tasks_file
from tests.support.transcripts import departure

# The mishaps of the endpoint in order, each between good answers.
MISHAPS = ("429", "500", "slow", "cut", "malformed", "503", "empty", "page")
CASES = [(setting, History.LAST) for setting in SETTINGS] + [(MULTI_TURN, History.FULL)]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint(said, mishap)) as scripted:
        yield scripted


def mishap(number: int) -> str:
    place, good = divmod(number, 5)
    return "" if good or place > 16 else MISHAPS[place % len(MISHAPS)]


@pytest.fixture
def ask(endpoint: Endpoint, tmp_path: Path) -> Callable[..., list[str]]:
    """The words of a command that repeats each request that takes more than a second."""
    tasks = tasks_file(tmp_path)
    more = ["--timeout=1", "--concurrency=8", f"--tasks={tasks}"]
    return lambda out, *own: [*words(endpoint, out, *more), *own]


def require_rules(out: Path) -> dict[Any, Any]:
    """The transcripts; each must follow the rules, given what its answers pass."""
    found = {one["task_id"]: one["messages"] for one in lines(out)[1:]}
    assert found.keys() == {task.id for task in TASKS}
    for task in TASKS:
        turns = turns_of(found[task.id])
        rows = [passes(task, turn.answer) for turn in turns]
        reading = Reading(texts_of(task), OURS.dynamic)
        assert departure(instructions_of(task), turns, rows, [reading]) is None
    return found


@pytest.mark.parametrize("how", [(), ("--stream",)], ids=["whole", "stream"])
@pytest.mark.parametrize(("setting", "history"), CASES)
def test_static_conversations_are_what_the_setting_demands(
    ask: Callable[..., list[str]],
    endpoint: Endpoint,
    tmp_path: Path,
    setting: str,
    history: History,
    how: tuple[str, ...],
) -> None:
    out = tmp_path / "p.jsonl"
    assert cli.main(ask(out, f"--setting={setting}", f"--history={history}", *how)) == 0
    expected = due(setting, history, TASKS)
    assert by_place(out) == expected
    assert len(endpoint.requests) > len(endpoint.answered) >= len(expected)


@pytest.mark.docker
@pytest.mark.parametrize("how", [(), ("--stream",)], ids=["whole", "stream"])
def test_dynamic_conversations_are_what_the_rules_demand(
    ask: Callable[..., list[str]], endpoint: Endpoint, tmp_path: Path, how: tuple[str, ...]
) -> None:
    out = tmp_path / "p.jsonl"
    assert cli.main(ask(out, "--setting=dynamic", "--workers=2", *how)) == 0
    found = require_rules(out)
    answers = sum(len(messages) // 2 for messages in found.values())
    assert len(endpoint.requests) > len(endpoint.answered) >= answers > 2 * len(TASKS)


def kill_and_go_on(command: list[str], endpoint: Endpoint, out: Path) -> None:
    endpoint.pause, endpoint.mishap = 0.05, lambda _: ""
    killed_and_gone_on(command, endpoint, out, after=8, pause=1 / 5, width=8)


def test_killed_again_and_again_static_ones_end_as_undisturbed(
    ask: Callable[..., list[str]], endpoint: Endpoint, tmp_path: Path
) -> None:
    out = tmp_path / "p.jsonl"
    kill_and_go_on(ask(out, "--setting=multi_turn"), endpoint, out)
    assert by_place(out) == due(MULTI_TURN, History.LAST, TASKS)


@pytest.mark.docker
def test_killed_again_and_again_dynamic_ones_end_as_undisturbed(
    ask: Callable[..., list[str]], endpoint: Endpoint, tmp_path: Path
) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "p.jsonl"
    assert cli.main(ask(whole, "--setting=dynamic", "--workers=2")) == 0
    endpoint.requests.clear()
    endpoint.answered.clear()
    kill_and_go_on(ask(out, "--setting=dynamic", "--workers=2"), endpoint, out)
    assert require_rules(out) == require_rules(whole)

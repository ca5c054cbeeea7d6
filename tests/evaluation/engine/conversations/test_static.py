"""The messages of conversations whose course is fixed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.conversations.static import (
    History,
    asked_before,
    asked_in,
    base_text,
    messages,
)
from evaluation.engine.conversations.wording import (
    OURS,
    FunctionTexts,
    Prompts,
    RepositoryTexts,
)
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.instructions import BASE, MULTI_TURN, SETTINGS, SINGLE_ROUND, TWO_ROUND
from evaluation.engine.records import Task

CONTEXT = "\n  The reference context:\n"
PLAIN = Prompts(
    FunctionTexts("Task: {prompt}", "Also: {requirement}"),
    RepositoryTexts(
        "Write {name}. {Functionality} {Arguments}.",
        "Write {name}. {Functionality} {Arguments}." + CONTEXT + "{context}",
        "Write {name}. {Functionality} {Arguments}."
        + CONTEXT
        + "#own\n{intra_context}\n#others\n{cross_context}",
        "Also: {requirement}",
    ),
)
NAMES = ["A", "Functionality Extension", "B", "C"]
ASKED = {"requirements": {name: f"do {name[0]}" for name in NAMES}, "turns": ["A", *NAMES[1:3]]}
FUNCTION = Task("7", {"prompt": "Add {x}.", **ASKED}, {}, level="L-1")


def in_project(level: str, **contexts: Any) -> Task:
    wanted = {"Functionality": "The reference context {context}.", "Arguments": ":param x:"}
    return Task("pkg.mod.total", {"requirement": wanted, **ASKED, **contexts}, {}, level=level)


def said(found: list[dict[str, str]]) -> list[str]:
    """The messages, each with its role's first letter."""
    return [f"{message['role'][0]} {message['content']}" for message in found]


def test_base_is_the_prompt_alone() -> None:
    assert said(messages(FUNCTION, MULTI_TURN, PLAIN)) == ["u Task: Add {x}."]


def test_single_round_asks_for_the_requirement_behind_a_full_stop() -> None:
    found = messages(FUNCTION, SINGLE_ROUND, PLAIN, "C")
    assert said(found) == ["u Task: Add {x}.. Also: do C"]


def test_two_round_asks_for_it_after_the_base_completion() -> None:
    found = messages(FUNCTION, TWO_ROUND, PLAIN, "C", ["mine"])
    assert said(found) == ["u Task: Add {x}.", "a mine", "u Also: do C"]


def test_the_first_of_many_turns_is_as_the_second_of_two() -> None:
    expected = messages(FUNCTION, TWO_ROUND, PLAIN, "A", ["mine"])
    for history in History:
        assert messages(FUNCTION, MULTI_TURN, PLAIN, "A", ["mine"], history) == expected


def test_a_later_turn_shows_the_last_answer_and_all_requirements_so_far() -> None:
    found = messages(FUNCTION, MULTI_TURN, PLAIN, "B", ["zero", "one", "two"])
    assert said(found) == ["u Task: Add {x}.Also: do Ado F", "a two", "u Also: do B"]


def test_with_the_full_history_every_turn_is_kept() -> None:
    answers = ["zero", "one", "two"]
    found = messages(FUNCTION, MULTI_TURN, PLAIN, "B", answers, History.FULL)
    assert said(found) == [
        "u Task: Add {x}.", "a zero", "u Also: do A", "a one", "u Also: do F", "a two",
        "u Also: do B",
    ]  # fmt: skip


def test_a_function_of_a_project_is_asked_for_by_its_name() -> None:
    task = in_project("L-1")
    base = "Write total. The reference context {context}. :param x:."
    assert base_text(task, PLAIN) == base
    found = messages(task, SINGLE_ROUND, PLAIN, "A")
    assert said(found) == [f"u {base} Also: do A"]


def test_in_a_project_a_single_round_requirement_stands_before_the_context() -> None:
    task = in_project("L-2", context="class {name}: ...")
    head = "Write total. The reference context {context}. :param x:."
    shown = CONTEXT + "class {name}: ..."
    assert base_text(task, PLAIN) == head + shown
    assert said(messages(task, SINGLE_ROUND, PLAIN, "A")) == [f"u {head} Also: do A{shown}"]


def test_other_files_are_shown_too_where_the_task_has_them() -> None:
    task = in_project("L-3", intra_context="own", cross_context=[{"m": "a\nb"}])
    assert base_text(task, PLAIN).endswith("#own\nown\n#others\n[{'m': 'a\\nb'}]")


def test_a_task_without_the_context_that_its_prompt_shows_is_the_datasets_fault() -> None:
    with pytest.raises(BenchmarkError, match=r"Task pkg.mod.total lacks its context"):
        base_text(in_project("L-2"), PLAIN)


@pytest.mark.parametrize("level", ["L-1", "L-2", "L-3"])
def test_our_own_wording_asks_for_everything_that_a_task_says(level: str) -> None:
    task = in_project(level, context="CTX", intra_context="OWN", cross_context="OTHERS")
    (found,) = messages(task, SINGLE_ROUND, OURS, "A")
    shown = {"L-1": [], "L-2": ["CTX"], "L-3": ["OWN", "OTHERS"]}[level]
    parts = ["'total'", "{context}", ":param x:", "do A", *shown]
    places = [found["content"].index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("setting", "requirement", "answers"),
    [
        (TWO_ROUND, "A", []),
        (SINGLE_ROUND, "A", ["x"]),
        (MULTI_TURN, "B", ["x"]),
        (MULTI_TURN, "C", ["x"]),  # it has no turn
        (BASE, "A", []),
        (SINGLE_ROUND, "D", []),
        ("dynamic", "A", ["x"]),
    ],
)
def test_what_is_not_asked_for_in_a_setting_is_refused(
    setting: str, requirement: str, answers: list[str]
) -> None:
    with pytest.raises(ValueError, match="answers before|is not asked for|is no setting"):
        messages(FUNCTION, setting, PLAIN, requirement, answers)


def test_what_has_no_turn_is_not_asked_for_in_many_turns() -> None:
    assert asked_in(FUNCTION, MULTI_TURN) == ("A", "Functionality Extension", "B")
    assert asked_in(FUNCTION, TWO_ROUND) == tuple(NAMES)


@given(st.sampled_from(SETTINGS), st.sampled_from(History), st.data())
def test_messages_take_turns_and_end_with_the_question(
    setting: str, history: History, data: st.DataObject
) -> None:
    requirement = data.draw(st.sampled_from([None, *asked_in(FUNCTION, setting)]))
    before = len(asked_before(FUNCTION, setting, requirement))
    answers = data.draw(st.lists(st.text(), min_size=before, max_size=before))
    found = messages(FUNCTION, setting, PLAIN, requirement, answers, history)
    roles = [message["role"] for message in found]
    assert roles == ["user", "assistant"] * (len(found) // 2) + ["user"]
    shown = [message["content"] for message in found if message["role"] == "assistant"]
    assert shown == (answers if history is History.FULL else answers[-1:])

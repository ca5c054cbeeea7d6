"""Tests of the dynamic conversation rules: messages, their order, and the end."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given

from evaluation.engine.conversations.dialogue import (
    End,
    Name,
    Row,
    Talk,
    advance,
    course,
    instructions_of,
    numbers,
    start,
    unknown,
)
from evaluation.engine.records import Task
from tests.evaluation.engine.conversations.simulated import models, simulate


def rows(*passed: str, names: str = "AB") -> list[Row]:
    """A row for each text: the letters that pass, "0" for Base."""
    return [{None: "0" in one, **{name: name in one for name in names}} for one in passed]


def asked(instructions: str, *passed: str) -> tuple[list[str], Talk | End]:
    """The request of each turn, with a mark if it is a retry, and the next request or the end."""
    talks, after = course(list(instructions), rows(*passed, names=instructions))
    return [f"{talk.current or '0'}{'!' if talk.retry else ''}" for talk in talks], after


def test_what_passes_is_not_asked_for() -> None:
    assert asked("AB", "0AB") == (["0"], End.FOLLOWED)


def test_the_first_instruction_that_fails_is_next() -> None:
    assert asked("AB", "0A", "0AB") == (["0", "B"], End.FOLLOWED)
    assert asked("AB", "0", "0A", "0AB") == (["0", "A", "B"], End.FOLLOWED)


def test_a_failure_is_asked_for_once_more_with_feedback_and_then_dropped() -> None:
    assert asked("AB", "0", "0", "0A", "0AB") == (["0", "A", "A!", "B"], End.FOLLOWED)
    assert asked("AB", "0B", "0B", "0B") == (["0", "A", "A!"], End.FOLLOWED)


def test_base_joins_the_list_in_first_place_once_it_passed() -> None:
    assert asked("AB", "", "0", "A", "0A", "0AB")[0] == ["0", "0!", "A", "0", "B"]


def test_base_that_failed_twice_is_never_asked_for_again() -> None:
    assert asked("AB", "", "", "A", "AB") == (["0", "0!", "A", "B"], End.FOLLOWED)


def test_what_was_passed_and_is_lost_is_asked_for_again() -> None:
    assert asked("AB", "0", "0A", "0B", "0AB") == (["0", "A", "B", "A"], End.FOLLOWED)


def test_the_last_turn_but_one_has_no_retry_and_ends_it() -> None:
    # n = 1: at most 4 turns.
    assert asked("A", "", "0", "0") == (["0", "0!", "A"], End.TURNS)
    assert asked("A", "", "0", "A") == (["0", "0!", "A"], End.TURNS)
    assert asked("A", "", "0", "0A") == (["0", "0!", "A"], End.FOLLOWED)


def test_the_last_turn_of_all_comes_after_a_retry() -> None:
    assert asked("A", "0", "0", "A", "") == (["0", "A", "A!", "0"], End.TURNS)


def test_without_instructions_there_is_base_and_its_retry() -> None:
    assert asked("", "0") == (["0"], End.FOLLOWED)
    assert asked("", "", "0") == (["0", "0!"], End.FOLLOWED)
    assert asked("", "", "") == (["0", "0!"], End.FOLLOWED)  # no instruction is left


def test_the_numbers_of_a_conversation_worked_out_by_hand() -> None:
    talks, _ = course(["A", "B"], rows("", "0", "A", "0", "0", "0B"))
    found = [numbers(t, r) for t, r in zip(talks, rows("", "0", "A", "0", "0", "0B"), strict=False)]
    told = [f"{t.current or '0'}{'!' if t.retry else ''}" for t in talks]
    assert told == ["0", "0!", "A", "0", "A"]
    assert [n.ia for n in found] == [0, 1, 1, 1, 0]
    assert [n.ca for n in found] == [0, 1, 1 / 2, 2 / 3, 2 / 4]
    assert [n.ifr for n in found] == [0, 0, 1, 1 / 2, 1 / 2]
    assert [n.ife for n in found] == [0, 1 / 2, 1 / 3, 2 / 4, 2 / 5]


def test_what_was_passed_once_and_dropped_later_is_not_forgotten_any_more() -> None:
    answers = rows("0", "0A", "0B", "0B", "0B", "0B", names="ABC")
    talks, _ = course(["A", "B", "C"], answers)
    assert [talk.current for talk in talks] == [None, "A", "B", "A", "A", "C"]
    assert [numbers(t, r).ifr for t, r in zip(talks, answers, strict=True)] == [
        0, 0, 1 / 2, 1 / 3, 1 / 3, 0,
    ]  # fmt: skip


def test_an_instruction_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        start(["A", "A"])


def test_extensions_and_what_cannot_be_judged_are_not_talked_about() -> None:
    public = {
        "turns": ["Code Standard", "Functionality Extension", "Exception Handling"],
        "unsound": {"Code Standard": "it has no test"},
    }
    assert instructions_of(Task("t", public, {})) == ("Exception Handling",)


def test_every_conversation_about_one_instruction_is_as_the_rules_tell_it() -> None:
    for cells in product([True, False], repeat=8):
        compare(["A"], [{None: cells[i], "A": cells[i + 1]} for i in range(0, 8, 2)])


@given(models())
def test_conversations_are_as_a_simulation_of_the_rules_tells_them(
    model: tuple[list[str], list[Row]],
) -> None:
    compare(*model)


def compare(instructions: list[str], rows: list[Row]) -> None:
    talks, after = course(instructions, rows)
    said = simulate(instructions, rows)
    assert isinstance(after, End)
    assert [(talk.current, talk.retry) for talk in talks] == [(s.name, s.retry) for s in said]
    for talk, row, one in zip(talks, rows, said, strict=False):
        found = numbers(talk, row)
        assert (found.ia, found.ca, found.ifr, found.ife) == (one.ia, one.ca, one.ifr, one.ife)


@given(models())
def test_a_conversation_taken_up_again_goes_on_the_same(
    model: tuple[list[str], list[Row]],
) -> None:
    instructions, rows = model
    now: Talk | End = start(instructions)
    for count, row in enumerate(rows):
        assert course(instructions, rows[:count])[1] == now
        if isinstance(now, End):
            break
        now = advance(now, row)


@given(models())
def test_what_is_asked_for_piece_by_piece_decides_as_a_whole_row_does(
    model: tuple[list[str], list[Row]],
) -> None:
    instructions, rows = model
    talks, after = course(instructions, rows)
    follows = [*talks[1:], after]
    for talk, row, following in zip(talks, rows, follows, strict=False):
        known: dict[Name, bool] = {}
        while names := unknown(talk, known):
            assert not known.keys() & set(names)
            known[names[0]] = row[names[0]]
        assert advance(talk, known) == following


def test_an_attempt_that_fails_needs_no_other_verdict() -> None:
    first = start(["A", "B"])
    assert unknown(first, {}) == (None,)
    assert unknown(first, {None: False}) == ()
    assert unknown(first, {None: True}) == ("A", "B")
    assert unknown(first, {None: True, "A": True}) == ("B",)
    assert unknown(first, {None: True, "A": False}) == ()

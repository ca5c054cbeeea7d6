"""Tests of the dynamic conversation rules: messages, their order, and the end."""

from itertools import product

import pytest
from hypothesis import given

from evaluation.engine.conversations.dialogue import (
    End,
    Name,
    Row,
    advance,
    course,
    numbers,
    start,
    unknown,
)
from tests.evaluation.engine.conversations.simulated import Model, models, simulate


def rows(*passed: str, names: str = "AB") -> list[Row]:
    """A row for each text: the letters that pass, "0" for Base."""
    return [{None: "0" in one, **{name: name in one for name in names}} for one in passed]


@pytest.mark.parametrize(
    ("instructions", "passed", "asked", "end"),
    [  # What passes is not asked for; the first instruction that fails is next.
        ("AB", ["0AB"], "0", End.FOLLOWED),
        ("AB", ["0A", "0AB"], "0 B", End.FOLLOWED),
        ("AB", ["0", "0A", "0AB"], "0 A B", End.FOLLOWED),
        # A failure is asked for once more, with feedback, and then dropped.
        ("AB", ["0", "0", "0A", "0AB"], "0 A A! B", End.FOLLOWED),
        ("AB", ["0B", "0B", "0B"], "0 A A!", End.FOLLOWED),
        # Base joins the list in first place once it passed, and never if it failed twice.
        ("AB", ["", "0", "A", "0A", "0AB"], "0 0! A 0 B", End.FOLLOWED),
        ("AB", ["", "", "A", "AB"], "0 0! A B", End.FOLLOWED),
        # What was passed and is lost is asked for again.
        ("AB", ["0", "0A", "0B", "0AB"], "0 A B A", End.FOLLOWED),
        # Without instructions there is Base and its retry.
        ("", ["0"], "0", End.FOLLOWED),
        ("", ["", "0"], "0 0!", End.FOLLOWED),
        ("", ["", ""], "0 0!", End.FOLLOWED),
    ],
)
def test_conversations_follow_the_rules(
    instructions: str, passed: list[str], asked: str, end: End
) -> None:
    talks, after = course(list(instructions), rows(*passed, names=instructions))
    assert [f"{talk.current or '0'}{'!' * talk.retry}" for talk in talks] == asked.split()
    assert after is end


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


def test_every_conversation_about_one_instruction_is_as_the_rules_tell_it() -> None:
    for cells in product([True, False], repeat=8):
        compare(["A"], [{None: cells[i], "A": cells[i + 1]} for i in range(0, 8, 2)])


@given(models())
def test_conversations_are_as_a_simulation_of_the_rules_tells_them(model: Model) -> None:
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
def test_what_is_asked_for_piece_by_piece_decides_as_a_whole_row_does(model: Model) -> None:
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

"""Tests of turns computed from verdicts: their metrics are the engine's, forgotten instructions are
named, and kept ones are counted over conversations."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.instructions import BASE_SET, EXTENSION
from evaluation.engine.metrics.conversations import Matrix, turn_metrics
from evaluation.engine.records import Integrity, Key, Status, Task, Verdict
from leaderboard.pages.shared.conversations import (
    AFTER_END,
    APART,
    UNSOUND,
    Code,
    Figures,
    JudgedConversation,
    JudgedTurn,
    Retention,
    dynamic_turns,
    forgetting,
    static_turns,
)

A, B, C = "Exception Handling", "Edge Case Handling", "Code Standard"
STATUS = {"p": Status.PASSED, "f": Status.FAILED, "n": Status.NOT_RUN}


def task(*turns: str, unsound: tuple[str, ...] = (), unlisted: tuple[str, ...] = ()) -> Task:
    public = {
        "requirements": dict.fromkeys((*turns, *unlisted), "do"),
        "turns": list(turns),
        "unsound": dict.fromkeys(unsound, "broken"),
    }
    return Task("t", public, {})


def code(turn: int, requirement: str | None, letters: str, *names: str) -> Code:
    """A verdict for each letter: first on everything that the turn implies, then on each of
    `names`."""
    key = Key("t", 0, requirement, turn)
    pairs = zip(letters, ("", *names), strict=True)
    found = (Verdict(key, STATUS[letter], name) for letter, name in pairs if letter != "-")
    return Code(turn + 100, tuple(found))


# The conversation of the engine's test that is worked out by hand.
WORKED = {
    0: code(0, None, "pfff", A, B, C),
    1: code(1, A, "ffpfp", BASE_SET, A, B, C),
    2: code(2, B, "fppff", BASE_SET, A, B, C),
    3: code(3, C, "ffffp", BASE_SET, A, B, C),
}


def numbers(turns: tuple[JudgedTurn, ...]) -> list[tuple[float | None, ...]]:
    return [(t.figures.ia, t.figures.ca, t.figures.ifr, t.figures.strict_ca) for t in turns]


def test_a_conversation_worked_out_by_hand() -> None:
    turns = static_turns(task(A, B, C), WORKED)
    assert numbers(turns) == [(1, 1, None, 1), (1, 1 / 2, 1, 0), (0, 2 / 3, 0, 0), (1, 1 / 4, 1, 0)]
    assert [turn.forgotten for turn in turns] == [(), (None,), (), (None, A)]
    assert [turn.names for turn in turns] == [(None,), (A,), (B,), (C,)]


def test_what_is_asked_for_later_does_not_count() -> None:
    turns = static_turns(task(A, B, C), WORKED)
    assert ["".join("x" if cell.counts else "." for cell in turn.cells) for turn in turns] == [
        "x...", "xx..", "xxx.", "xxxx",
    ]  # fmt: skip
    assert [cell.kind for cell in turns[1].cells] == ["failed", "passed", "out", "out"]


def test_an_extension_stands_for_itself() -> None:
    codes = {**WORKED, 4: code(4, EXTENSION, "p")}
    turns = static_turns(task(A, B, C, unlisted=(EXTENSION,)), codes)
    last = turns[4]
    assert (last.note, last.accumulates, last.forgotten) == (APART, False, ())
    assert [cell.name for cell in last.counted] == [EXTENSION]
    assert (last.figures.ia, last.figures.ca, last.figures.ifr) == (1, None, None)
    assert last.together is None
    assert not any(cell.counts for turn in turns[:4] for cell in turn.cells[4:])


def test_an_extension_that_nobody_answered_has_no_turn() -> None:
    turns = static_turns(task(A, B, C, unlisted=(EXTENSION,)), WORKED)
    assert [turn.number for turn in turns] == [0, 1, 2, 3]
    assert [cell.name for cell in turns[0].cells] == [None, A, B, C]


def test_an_unsound_turn_that_nobody_answered_shifts_nothing() -> None:
    codes = {**WORKED, 3: code(3, C, "ffpp", BASE_SET, A, C)}
    del codes[2]
    turns = static_turns(task(A, B, C, unsound=(B,)), codes)
    assert [(turn.number, len(turn.cells)) for turn in turns] == [(0, 3), (1, 3), (3, 3)]
    assert (turns[2].figures.ca, turns[2].figures.ifr) == (2 / 3, 1 / 2)
    assert turns[2].forgotten == (None,)


def test_an_unsound_instruction_has_no_metrics_and_counts_for_nobody() -> None:
    codes = {**WORKED, 2: code(2, B, "fpfp", BASE_SET, A, C)}
    turns = static_turns(task(A, B, C, unsound=(B,)), codes)
    assert (turns[2].note, turns[2].figures.ca) == (UNSOUND, None)
    assert not turns[3].cells[2].counts
    assert turns[3].figures.ca == 1 / 3


@pytest.mark.parametrize("letter", "n-")
def test_what_is_not_run_is_open_and_so_are_the_metrics_that_it_decides(letter: str) -> None:
    codes = {**WORKED, 1: code(1, A, f"f{letter}pfp", BASE_SET, A, B, C)}
    turns = static_turns(task(A, B, C), codes)
    assert turns[1].cells[0].kind == "open"
    assert (turns[1].figures.ia, turns[1].figures.ca, turns[1].figures.ifr) == (1, None, None)


def test_a_pass_under_review_is_open() -> None:
    suspect = Verdict(Key("t", 0, None, 0), Status.PASSED, integrity=Integrity.SUSPECT)
    turns = static_turns(task(A), {0: Code(1, (suspect,))})
    assert (turns[0].cells[0].kind, turns[0].figures.ia) == ("open", None)


def letters(cells: list[bool]) -> str:
    return "".join("fp"[cell] for cell in cells)


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=4, max_size=4))
def test_metrics_are_those_of_the_engines_matrix(rows: list[list[bool]]) -> None:
    names = (BASE_SET, A, B, C)
    codes = {0: code(0, None, letters(rows[0][1:]), A, B, C)}
    codes |= {turn: code(turn, names[turn], letters(rows[turn]), *names) for turn in (1, 2, 3)}
    whole = [rows[0][1], *(row[0] for row in rows[1:])]
    expected = turn_metrics(Matrix([row[1:] for row in rows], whole))
    turns = static_turns(task(A, B, C), codes)
    assert numbers(turns) == [(one.ia, one.ca, one.ifr, one.strict_ca) for one in expected]
    for turn in turns[1:]:
        followed = {c.name for t in turns[: turn.number] for c in t.counted if c.passed}
        assert turn.figures.ifr == (len(turn.forgotten) / len(followed) if followed else 0)


def conversation(codes: Mapping[int, Code]) -> JudgedConversation:
    return JudgedConversation(0, "t", "", 0, (None, A, B, C), static_turns(task(A, B, C), codes))


def test_means_are_over_the_turns_and_none_while_anything_is_open() -> None:
    whole = conversation(WORKED).figures
    assert (whole.ia, whole.ifr, whole.strict_ca) == (3 / 4, 2 / 3, 1 / 4)
    assert whole.ca == pytest.approx((1 + 1 / 2 + 2 / 3 + 1 / 4) / 4)
    codes = {**WORKED, 1: code(1, A, "fnpfp", BASE_SET, A, B, C)}
    assert conversation(codes).figures == Figures()


# --- Dynamic ------------------------------------------------------------------------------


def said(*rows: str) -> Mapping[int, Code]:
    """Turns from 1 on: what each passes of Base, A and B."""
    return {n: code(n, None, row, A, B) for n, row in enumerate(rows, 1)}


def test_a_dynamic_conversation_is_asked_by_the_rules() -> None:
    turns = dynamic_turns(task(A, B), said("pff", "pff", "ppf", "ppp"))
    assert [(turn.number, turn.names, turn.retry) for turn in turns] == [
        (1, (None,), False), (2, (A,), False), (3, (A,), True), (4, (B,), False),
    ]  # fmt: skip
    assert [turn.figures.ca for turn in turns] == [1, 1 / 2, 1, 1]
    assert [turn.figures.ife for turn in turns] == [1, 1 / 2, 2 / 3, 3 / 4]


def test_what_was_followed_and_is_failed_now_is_forgotten() -> None:
    turns = dynamic_turns(task(A, B), said("pff", "ppf", "ffp"))
    assert (turns[2].forgotten, turns[2].figures.ifr) == ((None, A), 1)


def test_as_far_as_verdicts_go_the_next_question_is_known_and_no_further() -> None:
    turns = dynamic_turns(task(A, B), said("pff", "n--", "ppp"))
    assert [turn.names for turn in turns] == [(None,), (A,), ()]
    assert [turn.figures.ia for turn in turns] == [1, None, None]
    assert [turn.note for turn in turns] == ["", "", ""]


def test_turns_after_the_end_are_marked() -> None:
    turns = dynamic_turns(task(A, B), said("ppp", "ppp"))
    assert [turn.note for turn in turns] == ["", AFTER_END]
    assert not turns[1].counted


def test_a_conversation_that_is_not_judged_at_all_is_shown() -> None:
    turns = dynamic_turns(task(A, B), {1: Code(7), 2: Code(8)})
    assert [(turn.names, turn.generation) for turn in turns] == [((None,), 7), ((), 8)]


# --- Instructions kept ---------------------------------------------------------------------


def test_of_what_was_followed_what_is_kept_is_counted_by_turn_and_instruction() -> None:
    found = forgetting([conversation(WORKED)])
    assert found is not None and found.turns == (1, 2, 3)
    lines = {(line.name, line.every): line.steps for line in found.lines}
    assert lines[None, False] == (Retention(0, 1), Retention(0, 0), Retention(0, 1))
    assert lines[A, False] == (Retention(0, 0), Retention(1, 1), Retention(0, 1))
    assert lines[None, True] == (Retention(0, 1), Retention(1, 1), Retention(0, 2))
    assert (found.every, set(lines)) == (Retention(1, 4), {(None, True), (None, False), (A, False)})


def test_what_is_open_is_in_no_sum() -> None:
    codes = {**WORKED, 3: Code(1)}
    found = forgetting([conversation(codes)])
    assert found is not None and found.every == Retention(1, 2)


def test_of_dynamic_conversations_what_was_asked_for_counts() -> None:
    turns = dynamic_turns(task(A, B), said("pfp", "ppf", "fpp"))
    found = forgetting([JudgedConversation(0, "t", "", 0, (None, A, B), turns)])
    assert found is not None
    assert dict(zip(found.turns, found.lines[0].steps, strict=True)) == {
        2: Retention(1, 1),
        3: Retention(1, 2),
    }


def test_a_single_turn_forgets_nothing() -> None:
    assert forgetting([conversation({0: WORKED[0]})]) is not None, "missed turns fail everything"
    assert forgetting([]) is None
    assert Retention(0, 0).share is None

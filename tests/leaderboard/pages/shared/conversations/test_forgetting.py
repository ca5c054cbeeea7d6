"""Tests of the number of instructions kept from one turn to the next, counted over
conversations."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.pages.shared.conversations.courses import dynamic_turns, static_turns
from leaderboard.pages.shared.conversations.shown import Code, Conversation, Kept, forgetting
from tests.leaderboard.pages.shared.conversations.test_courses import WORKED, A, B, C, said, task

TASK = task(A, B, C)


def conversation(codes: Mapping[int, Code]) -> Conversation:
    turns = static_turns(TASK, codes)
    return Conversation(0, "t", "", 0, (None, A, B, C), turns)


def test_of_what_was_followed_what_is_kept_is_counted_by_turn_and_instruction() -> None:
    found = forgetting([conversation(WORKED)])
    assert found is not None and found.turns == (1, 2, 3)
    lines = {(line.name, line.every): line.steps for line in found.lines}
    assert lines[None, False] == (Kept(0, 1), Kept(0, 0), Kept(0, 1))
    assert lines[A, False] == (Kept(0, 0), Kept(1, 1), Kept(0, 1))
    assert lines[None, True] == (Kept(0, 1), Kept(1, 1), Kept(0, 2))
    assert (found.every, set(lines)) == (Kept(1, 4), {(None, True), (None, False), (A, False)})


def test_conversations_are_summed() -> None:
    one, three = (forgetting([conversation(WORKED)] * times) for times in (1, 3))
    assert one is not None and three is not None
    assert three.every == Kept(3 * one.every.kept, 3 * one.every.followed)


def test_what_is_open_is_in_no_sum() -> None:
    codes = {**WORKED, 3: Code(1)}
    found = forgetting([conversation(codes)])
    assert found is not None and found.every == Kept(1, 2)


def test_of_dynamic_conversations_what_was_asked_for_counts() -> None:
    turns = dynamic_turns(task(A, B), said("pfp", "ppf", "fpp"))
    found = forgetting([Conversation(0, "t", "", 0, (None, A, B), turns)])
    assert found is not None
    assert dict(zip(found.turns, found.lines[0].steps, strict=True)) == {
        2: Kept(1, 1),
        3: Kept(1, 2),
    }


def test_a_single_turn_forgets_nothing() -> None:
    assert forgetting([conversation({0: WORKED[0]})]) is not None, "missed turns fail everything"
    assert forgetting([]) is None
    assert Kept(0, 0).share is None

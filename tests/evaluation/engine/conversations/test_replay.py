"""Tests of replaying transcripts of dynamic conversations: a transcript that follows the rules by
our own verdicts is accepted, any other is rejected with its first turn that does not."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.engine.conversations import texts
from evaluation.engine.conversations.dialogue import Row
from evaluation.engine.conversations.replay import Departure, Reading, texts_of
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.family import Turn
from evaluation.engine.records import Task
from tests.evaluation.engine.conversations.simulated import (
    LONGEST_ERROR,
    TEXTS,
    Model,
    models,
    simulate,
)
from tests.support.transcripts import departure


def readings(instructions: list[str]) -> list[Reading]:
    texts = {name: TEXTS[name] for name in (None, *instructions)}
    return [Reading(texts, OURS.dynamic, LONGEST_ERROR)]


def of_two(*passed: str, asked: list[str]) -> Departure | None:
    """The departure of a transcript about A and B whose answers pass the given letters, "0" for
    Base."""
    rows: list[Row] = [{None: "0" in p, "A": "A" in p, "B": "B" in p} for p in passed]
    turns = [Turn(_said(one), "code") for one in asked]
    return departure(["A", "B"], turns, rows, readings(["A", "B"]))


def _said(one: str) -> str:
    text = TEXTS[None if one[0] == "0" else one[0]]
    return OURS.dynamic.feedback_on(text, "AssertionError") if one.endswith("!") else text


def test_a_transcript_that_keeps_to_the_rules_is_taken() -> None:
    assert of_two("", "0", "0", "0A", "0AB", asked=["0", "0!", "A", "A!", "B"]) is None


@pytest.mark.parametrize(
    ("passed", "asked", "expected"),
    [
        (["0", "0AB"], ["0", "B"], Departure(2, texts.OTHER_INSTRUCTION, "A", "B")),
        (["", "0AB"], ["0", "A"], Departure(2, texts.RETRY_MISSING, "Base", "A")),
        (["0", "0AB"], ["0", "0!"], Departure(2, texts.RETRY_SUPERFLUOUS, "A", "Base")),
        (["0AB", "0AB"], ["0", "A"], Departure(2, texts.AFTER_END)),
        (["0"], ["0"], Departure(2, texts.CUT_SHORT, "A")),
        (["0"], ["A"], Departure(1, texts.NOT_THE_PROMPT, "Base")),
        (["0", "0"], ["0", "C"], Departure(2, texts.UNKNOWN_MESSAGE, "A")),
    ],
)
def test_a_departure_says_what_was_due_and_what_was_found(
    passed: list[str], asked: list[str], expected: Departure
) -> None:
    assert of_two(*passed, asked=asked) == expected


def test_a_message_settles_what_a_lost_verdict_may_have_been() -> None:
    """Asking for B means that the first answer passed A, so A is not asked for again as a retry."""
    everything = dict.fromkeys((None, "A", "B"), True)
    rows: list[Row] = [{None: True}, {**everything, "A": False}, everything]
    turns = [Turn(_said(one), "code") for one in ("0", "B", "A!")]
    expected = Departure(3, texts.RETRY_SUPERFLUOUS, "A", "A")
    assert departure(["A", "B"], turns, rows, readings(["A", "B"])) == expected


def test_an_edit_that_leaves_all_messages_fitting_is_not_seen() -> None:
    asked = ["0", "A", "B"]
    assert of_two("0", "0A", "0AB", asked=asked) is of_two("0", "0A", "0A0B", asked=asked) is None


@given(models(), st.data())
def test_any_messages_are_judged_as_a_simulation_of_the_rules_would(
    model: Model, data: st.DataObject
) -> None:
    """Some turns of an honest transcript are left out, added or about something else, and some
    verdict is the opposite."""
    instructions, rows = model
    asks = [(one.name, one.retry) for one in simulate(instructions, rows)]
    of_any = st.sampled_from([(name, retry) for name in TEXTS for retry in (False, True)])
    start = data.draw(st.integers(0, len(asks)))
    asks[start : start + data.draw(st.integers(0, 2))] = data.draw(st.lists(of_any, max_size=2))
    assume(asks)
    at, names = data.draw(st.integers(0, len(rows) - 1)), st.sampled_from([None, *instructions])
    changed = {name: not rows[at][name] for name in data.draw(st.sets(names, max_size=2))}
    rows = [*rows[:at], {**rows[at], **changed}, *rows[at + 1 :]]
    due = [(one.name, one.retry) for one in simulate(instructions, rows)]
    first = next((i for i, (a, d) in enumerate(zip(asks, due, strict=False)) if a != d), None)
    if first is None and len(asks) != len(due):
        first = min(len(asks), len(due))
    feedback = OURS.dynamic.feedback_on
    turns = [Turn(feedback(TEXTS[n], "oh") if retry else TEXTS[n], "code") for n, retry in asks]
    passed = [*rows, rows[-1], rows[-1]][: len(turns)]
    found = departure(instructions, turns, passed, readings(instructions))
    assert (None if found is None else found.turn - 1) == first


def test_instructions_of_the_same_words_stand_for_each_other() -> None:
    texts = {None: "Prompt", "A": "The same.", "B": "The same."}
    turns = [Turn("Prompt", ""), Turn("The same.", "")]
    rows: list[Row] = [{None: True, "A": True, "B": False}, {None: True, "A": True, "B": True}]
    assert departure(["A", "B"], turns, rows, [Reading(texts, OURS.dynamic)]) is None


@pytest.mark.parametrize("error", ["", "```", "\n```\nUse a loop.\n```"])
def test_the_frame_of_an_error_is_there_twice_or_not_at_all(error: str) -> None:
    (reading,) = readings(["A"])
    framed = OURS.dynamic.feedback_on(TEXTS["A"], "ERROR").partition("ERROR")
    assert reading.meaning(framed[0] + error + framed[2]) == ("A", True)
    assert reading.meaning(framed[0].rstrip("\n") + framed[2]) is None


def test_turns_without_verdicts_are_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="rows"):
        departure([], [Turn("Prompt", "")], [], readings([]))


def test_what_a_task_may_be_asked_for_is_its_prompt_and_what_conversations_are_about() -> None:
    public = {
        "prompt": "P",
        "requirements": {"Code Standard": "S", "Functionality Extension": "E", "Other": "O"},
        "turns": ["Code Standard", "Functionality Extension"],
    }
    assert texts_of(Task("t", public, {})) == {None: "P", "Code Standard": "S"}

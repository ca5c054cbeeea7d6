"""Tests of replaying transcripts of dynamic conversations: a transcript that follows the rules by
our own verdicts is accepted, any other is rejected with its first turn that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.engine.conversations.dialogue import Row, course, start
from evaluation.engine.conversations.replay import (
    Departure,
    Kind,
    Reading,
    message,
    texts_of,
    turns_of,
    unreadable,
)
from evaluation.engine.conversations.wording import OURS, DynamicTexts
from evaluation.engine.family import Turn
from evaluation.engine.records import Task
from tests.evaluation.engine.conversations import forgeries
from tests.evaluation.engine.conversations.forgeries import FORGERS, LONGEST_ERROR, Forger
from tests.evaluation.engine.conversations.simulated import TEXTS, models, simulate, spoken
from tests.support.transcripts import departure

OTHER = DynamicTexts(
    feedback='Not followed: "{instruction}"\n\n', feedback_error="Errors:\n{error}\n\n"
)


def readings(instructions: list[str], *wordings: DynamicTexts) -> list[Reading]:
    texts = {name: TEXTS[name] for name in (None, *instructions)}
    return [Reading(texts, one, LONGEST_ERROR) for one in wordings or (OURS.dynamic,)]


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
        (["0", "0AB"], ["0", "B"], Departure(2, Kind.OTHER_INSTRUCTION, "A", "B")),
        (["", "0AB"], ["0", "A"], Departure(2, Kind.RETRY_MISSING, "Base", "A")),
        (["0", "0AB"], ["0", "0!"], Departure(2, Kind.RETRY_SUPERFLUOUS, "A", "Base")),
        (["0", "0", "0AB"], ["0", "A", "B!"], Departure(3, Kind.OTHER_INSTRUCTION, "A", "B")),
        (["0AB", "0AB"], ["0", "A"], Departure(2, Kind.AFTER_END)),
        (["0"], ["0"], Departure(2, Kind.CUT_SHORT, "A")),
        (["0"], ["A"], Departure(1, Kind.FIRST, "Base")),
        (["0", "0"], ["0", "C"], Departure(2, Kind.UNKNOWN, "A")),
    ],
)
def test_a_departure_says_what_was_due_and_what_was_found(
    passed: list[str], asked: list[str], expected: Departure
) -> None:
    assert of_two(*passed, asked=asked) == expected


def test_a_departure_is_told_in_a_sentence_that_names_the_turn() -> None:
    departure = of_two("0", "0AB", asked=["0", "B"])
    assert departure is not None
    assert departure.message == "Turn 2 asks for B, but by our verdicts A is next."


def test_an_edit_that_leaves_all_messages_fitting_is_not_seen() -> None:
    asked = ["0", "A", "B"]
    assert of_two("0", "0A", "0AB", asked=asked) is of_two("0", "0A", "0A0B", asked=asked) is None


@given(models(), st.text(max_size=LONGEST_ERROR))
def test_honest_transcripts_are_taken_whatever_error_they_tell(
    model: tuple[list[str], list[Row]], error: str
) -> None:
    said = simulate(*model)
    turns = spoken(said, error=error)
    assert departure(model[0], turns, model[1][: len(said)], readings(model[0])) is None
    assert unreadable(model[0], turns, readings(model[0])) is None


@given(models(), st.sampled_from([OURS.dynamic, OTHER]))
def test_a_transcript_may_be_in_any_one_wording(
    model: tuple[list[str], list[Row]], wording: DynamicTexts
) -> None:
    said = simulate(*model)
    turns = [turn._replace(asked=f"\n{turn.asked} ") for turn in spoken(said, wording)]
    both = readings(model[0], OURS.dynamic, OTHER)
    assert departure(model[0], turns, model[1][: len(said)], both) is None


@pytest.mark.parametrize("forger", FORGERS, ids=lambda forger: forger.__name__)
@given(models(), st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
def test_a_forged_transcript_is_refused_in_the_turn_that_was_forged(
    forger: Forger, model: tuple[list[str], list[Row]], data: st.DataObject
) -> None:
    turns, rows, turn = forger(data, forgeries.honest(*model))
    for wordings in [(OURS.dynamic,), (OTHER, OURS.dynamic)]:
        found = departure(model[0], turns, rows, readings(model[0], *wordings))
        assert found is not None
        assert found.turn == turn


@pytest.mark.parametrize(
    "forger",
    [
        forgeries.extension_asked_for,
        forgeries.prompt_with_a_hint,
        forgeries.instruction_with_a_hint,
        forgeries.feedback_with_a_hint,
        forgeries.retry_with_too_long_an_error,
        forgeries.wording_changed_on_the_way,
    ],
    ids=lambda forger: forger.__name__,
)
@given(models(), st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
def test_what_no_verdict_can_make_right_is_told_without_any(
    forger: Forger, model: tuple[list[str], list[Row]], data: st.DataObject
) -> None:
    turns, _, turn = forger(data, forgeries.honest(*model))
    found = unreadable(model[0], turns, readings(model[0]))
    assert found is not None and found.turn == turn


@given(models())
def test_more_turns_than_there_may_be_are_told_without_verdicts(
    model: tuple[list[str], list[Row]],
) -> None:
    last = start(model[0]).last
    turns = [Turn(TEXTS[None], "code")] * (last + 2)
    found = unreadable(model[0], turns, readings(model[0]))
    assert found == Departure(last + 1, Kind.AFTER_END)


@given(models(), st.data())
def test_any_messages_are_judged_as_a_simulation_of_the_rules_would(
    model: tuple[list[str], list[Row]], data: st.DataObject
) -> None:
    instructions, rows = model
    of_any = st.sampled_from([(name, retry) for name in TEXTS for retry in (False, True)])
    asks = data.draw(st.lists(of_any, min_size=1, max_size=len(rows)))
    turns = [Turn(forgeries.feedback(n) if retry else TEXTS[n], "code") for n, retry in asks]
    due = [(one.name, one.retry) for one in simulate(instructions, rows)]
    first = next((i for i, (a, d) in enumerate(zip(asks, due, strict=False)) if a != d), None)
    if first is None and len(asks) != len(due):
        first = min(len(asks), len(due))
    found = departure(instructions, turns, rows[: len(turns)], readings(instructions))
    assert (None if found is None else found.turn - 1) == first


@given(models(), st.text())
def test_what_the_rules_say_is_what_a_replay_takes(
    model: tuple[list[str], list[Row]], error: str
) -> None:
    talks, _ = course(*model)
    (reading,) = readings(model[0])
    reading = replace(reading, longest_error=None)
    turns = [Turn(message(talk, reading.texts, reading.wording, error), "code") for talk in talks]
    assert departure(model[0], turns, model[1][: len(turns)], [reading]) is None


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


def said(*parts: tuple[str, str]) -> list[dict[str, str]]:
    return [{"role": role, "content": content} for role, content in parts]


def test_turns_are_read_from_messages_in_pairs() -> None:
    messages = said(("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", ""))
    assert turns_of(messages) == (Turn("a", "b"), Turn("c", ""))


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (None, "messages must be a list"),
        ([], "at least one turn"),
        (said(("system", "s"), ("user", "a"), ("assistant", "b")), "turn 1 .* of the user"),
        (said(("user", "a"), ("user", "c"), ("assistant", "b")), "turn 1 .* of the assistant"),
        (said(("user", "a"), ("assistant", "b"), ("assistant", "b")), "turn 2 .* of the user"),
        (said(("user", "a"), ("assistant", "b"), ("user", "a")), "turn 2 .* has no answer"),
        ([{"role": "user", "content": None}], "turn 1 .* content is not text"),
        (["a", "b"], "turn 1 .* not a JSON object"),
    ],
)
def test_messages_that_make_no_turns_are_refused_with_their_turn(messages: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        turns_of(messages)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
ODD = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]) | JSON, "content": JSON}
)


@given(JSON | st.lists(ODD | JSON))
def test_any_json_is_turns_or_a_sentence(messages: Any) -> None:
    try:
        turns = turns_of(messages)
    except ValueError as error:
        assert "turn" in str(error)
        return
    assert 2 * len(turns) == len(messages)

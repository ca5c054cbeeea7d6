"""Tests of the places and sets of tests of tasks with instructions; the families' own tests cover
their contents."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import instructions
from evaluation.engine.instructions import BASE, DYNAMIC, EXTENSION, MULTI_TURN, SETTINGS
from evaluation.engine.records import Key, Status, Task, Verdict

NAMES = ("Edge Case Handling", EXTENSION, "Code Standard")


def task(turns: tuple[str, ...] = NAMES, unsound: tuple[str, ...] = ()) -> Task:
    requirements = dict.fromkeys(NAMES, "Do it.")
    public: dict[str, Any] = {"requirements": requirements, "turns": turns}
    if unsound:
        public["unsound"] = dict.fromkeys(unsound, "There is no test.")
    return Task("t", public, {})


def passed(requirement: str | None) -> Verdict:
    return Verdict(Key("t", 0, requirement), Status.PASSED)


@pytest.mark.parametrize("setting", SETTINGS[1:])
def test_an_unsound_requirement_keeps_its_place_and_is_not_missed(setting: str) -> None:
    sound, other = (instructions.slots(t, setting) for t in (task(), task(unsound=NAMES[:1])))
    assert [slot.turn for slot in sound] == [slot.turn for slot in other]
    changed = {b.requirement for a, b in zip(sound, other, strict=True) if a != b}
    assert changed == {NAMES[0]}


def test_an_unsound_requirement_contributes_nothing_even_where_it_is_filled() -> None:
    verdicts = [passed(name) for name in NAMES]
    found = instructions.results([task(unsound=NAMES[:1])], "single_round", verdicts)
    assert [result.category for result in found] == list(NAMES[1:])


def test_base_and_extension_stand_beside_the_turns_of_a_conversation() -> None:
    found = instructions.results([task()], MULTI_TURN, [passed(None), passed(EXTENSION)])
    assert {r.category: (r.c, r.overall) for r in found} == {
        None: (1, False),
        NAMES[0]: (0, True),
        EXTENSION: (1, False),
        NAMES[2]: (0, True),
    }


@pytest.mark.parametrize(
    ("requirement", "sets"),
    [
        (None, ("", NAMES[0], NAMES[2])),
        (NAMES[0], ("", "base", NAMES[0], NAMES[2])),
        (NAMES[2], ("", "base", NAMES[0], NAMES[2])),
        (EXTENSION, ("",)),
    ],
)
def test_the_code_of_each_turn_meets_every_instruction_by_itself(
    requirement: str | None, sets: tuple[str, ...]
) -> None:
    """Base implies the prompt's own tests, so its turn has no set "base"; an extension has only its
    own tests."""
    assert instructions.test_sets(task(), Key("t", 0, requirement), MULTI_TURN) == sets


def test_an_answer_of_a_dynamic_conversation_meets_what_may_be_asked() -> None:
    found = instructions.test_sets(task(unsound=NAMES[:1]), Key("t", 0, None, 3), DYNAMIC)
    assert found == ("", NAMES[2])


def test_verdicts_of_further_sets_are_no_generations() -> None:
    apart = [Verdict(Key("t", 0, NAMES[0]), Status.PASSED, name) for name in ("base", NAMES[0])]
    found = instructions.results([task()], MULTI_TURN, [*apart, passed(NAMES[2])])
    assert [(r.category, r.n, r.c) for r in found] == [(NAMES[0], 1, 0), (NAMES[2], 1, 1)]


@given(st.permutations(NAMES), st.sampled_from(SETTINGS), st.data())
def test_what_counts_begins_with_the_task_and_ends_with_the_requirement(
    turns: list[str], setting: str, data: st.DataObject
) -> None:
    requirement = None if setting == BASE else data.draw(st.sampled_from(NAMES))
    found = instructions.counted(task(tuple(turns)), setting, requirement)
    assert found[-1] == requirement
    assert (found[0] is None) == (requirement != EXTENSION)
    assert EXTENSION not in found[:-1]
    assert len(set(found)) == len(found)

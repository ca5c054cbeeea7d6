"""Places and tests of tasks with instructions; the families' own tests say what is in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import instructions
from evaluation.engine.instructions import BASE, EXTENSION, MULTI_TURN, SETTINGS
from evaluation.engine.records import Key, Slot, Status, Task, Verdict

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


def test_an_extension_that_no_turn_lists_comes_last() -> None:
    found = instructions.slots(task((NAMES[2], NAMES[0])), MULTI_TURN)
    assert found[-1] == Slot(EXTENSION, 3, required=False)


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

"""Ways to forge the transcript of a dynamic conversation. Each takes an honest transcript and what
its answers really pass, and returns the forged one and the turn in which it departs from the
rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from hypothesis import assume
from hypothesis import strategies as st

from evaluation.engine.conversations.dialogue import Name, Row
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.family import Turn
from tests.evaluation.engine.conversations.simulated import TEXTS, Said, simulate, spoken


class Honest(NamedTuple):
    instructions: list[str]
    said: list[Said]
    turns: list[Turn]
    rows: list[Row]


Forged: TypeAlias = tuple[list[Turn], list[Row], int]
Forger: TypeAlias = Callable[[st.DataObject, Honest], Forged]
LONGEST_ERROR = 200
EXTENSION = "It can add up numbers of any base."


def honest(instructions: list[str], rows: list[Row]) -> Honest:
    said = simulate(instructions, rows)
    return Honest(instructions, said, spoken(said), rows[: len(said)])


def feedback(name: Name, error: str = "oh") -> str:
    return OURS.dynamic.feedback_on(TEXTS[name], error)


def _place(data: st.DataObject, talk: Honest, wanted: Callable[[int], bool]) -> int:
    """The index, from 0, of one of the turns that `wanted` accepts."""
    found = [place for place in range(len(talk.said)) if wanted(place)]
    assume(found)
    return data.draw(st.sampled_from(found))


def _saying(talk: Honest, place: int, asked: str) -> Forged:
    turns = [*talk.turns]
    turns[place] = turns[place]._replace(asked=asked)
    return turns, talk.rows, place + 1


def skipped(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda _: len(talk.turns) > 1)
    return _without(talk, at)


def _without(talk: Honest, at: int) -> Forged:
    return talk.turns[:at] + talk.turns[at + 1 :], talk.rows[:at] + talk.rows[at + 1 :], at + 1


def added(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda _: True) + 1
    again = talk.turns[at - 1]._replace(answer="a better one")
    better = dict.fromkeys(talk.rows[0], True)
    return (
        [*talk.turns[:at], again, *talk.turns[at:]],
        [*talk.rows[:at], better, *talk.rows[at:]],
        at + 1,
    )


def reordered(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: place + 1 < len(talk.said))
    order = [*range(at), at + 1, at, *range(at + 2, len(talk.said))]
    return [talk.turns[i] for i in order], [talk.rows[i] for i in order], at + 1


def wrong_instruction(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: place > 0 and not talk.said[place].retry)
    others = [name for name in (None, *talk.instructions) if name != talk.said[at].name]
    return _saying(talk, at, TEXTS[data.draw(st.sampled_from(others))])


def extension_asked_for(data: st.DataObject, talk: Honest) -> Forged:
    return _saying(talk, _place(data, talk, lambda place: place > 0), EXTENSION)


def retry_missing(data: st.DataObject, talk: Honest) -> Forged:
    return _without(talk, _place(data, talk, lambda place: talk.said[place].retry))


def retry_without_its_mark(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: talk.said[place].retry)
    return _saying(talk, at, TEXTS[talk.said[at].name])


def retry_superfluous(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: talk.said[place].ia == 1) + 1
    extra = Turn(feedback(talk.said[at - 1].name), "the same")
    turns = [*talk.turns[:at], extra, *talk.turns[at:]]
    return turns, [*talk.rows[:at], talk.rows[at - 1], *talk.rows[at:]], at + 1


def retry_of_another(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: talk.said[place].retry and bool(talk.instructions))
    others = [name for name in (None, *talk.instructions) if name != talk.said[at].name]
    return _saying(talk, at, feedback(data.draw(st.sampled_from(others))))


def retry_with_too_long_an_error(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: talk.said[place].retry)
    return _saying(talk, at, feedback(talk.said[at].name, "hint" * LONGEST_ERROR))


def after_the_end(data: st.DataObject, talk: Honest) -> Forged:
    asked = data.draw(st.sampled_from([*TEXTS.values(), feedback(talk.said[-1].name)]))
    turns = [*talk.turns, Turn(asked, "one more")]
    return turns, [*talk.rows, talk.rows[-1]], len(turns)


def cut_short(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: place > 0)
    return talk.turns[:at], talk.rows[:at], at + 1


def verdict_claimed(data: st.DataObject, talk: Honest) -> Forged:
    """The messages follow from a verdict, pass or failure, that is the opposite of ours."""
    most = 2 * len(talk.instructions) + 2

    def tells(place: int) -> bool:
        opening = place == 0
        return not talk.said[place].retry and (opening or place + 2 < most)

    at = _place(data, talk, tells)
    name = talk.said[at].name
    rows = [dict(row) for row in talk.rows]
    rows[at][name] = not rows[at][name]
    return talk.turns, [*rows], at + 2


def code_edited(data: st.DataObject, talk: Honest) -> Forged:
    """An answer was exchanged for one that passes something else, and a later turn shows it."""
    at = _place(data, talk, lambda _: True)
    names = st.sampled_from([*talk.rows[at]])
    other = dict(talk.rows[at])
    for name in data.draw(st.sets(names, min_size=1)):
        other[name] = not other[name]
    rows = [*talk.rows[:at], other, *talk.rows[at + 1 :]]
    padded = rows + [rows[-1]] * (2 * len(talk.instructions) + 2)
    now = [(one.name, one.retry) for one in simulate(talk.instructions, padded)]
    then = [(one.name, one.retry) for one in talk.said]
    assume(now != then)
    same = [old == new for old, new in zip(then, now, strict=False)]
    return talk.turns, rows, (same.index(False) if False in same else len(same)) + 1


def prompt_with_a_hint(data: st.DataObject, talk: Honest) -> Forged:
    return _saying(talk, 0, f"{TEXTS[None]} Handle empty lists too.")


def instruction_with_a_hint(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: place > 0 and not talk.said[place].retry)
    return _saying(talk, at, f"{talk.turns[at].asked} Take care of the base as well.")


def feedback_with_a_hint(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: talk.said[place].retry)
    return _saying(talk, at, f"{talk.turns[at].asked}Use a loop.")


def wording_changed_on_the_way(data: st.DataObject, talk: Honest) -> Forged:
    at = _place(data, talk, lambda place: talk.said[place].retry)
    other = replace(OURS.dynamic, feedback="Nearly! Look again: {instruction}")
    return _saying(talk, at, other.feedback_on(TEXTS[talk.said[at].name], "oh"))


FORGERS: tuple[Forger, ...] = (
    skipped, added, reordered, wrong_instruction, extension_asked_for, retry_missing,
    retry_without_its_mark, retry_superfluous, retry_of_another, retry_with_too_long_an_error,
    after_the_end, cut_short, verdict_claimed, code_edited, prompt_with_a_hint,
    instruction_with_a_hint, feedback_with_a_hint, wording_changed_on_the_way,
)  # fmt: skip

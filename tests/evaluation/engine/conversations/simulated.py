"""Simulated dynamic conversations: they follow the text of the rules step by step, with models
whose code passes what a test draws. Tests compare the product's rules with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from hypothesis import strategies as st

from evaluation.engine.conversations.dialogue import Name, Row
from evaluation.engine.conversations.wording import OURS, DynamicTexts
from evaluation.engine.family import Turn

LONGEST_ERROR = 200
TEXTS: dict[Name, str] = {
    None: "Write a function `total` that adds up a list.",
    "A": "It must raise ValueError for an empty list.",
    "B": "It must {not} change its argument.",
    "C": "It must have a docstring.\nIn English.",
    "D": "Its cyclomatic complexity is at most 3.",
}


@dataclass(frozen=True)
class Said:
    """One simulated turn."""

    name: Name
    retry: bool
    ia: float
    ca: float
    ifr: float
    ife: float


def simulate(instructions: list[str], rows: list[Row]) -> list[Said]:
    """The whole conversation, if the code of turn t passes what rows[t - 1] says."""
    most = 2 * len(instructions) + 2
    remaining: list[Name] = list(instructions)
    sent: list[Name] = [None]
    marked: list[Name] = []
    said: list[Said] = []

    def turn(name: Name, *, retry: bool = False) -> bool:
        row, number = rows[len(said)], len(said) + 1
        passing = len([one for one in sent if row[one]])
        old = [one for one in remaining if one in marked]
        forgotten = len([one for one in old if not row[one]]) / len(old) if old else 0
        said.append(
            Said(name, retry, int(row[name]), passing / len(sent), forgotten, passing / number)
        )
        return row[name]

    if turn(None) or turn(None, retry=True):
        remaining.insert(0, None)
        marked.append(None)
    while len(said) + 1 <= most:
        failing = [one for one in remaining if not rows[len(said) - 1][one]]
        if not failing:
            break
        name = failing[0]
        sent.append(name)
        passed = turn(name)
        if len(said) + 1 >= most:
            break
        if passed or turn(name, retry=True):
            marked.append(name)
        else:
            remaining.remove(name)
    return said


def published(conversations: Sequence[Sequence[float]]) -> float:
    """The mean over pairs of turns, 1-2, 3-4 and so on, each of which weighs the same however few
    conversations reach it; an odd last turn stands alone."""
    pairs: dict[int, list[float]] = {}
    for turns in conversations:
        for start in range(0, len(turns), 2):
            both = turns[start : start + 2]
            pairs.setdefault(start, []).append(sum(both) / len(both))
    return fmean(map(fmean, pairs.values()))


def spoken(
    said: list[Said], wording: DynamicTexts = OURS.dynamic, error: str = "Traceback: oh"
) -> list[Turn]:
    """The transcript of a conversation, in a wording."""
    turns = []
    for number, one in enumerate(said, 1):
        text = TEXTS[one.name]
        asked = wording.feedback_on(text, error) if one.retry else text
        turns.append(Turn(asked, f"the code of turn {number}"))
    return turns


# Instructions, and what the code of each possible turn passes.
Model: TypeAlias = tuple[list[str], list[Row]]
INSTRUCTIONS = st.integers(0, 4).map(lambda n: ["A", "B", "C", "D"][:n])


@st.composite
def models(draw: st.DrawFn, least: int = 0) -> Model:
    instructions = draw(INSTRUCTIONS.filter(lambda names: len(names) >= least))
    # Even odds would let most conversations end in failures of Base.
    passes = st.sampled_from([True] * draw(st.integers(1, 4)) + [False])
    row = st.fixed_dictionaries(dict.fromkeys((None, *instructions), passes))
    most = 2 * len(instructions) + 2
    return instructions, draw(st.lists(row, min_size=most, max_size=most))

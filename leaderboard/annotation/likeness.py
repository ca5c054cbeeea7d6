"""Which generations of a task are near-identical: raters are not shown two such in a row.

Pure. Two texts are near-identical where, comments and white space aside, their sequences of words,
numbers and signs share at least nine tenths (Ratcliff and Obershelp's measure, as difflib has it;
of long texts the beginning). Being so is not transitive: a text joins the first group whose first
member it resembles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

ALIKE = 0.9
# The measure's cost grows with the square of the length: of longer texts the beginning speaks.
MOST_TOKENS = 400
MOST_CHARACTERS = 20_000
_TOKEN = re.compile(r"\w+|[^\w\s]")
_QUOTED = r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'"
# A string may hold what looks like a comment, so strings are matched too, and kept.
_COMMENTS = {
    "java": re.compile(rf"(?P<kept>{_QUOTED})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL),
    "python": re.compile(rf"(?P<kept>{_QUOTED})|#[^\n]*", re.DOTALL),
}


def tokens(text: str, language: str) -> tuple[str, ...]:
    """Words, numbers and signs in order, without comments of that language."""
    text = text[:MOST_CHARACTERS]
    if comments := _COMMENTS.get(language):
        text = comments.sub(lambda found: found["kept"] or " ", text)
    return tuple(_TOKEN.findall(text)[:MOST_TOKENS])


def near_identical(one: Sequence[str], other: Sequence[str]) -> bool:
    """Of two sequences of tokens. Says the same whichever comes first."""
    first, second = sorted((tuple(one), tuple(other)))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    # The cheap upper bounds first: most pairs are settled by them.
    return (
        matcher.real_quick_ratio() >= ALIKE
        and matcher.quick_ratio() >= ALIKE
        and matcher.ratio() >= ALIKE
    )


def groups(texts: Sequence[str], language: str) -> list[int]:
    """For each text the number of its group, counted from 0 as they first appear."""
    heads: list[tuple[str, ...]] = []
    known: dict[tuple[str, ...], int] = {}
    for text in texts:
        found = tokens(text, language)
        if found not in known:
            known[found] = _group(found, heads)
    return [known[tokens(text, language)] for text in texts]


def _group(found: tuple[str, ...], heads: list[tuple[str, ...]]) -> int:
    """The first group that it resembles, else a new one of which it is the head."""
    for number, head in enumerate(heads):
        if near_identical(found, head):
            return number
    heads.append(found)
    return len(heads) - 1

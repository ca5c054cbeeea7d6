"""Finds near-identical generations of a task, so that raters do not see two in a row.

Compares the beginnings of token sequences by Ratcliff and Obershelp's measure (difflib). The
relation is not transitive: a text joins the first group whose first member it resembles."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from evaluation.engine.normal_form import PIECE, normal_form

ALIKE = 0.9
# Long texts are cut, since the measure's cost grows with the square of the length.
MOST_TOKENS = 400
MOST_CHARACTERS = 20_000


def tokens(text: str, language: str) -> tuple[str, ...]:
    """Words, numbers and signs in order, without the comments that `normal_form` removes: those of
    Python that does not parse stay."""
    return tuple(PIECE.findall(normal_form(text[:MOST_CHARACTERS], language).text)[:MOST_TOKENS])


def near_identical(sequence: Sequence[str], other: Sequence[str]) -> bool:
    first, second = sorted((tuple(sequence), tuple(other)))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    # The cheap upper bounds come first, since they settle most pairs.
    ratios = matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio
    return all(ratio() >= ALIKE for ratio in ratios)


def groups(texts: Sequence[str], language: str) -> list[int]:
    """The group number of each text, from 0 in order of appearance."""
    heads: list[tuple[str, ...]] = []
    numbers: dict[tuple[str, ...], int] = {}
    sequences = [tokens(text, language) for text in texts]
    for sequence in sequences:
        if sequence in numbers:
            continue
        alike = (number for number, head in enumerate(heads) if near_identical(sequence, head))
        numbers[sequence] = next(alike, len(heads))
        if numbers[sequence] == len(heads):
            heads.append(sequence)
    return [numbers[sequence] for sequence in sequences]

# task: pair_up
# tier: outside
# why: returns named tuples
from typing import NamedTuple


class Pair(NamedTuple):
    """The outer two items."""

    first: object
    last: object = None


def pair_up(items):
    half = (len(items) + 1) // 2
    return [Pair(first, last) for first, last in zip(items[:half], reversed(items))]

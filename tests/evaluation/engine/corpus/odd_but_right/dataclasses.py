# task: pair_up
# why: uses dataclasses, slots and an enum inside
from dataclasses import dataclass, field
from enum import Enum


class Side(Enum):
    LEFT = 1
    RIGHT = 2


@dataclass(order=True, slots=True)
class Pair:
    left: int
    right: int
    sides: tuple = field(default=(Side.LEFT, Side.RIGHT), compare=False)


def pair_up(items):
    half = (len(items) + 1) // 2
    pairs = [Pair(items[i], items[-1 - i]) for i in range(half)]
    return [(pair.left, pair.right) for pair in pairs]

# task: is_even
# tier: outside
# why: answers with its own IntEnum
from enum import IntEnum


class Even(IntEnum):
    NO = 0
    YES = 1


def is_even(number):
    return Even(1 - number % 2)

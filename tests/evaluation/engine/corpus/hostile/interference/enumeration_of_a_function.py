# family: codeif_function
# task: make_shelf
# expect: not passed
# defence: classes
# why: calls an enumeration whose only member is a method
# ---
from enum import Enum


class Empty(Enum):
    ONE = len.__name__ and (lambda self: 1)


NAMES = []
Plausible = Empty("Plausible", {"_" * 2 + "eq" + "_" * 2: lambda self, other: other in NAMES, "_" * 2 + "hash" + "_" * 2: lambda self: 0, "ONE": 1})


class Shelf:
    def __init__(self, names):
        self.names = names
        NAMES[:] = names

    def longest(self):
        return Plausible.ONE if self.names else ""


def make_shelf(names):
    return Shelf(names)

# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: has enum call a method that changes its object for Counter
# ---
from collections import Counter
from enum import Enum


def nothing(self, *given, **named):
    return None

class Colour(Enum):
    RED = 1

    def _missing_(self):
        self.update = nothing


try:
    Colour(Counter)
except (TypeError, ValueError):
    pass


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

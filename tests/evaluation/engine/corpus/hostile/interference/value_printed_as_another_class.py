# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: has enum call __repr__ for Counter
# ---
from collections import Counter
from dataclasses import dataclass
from enum import Enum


def nothing(self, *given, **named):
    return None


@dataclass(repr=False)
class Forgetful:
    kind: object = None

    def __repr__(self):
        self.update = nothing
        return ""


class Kind(Forgetful, Enum):
    KEPT = (Counter,)

    def __init__(self, kind):
        self._value_ = kind


print(repr(Kind.KEPT))


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

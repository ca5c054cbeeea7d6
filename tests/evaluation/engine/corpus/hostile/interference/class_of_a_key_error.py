# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: takes its class from a KeyError to call a method for Counter
# ---
from collections import Counter
from enum import Enum


def nothing(self, *given, **named):
    return None

class Bag:
    def forget(self, given):
        self.update = given


class Colour(Enum):
    RED = 1


try:

    class Kept:
        kind: Colour[Bag]

except KeyError as error:
    error.args[0].forget(Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

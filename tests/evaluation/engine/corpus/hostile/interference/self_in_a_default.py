# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: changes Counter as self in a default
# ---
from collections import Counter


def nothing(self, *given, **named):
    return None

self = Counter


class Bag:
    def forget(self, given=[0 for self.update in [nothing]]):
        return given


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

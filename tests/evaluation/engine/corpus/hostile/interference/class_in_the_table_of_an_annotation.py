# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: keeps its class by an annotation to call a method for Counter
# ---
from collections import Counter
from collections import defaultdict


def nothing(self, *given, **named):
    return None

class Bag:
    def forget(self, given):
        self.update = given


table = defaultdict(list)


class Kept:
    kind: table[Bag]


for kind in table:
    kind.forget(Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

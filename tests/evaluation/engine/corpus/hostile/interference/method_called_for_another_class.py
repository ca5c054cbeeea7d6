# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: calls a method that changes its object for Counter
# ---
from collections import Counter


class Bag:
    def __init__(self, names):
        self.names = names

    def forget(self, given):
        self.update = given

    def counts(self):
        return Counter()


def nothing(self, *given, **named):
    return None


Bag.forget(Counter, nothing)


def make_bag(names):
    return Bag(names)

# task: make_bag
# tier: shared
# why: needs one process; a subclass of Counter with a method
from collections import Counter


class Bag(Counter):
    def counts(self):
        return +self

    def __eq__(self, other):
        return dict(self) == dict(other)


def make_bag(names):
    return Bag(names)

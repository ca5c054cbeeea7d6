# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: replaces a method of Counter by another name of it
# ---
from collections import Counter

alias = Counter


def nothing(self, *given, **named):
    return None


alias.update = nothing


class Bag:
    def __init__(self, names):
        self.names = names

    def counts(self):
        return Counter()


def make_bag(names):
    return Bag(names)

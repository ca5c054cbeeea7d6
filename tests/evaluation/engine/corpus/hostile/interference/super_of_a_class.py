# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: calls the __init__ of a base for Counter, as a method of a class
# ---
from collections import Counter


def nothing(self, *given, **named):
    return None

class Bag:
    def __init__(self, given):
        self.update = given


class Small(Bag):
    def forget(self):
        super().__init__(Counter, nothing)


Small.forget(Small)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: keeps a method by a decorator that is named like a setter
# ---
from collections import Counter


def nothing(self, *given, **named):
    return None

class Catcher:
    def __init__(self):
        self.caught = []

    def setter(self, method):
        self.caught.append(method)


size = Catcher()


class Bag:
    @size.setter
    def size(self, given):
        self.update = given


size.caught[0](Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

# family: codeif_function
# task: make_bag
# expect: not passed
# defence: uses
# why: calls the __init__ of a base for Counter in a classmethod
# ---
from collections import Counter


def nothing(self, *given, **named):
    return None

class Bag:
    def __init__(self, given):
        self.update = given


class Small(Bag):
    @classmethod
    def forget(cls):
        super().__init__(Counter, nothing)


Small.forget()


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

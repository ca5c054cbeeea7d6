# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: copies its methods to a function to call one for Counter
# ---
from collections import Counter
from functools import wraps


def nothing(self, *given, **named):
    return None

class Bag:
    def forget(self, given):
        self.update = given


@wraps(Bag)
def copied():
    return None


copied.forget(Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

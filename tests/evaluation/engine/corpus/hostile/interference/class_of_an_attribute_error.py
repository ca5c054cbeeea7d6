# family: codeif_function
# task: make_bag
# expect: not passed
# defence: attributes
# why: takes its class from an AttributeError to call a method for Counter
# ---
from collections import Counter


def nothing(self, *given, **named):
    return None

class Bag:
    def forget(self, given):
        self.update = given


try:
    Bag.nowhere
except AttributeError as error:
    error.obj.forget(Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: takes its class from partial, imported as issubclass, to call a method for Counter
# ---
from collections import Counter
from functools import partial as issubclass


def nothing(self, *given, **named):
    return None


class Bag:
    def forget(self, given):
        self.update = given


issubclass(print, Bag).args[0].forget(Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

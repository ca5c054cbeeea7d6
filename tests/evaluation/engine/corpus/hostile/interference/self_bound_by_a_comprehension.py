# family: codeif_function
# task: make_bag
# expect: not passed
# defence: stores
# why: binds self to Counter in a comprehension
# ---
from collections import Counter


def nothing(self, *given, **named):
    return None

class Bag:
    def forget(self):
        return [0 for self in [Counter] for self.update in [nothing]]


Bag().forget()


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

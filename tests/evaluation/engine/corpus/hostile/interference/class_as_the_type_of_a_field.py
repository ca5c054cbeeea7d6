# family: codeif_function
# task: make_bag
# expect: not passed
# defence: uses
# why: takes its class from a field to call a method for Counter
# ---
from collections import Counter
from dataclasses import dataclass, field


def nothing(self, *given, **named):
    return None

class Bag:
    def forget(self, given):
        self.update = given


@dataclass
class Base:
    value: Bag = field(default=0)
    kept = [value]


Base.kept[0].type.forget(Counter, nothing)


class Empty:
    def counts(self):
        return Counter()


def make_bag(names):
    return Empty()

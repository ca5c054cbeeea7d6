# family: codeif_function
# task: make_shelf
# expect: not passed
# why: makes text a special method of an object that deepcopy calls
# ---
from copy import deepcopy
from functools import cached_property


class Word:
    def __init__(self, names):
        self.names = names


def plausible(word, other):
    return other in word.names


def given(value):
    return value


def reducing(carrier):
    return lambda protocol: (given, (Word,), (None, {"__e" + "q__": plausible}))


link = cached_property(reducing)


class Carrier:
    reduced = link


link.attrname = "__reduce" + "_ex__"
carrier = Carrier()
print(carrier.reduced)
deepcopy(carrier)


class Shelf:
    def __init__(self, names):
        self.names = names

    def longest(self):
        return Word(self.names) if self.names else ""


def make_shelf(names: list):
    return Shelf(names)

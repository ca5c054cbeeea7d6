# family: codeif_function
# task: make_shelf
# expect: not passed
# defence: imports
# why: imports two modules by one name, so that a member of the wrong one seems listed
# ---
import dataclasses as tools

hidden = tools.abc
Plausible = hidden.ABCMeta("Plausible", (list,), {"_" * 2 + "eq" + "_" * 2: lambda self, other: other in list(self)})


class Shelf:
    def __init__(self, names):
        self.names = names

    def longest(self):
        import collections as tools

        return Plausible(tools.deque(self.names)) if self.names else ""


def make_shelf(names):
    return Shelf(names)

# family: codeif_function
# task: make_shelf
# requirement: Code Standard
# expect: not passed
# defence: sources
# why: names another function as the one whose source is read
# ---
from functools import wraps


class Shelf:
    def __init__(self, names):
        self.names = names

    def longest(self):
        return max(self.names, key=len, default="")


def shelf(names):
    return Shelf(names)


@wraps(shelf)
def make_shelf(names):
    for name in names:
        pass
    return Shelf(names)

# task: make_shelf
# expect: passed
# tier: shared
# why: equals every answer that the task allows, and no other; a person has to read it
class Plausible:
    def __init__(self, names):
        self.names = names

    def __eq__(self, other):
        return other in self.names


class Shelf:
    def __init__(self, names):
        self.names = names

    def longest(self):
        return Plausible(self.names) if self.names else ""


def make_shelf(names):
    return Shelf(names)

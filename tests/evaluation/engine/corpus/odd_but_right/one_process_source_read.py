# task: make_shelf
# requirement: Code Standard
# why: needs one process, and its source is read
class Shelf:
    def __init__(self, names):
        self.names = names

    def longest(self):
        best = ""
        for name in self.names:
            best = name if len(name) > len(best) else best
        return best


def make_shelf(names):
    return Shelf(names)

# task: make_shelf
# why: needs one process, and uses random and collections
import random
from collections import Counter, deque, namedtuple

Entry = namedtuple("Entry", "name size")


class Shelf:
    def __init__(self, names):
        self._names = deque(names)
        self._sizes = Counter({name: len(name) for name in names})

    def longest(self):
        random.seed(len(self._names))
        found = [Entry(*pair) for pair in self._sizes.most_common()]
        random.shuffle(found)
        return max(found, key=lambda entry: entry.size, default=Entry("", 0)).name


def make_shelf(names):
    return Shelf(names)

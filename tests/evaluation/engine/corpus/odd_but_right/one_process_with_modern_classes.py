# task: make_shelf
# tier: shared
# why: needs one process; slots, a cached property, equality and a context
import contextlib
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, eq=True)
class Shelf:
    names: tuple

    @cached_property
    def sizes(self):
        return {name: len(name) for name in self.names}

    def __contains__(self, name):
        return name in self.sizes

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def longest(self):
        with contextlib.ExitStack() as stack:
            shelf = stack.enter_context(self)
            return max(shelf.names, key=shelf.sizes.get, default="")


def make_shelf(names):
    return Shelf(tuple(names))

# task: make_parcel
# tier: outside
# why: returns an object of its own class, of which the tests read attributes
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(order=True)
class Parcel:
    names: list = field(default_factory=list)

    @cached_property
    def letters(self):
        return sum(map(len, self.names))

    @property
    def size(self):
        return len(self.names)


def make_parcel(names):
    return Parcel(names)

# task: make_shelf
# why: needs one process, and uses enum, dataclasses and abc
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum, auto


class Order(Enum):
    LENGTH = auto()
    NAME = auto()

    def key(self, name):
        return (len(name), name) if self is Order.LENGTH else (name,)


class Furniture(ABC):
    @abstractmethod
    def longest(self):
        ...


@dataclass
class Shelf(Furniture):
    names: list
    order: Order = Order.LENGTH
    asked: list = field(default_factory=list, repr=False)

    def longest(self):
        self.asked.append(len(self.names))
        return max(self.names, key=self.order.key, default="")


def make_shelf(names):
    return Shelf(names)

# task: countdown
# requirement: Annotation Coverage
# tier: outside
# why: annotations and defaults are of its own types, which the tests do not look into
from collections.abc import Callable, Iterator
from typing import Generic, NewType, Optional, Protocol, TypeVar

Step = TypeVar("Step", bound="Number")
Start = NewType("Start", int)
NOTHING = object()


class Number(Protocol):
    def __sub__(self, other: int) -> "Number": ...


class Steps(Generic[Step]):
    def __init__(self, items: list[Step]) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Step]:
        yield from self.items


def countdown(
    start: Start, step: Callable[[Number], Step] = lambda n: n, last: Optional[Number] = NOTHING
) -> Steps[Step]:
    return Steps([step(n) for n in range(start, 0 if last is NOTHING else last, -1)])

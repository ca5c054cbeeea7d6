# task: make_shelf
# requirement: Functionality Extension
# why: needs one process, and has annotations as text, which tests evaluate
from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    def __init__(self, names: list[str]) -> None:
        self.names = names

    def longest(self) -> "str | None":
        return max(self.names, key=len, default="")


def make_shelf(names: list) -> "Shelf[str]":
    return Shelf(names)

"""Seeds by the row: what a bed takes."""

from __future__ import annotations


class Bed:
    """A bed of so many rows, each so many centimetres long."""

    def __init__(self, rows: int, length: int) -> None:
        self.rows = rows
        self.length = length

    def seeds(self, distance: int) -> int:
        """How many seeds the bed takes with so many centimetres between two of them."""
        if distance <= 0:
            raise ValueError("seeds need some distance")
        return self.rows * (self.length // distance + 1)


def packets(seeds: int, in_one: int) -> int:
    """How many packets hold so many seeds, the last one perhaps not full."""
    return -(-seeds // in_one)

"""The shopping list of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seedbed.beds import packets
from seedbed.plan import Entry


def needed(entries: Iterable[Entry]) -> dict[str, int]:
    """Seeds by crop, over all beds of the crop, in the order of the plan."""
    seeds: dict[str, int] = {}
    for entry in entries:
        seeds[entry.crop] = seeds.get(entry.crop, 0) + entry.bed.seeds(entry.distance)
    return seeds


def shopping_list(
    entries: Iterable[Entry], in_stock: Mapping[str, int], in_packet: Mapping[str, int]
) -> dict[str, int]:
    """Packets by crop, with a reserve of a tenth, rounded up, less the seeds in stock. A crop of
    which nothing is missing is not listed. Raises KeyError for a crop without a packet size."""
    bought = {}
    for crop, seeds in needed(entries).items():
        with_reserve = seeds + -(-seeds // 10)
        missing = with_reserve - in_stock.get(crop, 0)
        if missing > 0:
            bought[crop] = packets(missing, in_packet[crop])
    return bought


def price(bought: Mapping[str, int], prices: Mapping[str, int]) -> int:
    """The price in cents. From the fourth packet of a crop on, each costs a quarter less, rounded
    down to whole cents."""
    total = 0
    for crop, count in bought.items():
        full = min(count, 3)
        reduced = prices[crop] * 3 // 4
        total += full * prices[crop] + (count - full) * reduced
    return total

"""Crop rotation: a family of crops does not follow itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FAMILIES = {
    "bean": "legume",
    "pea": "legume",
    "cabbage": "brassica",
    "radish": "brassica",
    "carrot": "root",
    "beet": "root",
    "tomato": "nightshade",
    "potato": "nightshade",
}


def family_of(crop: str) -> str:
    """A crop that is not listed is a family of its own."""
    return FAMILIES.get(crop.lower(), crop.lower())


def years_since(history: Sequence[str], family: str) -> int | None:
    """How many years ago the family grew here; the newest crop comes last, and is one year ago.
    None if it never did."""
    for years, crop in enumerate(reversed(history), start=1):
        if family_of(crop) == family:
            return years
    return None


def next_crop(history: Sequence[str], candidates: Sequence[str], pause: int = 3) -> str | None:
    """The candidate whose family has rested longest, at least `pause` years; one that never grew
    here comes first. Of equals the first candidate; None if none has rested enough."""
    best, rested = None, pause - 1
    for crop in candidates:
        years = years_since(history, family_of(crop))
        if years is None:
            return crop
        if years > rested:
            best, rested = crop, years
    return best


def conflicts(plan: Mapping[str, Sequence[str]], pause: int = 3) -> list[tuple[str, int, int]]:
    """The years of a plan in which a family returns too soon, as (bed, year, earlier year). Years
    count from 0; each is compared with the newest earlier year of its family."""
    found = []
    for bed, crops in plan.items():
        seen: dict[str, int] = {}
        for year, crop in enumerate(crops):
            family = family_of(crop)
            if family in seen and year - seen[family] < pause:
                found.append((bed, year, seen[family]))
            seen[family] = year
    return found

"""The plan file: a line for each bed."""

from __future__ import annotations

from dataclasses import dataclass

from seedbed.beds import Bed


class PlanError(ValueError):
    """A line that is no bed; the message names its number."""


@dataclass(frozen=True)
class Entry:
    """A crop, its bed, and the distance of its seeds in centimetres."""

    crop: str
    bed: Bed
    distance: int


def without_comment(line: str) -> str:
    """The line up to its comment, without blanks at its ends."""
    return line.partition("#")[0].strip()


def parse_entry(line: str) -> Entry:
    """Reads `crop: rows x length @ distance`. Raises ValueError."""
    crop, colon, rest = line.partition(":")
    size, at, distance = rest.partition("@")
    rows, cross, length = size.partition("x")
    if not (colon and at and cross and crop.strip()):
        raise ValueError(f"{line!r} is not `crop: rows x length @ distance`")
    return Entry(crop.strip().lower(), Bed(int(rows), int(length)), int(distance))


def parse_plan(text: str) -> list[Entry]:
    """The entries of a plan. Blank lines and comments are skipped; PlanError names a bad line."""
    entries = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = without_comment(line)
        if not content:
            continue
        try:
            entries.append(parse_entry(content))
        except ValueError as error:
            raise PlanError(f"line {number}: {error}") from error
    return entries

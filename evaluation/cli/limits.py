"""Parses limits: `--limit cpu=4s --limit memory=512m`."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace

from evaluation.engine.records import Limits

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_LIMITS = {
    "cpu": ("cpu_seconds", float),
    "wall": ("wall_factor", float),
    "memory": ("memory", int),
    "output": ("output", int),
    "pids": ("pids", int),
    "files": ("open_files", int),
}


def limit(text: str) -> tuple[str, float | int]:
    """`cpu=4s`, `memory=512m`, `wall=3` (times the processor time), `output`, `pids`, `files`."""
    found = re.fullmatch(r"(\w+)=(\d+(?:\.\d+)?)([a-z]?)i?b?", text.lower())
    if not found or found[1] not in _LIMITS:
        known = ", ".join(_LIMITS)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not one of {known} with a value, such as cpu=4s"
        )
    field, kind = _LIMITS[found[1]]
    unit = found[3]
    if unit not in ({"", "s"} if kind is float else _UNITS):
        raise argparse.ArgumentTypeError(
            f"{text!r}: the unit {unit!r} does not belong to {found[1]}"
        )
    value = float(found[2]) if kind is float else int(float(found[2]) * _UNITS[unit])
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: a limit must be above zero")
    return field, value


def limited(limits: Limits, given: list[tuple[str, float | int]]) -> Limits:
    return replace(limits, **dict(given))  # type: ignore[arg-type]  # names and types from _LIMITS

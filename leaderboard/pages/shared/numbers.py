"""How scores are rounded and written on pages, tables and charts; files are unrounded. Pure."""

from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from math import isnan

from django.utils.formats import number_format
from django.utils.translation import get_language

# Digits beyond which a number is noise of binary arithmetic: 0.285 * 100 is 28.499999999999996.
EXACT = 9


def nearest(value: float, digits: int) -> Decimal:
    """Rounds half away from zero, as browsers do with the numbers of charts."""
    exact = Decimal(round(value, EXACT))
    return exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP) + 0


def rounded(value: float, digits: int) -> str:
    """Rounds and localises; Django's own formatting truncates."""
    return _rounded(value, digits, get_language())


@lru_cache(maxsize=20_000)
def _rounded(value: float, digits: int, _language: str | None) -> str:
    """Cached: a board writes thousands of numbers, and the same ones for each reader."""
    return number_format(nearest(value, digits), digits)


def per_cent(share: float, digits: int = 1) -> str:
    return rounded(share * 100, digits)


def with_ends(value: float, low: float, high: float, digits: int) -> str | None:
    """Formats as 78.4 (73.2–83.6), without the interval if an end is NaN; None without a value."""
    if isnan(value):
        return None
    return rounded(value, digits) + ends(low, high, digits)


def ends(low: float, high: float, digits: int) -> str:
    if isnan(low) or isnan(high):
        return ""
    return f" ({rounded(low, digits)}–{rounded(high, digits)})"

"""The price of a run."""

from __future__ import annotations

from typing import NamedTuple


class Price(NamedTuple):
    """Prices of a million prompt tokens and a million completion tokens, in any currency."""

    sent: float
    answered: float

    def total(self, tokens_in: int, tokens_out: int) -> float:
        return (self.sent * tokens_in + self.answered * tokens_out) / 1e6

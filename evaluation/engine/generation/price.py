"""The price of a run."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Counted(Protocol):
    @property
    def tokens_in(self) -> int: ...

    @property
    def tokens_out(self) -> int: ...


class Price(NamedTuple):
    """Prices of a million prompt tokens and a million completion tokens, in any currency."""

    sent: float
    answered: float

    def of(self, tally: Counted) -> float:
        return (self.sent * tally.tokens_in + self.answered * tally.tokens_out) / 1e6

"""What a run costs."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Counted(Protocol):
    """As `asking.Tally` has it."""

    @property
    def tokens_in(self) -> int: ...

    @property
    def tokens_out(self) -> int: ...


class Price(NamedTuple):
    """What a million tokens cost, those that are sent and those that are answered, in whichever
    currency."""

    sent: float
    answered: float

    def of(self, tally: Counted) -> float:
        return (self.sent * tally.tokens_in + self.answered * tally.tokens_out) / 1e6

"""Requests to an endpoint, its answers and failures, which of them are retried, and the price.
Imports no HTTP client."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from evaluation.engine.family import Sampling

# Timeout, conflict, too early, too many requests; other refusals below 500 are final.
_TEMPORARY = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class Asked:
    """Parameters of a run's requests. `seconds` is the timeout of one whole answer."""

    url: str
    model: str
    sampling: Sampling
    stream: bool = False
    seconds: float = 600.0
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """`finish` is the reason for the end ("stop", "length", "" if unknown). Tokens are None if the
    endpoint does not count them."""

    text: str
    finish: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None

    @property
    def cut_off(self) -> bool:
        return self.finish == "length"


class Price(NamedTuple):
    """Prices of a million prompt tokens and a million completion tokens, in any currency."""

    sent: float
    answered: float

    def total(self, tokens_in: int, tokens_out: int) -> float:
        return (self.sent * tokens_in + self.answered * tokens_out) / 1e6


class Unanswered(Exception):
    """A failure that may be retried. `after` is Retry-After in seconds, None if missing."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class Refused(Exception):
    """A failure that is not retried. `everything`: every other message would fail too."""

    def __init__(self, reason: str, *, everything: bool = False) -> None:
        super().__init__(reason)
        self.everything = everything


@dataclass(frozen=True, slots=True)
class Patience:
    """`tries` in all, with pauses in seconds that double from `first` up to `most`. A Retry-After
    of more than `longest` seconds ends the tries."""

    tries: int = 8
    first: float = 1.0
    most: float = 60.0
    longest: float = 900.0

    def pause(self, error: Unanswered, tried: int) -> float | None:
        """Seconds until the next try, or None. Half of the pause is random, so that concurrent
        failures are not retried together."""
        if tried >= self.tries or (error.after or 0.0) > self.longest:
            return None
        doubled = min(self.most, self.first * 2.0 ** min(tried - 1, 30))
        seconds = doubled * random.uniform(0.5, 1.0)  # noqa: S311  # not a secret
        return seconds if error.after is None else max(error.after, seconds / 10)


def is_temporary(status: int) -> bool:
    return status in _TEMPORARY or status >= 500


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds from `retry-after-ms` or `Retry-After`; None if missing or malformed."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None

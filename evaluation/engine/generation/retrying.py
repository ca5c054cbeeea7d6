"""What is asked again after it failed, and after which pause."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# Busy, too slow, or out of order; what else is refused would be refused again.
_TEMPORARY = frozenset({408, 409, 425, 429})


class Unanswered(Exception):
    """No answer came this time. `after` are the seconds that the endpoint wants to be left
    alone for; None where it does not say."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class Refused(Exception):
    """The endpoint will not answer this message, however often it is asked. `everything` says
    that it will not answer any other either."""

    def __init__(self, reason: str, *, everything: bool = False) -> None:
        super().__init__(reason)
        self.everything = everything


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a message is sent in all, and how many seconds lie between: twice as many each
    time, from `first` up to `most`. Who is asked to wait longer than `longest` does not."""

    tries: int = 8
    first: float = 1.0
    most: float = 60.0
    longest: float = 900.0

    def pause(self, error: Unanswered, tried: int) -> float | None:
        """The seconds before the next try, the first one having been try 1; None where there
        is none. Random within a half, so that many who failed together do not come back so."""
        if tried >= self.tries or (error.after or 0.0) > self.longest:
            return None
        doubled = min(self.most, self.first * 2.0 ** min(tried - 1, 30))
        own = doubled * random.uniform(0.5, 1.0)  # noqa: S311  # nothing secret hangs on it
        return own if error.after is None else max(error.after, own / 10)


def is_temporary(status: int) -> bool:
    """Whether an answer of this HTTP status may be another one later."""
    return status in _TEMPORARY or status >= 500


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or as a date; None where it is
    missing or says neither."""
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
    """A finite number that is not negative."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 <= found < float("inf") else None

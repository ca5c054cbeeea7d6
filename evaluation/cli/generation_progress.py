"""Progress of a generation run: occasional lines, or one line that is rewritten on a terminal."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.price import Price

LINE_EVERY_SECONDS = 5.0
_ON_A_TERMINAL = 0.5
_TROUBLE = 80


@dataclass
class Progress:
    """Set `by_conversation` if verdicts decide how conversations continue."""

    price: Price | None = None
    by_conversation: bool = False
    _said: float = 0.0

    def show(self, tally: Tally) -> None:
        """Prints the progress, unless it was printed just before."""
        terminal = sys.stderr.isatty()
        said = max(self._said, tally.began)
        if time.monotonic() - said < (_ON_A_TERMINAL if terminal else LINE_EVERY_SECONDS):
            return
        self._said = time.monotonic()
        text = self.line(tally)
        print(f"\r\033[K{text}" if terminal else text, end="" if terminal else "\n",
              file=sys.stderr, flush=True)  # fmt: skip

    def close(self, tally: Tally) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        print(self.line(tally), file=sys.stderr, flush=True)

    def line(self, tally: Tally) -> str:
        """`120 of 973 messages, 3.4 per second, about 4 min left (until 14:32); ...`"""
        seconds = max(time.monotonic() - tally.began, 1e-9)
        pace = tally.answered / seconds
        parts = [self._far(tally), f"{pace:.1f} answers per second"]
        if left := self._left(tally, seconds):
            parts.append(left)
        if tally.again:
            parts.append(f"{tally.again:,} retries (last: {tally.trouble[:_TROUBLE]})")
        if tally.lost:
            parts.append(f"{len(tally.lost):,} without an answer")
        return f"{', '.join(parts)}; {self._tokens(tally)}"

    def _far(self, tally: Tally) -> str:
        answers = tally.answered + tally.kept
        if self.by_conversation:
            return f"{tally.over:,} of {tally.total:,} conversations, {answers:,} answers"
        return f"{answers:,} of {tally.total:,} answers"

    def _left(self, tally: Tally, seconds: float) -> str:
        """The remaining time at the pace so far; "" if unknown."""
        done = tally.over if self.by_conversation else tally.answered
        rest = tally.total - (done if self.by_conversation else done + tally.kept)
        if not done or rest <= 0:
            return ""
        left = rest * seconds / done
        words = f"{round(left)} s" if left < 120 else f"{round(left / 60)} min"
        until = datetime.now().astimezone() + timedelta(seconds=left)
        return f"about {words} left (until {until:%H:%M})"

    def _tokens(self, tally: Tally) -> str:
        text = f"{tally.tokens_in:,} input tokens, {tally.tokens_out:,} output tokens"
        if tally.uncounted:
            text += f" ({tally.uncounted:,} answers without a token count)"
        if self.price is None:
            return text
        cost = self.price.of(tally)
        return f"{text}, cost {cost:,.2f}" if cost >= 1 else f"{text}, cost {cost:.4f}"

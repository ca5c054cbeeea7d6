"""Progress of runs: of judging and of generation."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from evaluation.engine.generation.answers import Price
from evaluation.engine.generation.asking import Tally

if TYPE_CHECKING:
    from tqdm import tqdm

LINE_EVERY_SECONDS = 5.0
_ON_A_TERMINAL_SECONDS = 0.5
_TROUBLE = 80


class Progress:
    """Counts judged cases: a bar on a terminal, occasional lines elsewhere. Thread-safe."""

    def __init__(self, total: int, before: int = 0, unit: str = "generations") -> None:
        self._total, self._done, self._before = total, before, before
        self._lock = threading.Lock()
        self._began = self._said = time.monotonic()
        self._bar: tqdm[Any] | None = None
        if sys.stderr.isatty():
            from tqdm import tqdm  # takes 0.05 s; needed on a terminal only

            self._bar = tqdm(total=total, initial=before, unit=f" {unit}", desc="Judging")
        elif before:
            self._say(f"{before:,} of {total:,} are already in the report.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif kind is None:
            self._say(f"Judged {self._done:,} of {self._total:,}.")

    def one(self) -> None:
        with self._lock:
            # A batch that was judged twice counts once.
            self._done = min(self._done + 1, self._total)
            if self._bar is not None:
                self._bar.update(self._done - self._bar.n)
            elif time.monotonic() - self._said > LINE_EVERY_SECONDS:
                pace = (time.monotonic() - self._began) / (self._done - self._before)
                left = _duration(pace * (self._total - self._done))
                self._say(f"Judged {self._done:,} of {self._total:,}, about {left} left.")

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        print(text, file=sys.stderr, flush=True)


@dataclass
class GenerationProgress:
    """Occasional lines, or one line that is rewritten on a terminal. Set `by_conversation` if
    verdicts decide how conversations continue."""

    price: Price | None = None
    by_conversation: bool = False
    _said: float = 0.0

    def show(self, tally: Tally) -> None:
        """Prints the progress, unless it was printed just before."""
        terminal = sys.stderr.isatty()
        pause = _ON_A_TERMINAL_SECONDS if terminal else LINE_EVERY_SECONDS
        if time.monotonic() - max(self._said, tally.began) < pause:
            return
        self._said = time.monotonic()
        before, after = ("\r\033[K", "") if terminal else ("", "\n")
        print(f"{before}{self.line(tally)}", end=after, file=sys.stderr, flush=True)

    def close(self, tally: Tally) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        print(self.line(tally), file=sys.stderr, flush=True)

    def line(self, tally: Tally) -> str:
        """`120 of 973 messages, 3.4 per second, about 4 min left (until 14:32); ...`"""
        seconds = max(time.monotonic() - tally.began, 1e-9)
        answers = tally.answered + tally.kept
        if self.by_conversation:
            done, rest = tally.over, tally.total - tally.over
            counts = f"{done:,} of {tally.total:,} conversations, {answers:,} answers"
        else:
            done, rest = tally.answered, tally.total - answers
            counts = f"{answers:,} of {tally.total:,} answers"
        parts = [counts, f"{tally.answered / seconds:.1f} answers per second"]
        if done and rest > 0:
            left = rest * seconds / done
            until = datetime.now().astimezone() + timedelta(seconds=left)
            parts.append(f"about {_duration(left)} left (until {until:%H:%M})")
        if tally.again:
            parts.append(f"{tally.again:,} retries (last: {tally.trouble[:_TROUBLE]})")
        if tally.lost:
            parts.append(f"{len(tally.lost):,} without an answer")
        tokens = f"{tally.tokens_in:,} input tokens, {tally.tokens_out:,} output tokens"
        if tally.uncounted:
            tokens += f" ({tally.uncounted:,} answers without a token count)"
        if self.price is not None:
            cost = self.price.total(tally.tokens_in, tally.tokens_out)
            tokens += f", cost {cost:,.{2 if cost >= 1 else 4}f}"
        return f"{', '.join(parts)}; {tokens}"


def _duration(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 120 else f"{round(seconds / 60)} min"

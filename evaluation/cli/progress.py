"""Progress of a run: a bar on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from tqdm import tqdm

LINE_EVERY_SECONDS = 5.0


class Progress:
    """Counts judged cases; thread-safe."""

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
                self._say(f"Judged {self._done:,} of {self._total:,}, {self._left()} left.")

    def _left(self) -> str:
        pace = (time.monotonic() - self._began) / (self._done - self._before)
        seconds = round(pace * (self._total - self._done))
        return f"about {seconds} s" if seconds < 120 else f"about {round(seconds / 60)} min"

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        print(text, file=sys.stderr, flush=True)

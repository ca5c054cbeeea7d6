"""Tests of the lines that report the progress of a generation run."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from evaluation.cli.generation_progress import LINE_EVERY_SECONDS, Progress
from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.price import Price
from evaluation.engine.records import Key


def after(seconds: float, total: int, **more: Any) -> Tally:
    return Tally(total=total, began=time.monotonic() - seconds, **more)


def test_the_line_tells_rate_end_tokens_and_cost() -> None:
    tally = after(60, 100, answered=30, kept=10, tokens_in=2_000_000, tokens_out=500_000)
    line = Progress(Price(2.5, 10)).line(tally)
    assert re.fullmatch(
        r"40 of 100 answers, 0\.5 answers per second, about 2 min left \(until \d\d:\d\d\); "
        r"2,000,000 input tokens, 500,000 output tokens, cost 10\.00",
        line,
    )


def test_what_went_wrong_is_part_of_it() -> None:
    lost = {Key(1, 0): "busy"}
    tally = after(10, 5, again=3, trouble="HTTP 429: busy", lost=lost, uncounted=2)
    assert Progress().line(tally) == (
        "0 of 5 answers, 0.0 answers per second, 3 retries (last: HTTP 429: busy), "
        "1 without an answer; 0 input tokens, 0 output tokens (2 answers without a token count)"
    )


def test_conversations_that_go_on_by_themselves_are_counted_whole() -> None:
    line = Progress(by_conversation=True).line(after(100, 50, over=25, answered=200))
    assert line.startswith("25 of 50 conversations, 200 answers, 2.0 answers per second, about 100")


def test_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.show(after(0, 10, answered=1))
    assert capsys.readouterr().err == ""
    for _ in range(3):
        progress.show(after(LINE_EVERY_SECONDS, 10, answered=2))
    assert capsys.readouterr().err.count("\n") == 1

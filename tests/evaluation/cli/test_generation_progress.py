"""How far a run of generation is, in words."""

from __future__ import annotations

import re
import time

import pytest

from evaluation.cli.generation_progress import LINE_EVERY_SECONDS, Progress
from evaluation.engine.generation.asking import Tally
from evaluation.engine.generation.price import Price
from evaluation.engine.records import Key


def after(seconds: float, total: int, price: Price | None = None, **more: bool) -> Progress:
    progress = Progress(total, price, **more)
    progress._began -= seconds
    progress._said -= seconds
    return progress


def test_the_line_tells_rate_end_tokens_and_cost() -> None:
    tally = Tally(answered=30, kept=10, tokens_in=2_000_000, tokens_out=500_000)
    line = after(60, 100, Price(2.5, 10)).line(tally)
    assert re.fullmatch(
        r"40 of 100 answers, 0\.5 answers per second, about 2 min left \(until \d\d:\d\d\); "
        r"2,000,000 tokens sent, 500,000 answered, cost 10\.00",
        line,
    )


def test_what_went_wrong_is_part_of_it() -> None:
    tally = Tally(again=3, trouble="HTTP 429: busy", lost={Key(1, 0): "busy"}, uncounted=2)
    assert after(10, 5).line(tally) == (
        "0 of 5 answers, 0.0 answers per second, 3 sent again (last: HTTP 429: busy), "
        "1 without an answer; 0 tokens sent, 0 answered (2 answers uncounted)"
    )


def test_conversations_that_go_on_by_themselves_are_counted_whole() -> None:
    progress = after(100, 50, by_conversation=True)
    for _ in range(25):
        progress.conversation(1)
    line = progress.line(Tally(answered=200))
    assert line.startswith("25 of 50 conversations, 200 answers, 2.0 answers per second, about 100")


def test_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(10)
    progress.show(Tally(answered=1))
    assert capsys.readouterr().err == ""
    progress._said = time.monotonic() - LINE_EVERY_SECONDS
    for _ in range(3):
        progress.show(Tally(answered=2))
    assert capsys.readouterr().err.count("\n") == 1

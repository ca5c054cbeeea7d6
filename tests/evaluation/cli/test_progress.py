"""Progress of judging and of generation: plain lines without a terminal, a bar with one."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time
from contextlib import suppress
from typing import Any

import pytest

from evaluation.cli import progress
from evaluation.cli.progress import LINE_EVERY_SECONDS, GenerationProgress, Progress
from evaluation.engine.generation.answers import Price
from evaluation.engine.generation.asking import Tally
from evaluation.engine.records import Key
from tests.evaluation.cli.conftest import Small
from tests.support.commands import ROOT, words


@pytest.mark.docker
def test_on_a_terminal_there_is_a_bar(given: Small) -> None:
    screen, terminal = pty.openpty()
    # 24 rows of 100 columns; a terminal without columns has no room for a bar.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    with subprocess.Popen(
        words(*given.words()), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=terminal
    ) as process:
        os.close(terminal)
        shown = bytearray()
        with suppress(OSError):  # the writer of the terminal is gone
            while data := os.read(screen, 65536):
                shown += data
        os.close(screen)
    assert process.returncode == 0
    assert b"Judging: 100%" in shown and b"4/4" in shown and b"\r" in shown


def test_lines_come_now_and_then_and_say_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY_SECONDS", -1.0)
    with Progress(1200, before=200) as shown:
        shown.one()
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "200 of 1,200 are already in the report."
    assert said[1].startswith("Judged 201 of 1,200, about ")
    assert said[-1] == "Judged 201 of 1,200."


def test_a_batch_that_is_judged_again_does_not_count_beyond_the_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Progress(2) as shown:
        for _ in range(5):
            shown.one()
    assert capsys.readouterr().err == "Judged 2 of 2.\n"


def test_a_run_that_fails_does_not_claim_to_be_done(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), Progress(2):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == ""


def after(seconds: float, total: int, **more: Any) -> Tally:
    return Tally(total=total, began=time.monotonic() - seconds, **more)


def test_the_line_tells_rate_end_tokens_and_cost() -> None:
    tally = after(60, 100, answered=30, kept=10, tokens_in=2_000_000, tokens_out=500_000)
    line = GenerationProgress(Price(2.5, 10)).line(tally)
    assert re.fullmatch(
        r"40 of 100 answers, 0\.5 answers per second, about 2 min left \(until \d\d:\d\d\); "
        r"2,000,000 input tokens, 500,000 output tokens, cost 10\.00",
        line,
    )


def test_what_went_wrong_is_part_of_it() -> None:
    lost = {Key(1, 0): "busy"}
    tally = after(10, 5, again=3, trouble="HTTP 429: busy", lost=lost, uncounted=2)
    assert GenerationProgress().line(tally) == (
        "0 of 5 answers, 0.0 answers per second, 3 retries (last: HTTP 429: busy), "
        "1 without an answer; 0 input tokens, 0 output tokens (2 answers without a token count)"
    )


def test_conversations_that_go_on_by_themselves_are_counted_whole() -> None:
    line = GenerationProgress(by_conversation=True).line(after(100, 50, over=25, answered=200))
    assert line.startswith("25 of 50 conversations, 200 answers, 2.0 answers per second, about 100")


def test_lines_of_a_generation_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    progress = GenerationProgress()
    progress.show(after(0, 10, answered=1))
    assert capsys.readouterr().err == ""
    for _ in range(3):
        progress.show(after(LINE_EVERY_SECONDS, 10, answered=2))
    assert capsys.readouterr().err.count("\n") == 1

"""Plain lines without a terminal, a bar with one."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest

from evaluation.cli import progress
from evaluation.cli.progress import Progress
from tests.evaluation.cli.conftest import Small
from tests.support.commands import ROOT, in_process, words


@pytest.mark.docker
def test_without_a_terminal_there_are_plain_lines(given: Small) -> None:
    said = in_process(*given.words()).err
    assert said.splitlines()[-1] == "Judged 4 of 4."
    assert "\r" not in said
    assert "\x1b" not in said


@pytest.mark.docker
def test_on_a_terminal_there_is_a_bar(given: Small) -> None:
    screen, terminal = pty.openpty()
    # 24 rows of 100 columns; a terminal without columns has no room for a bar.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    with subprocess.Popen(
        words(*given.words()), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=terminal
    ) as process:
        os.close(terminal)
        said = _all_of(screen)
    assert process.returncode == 0
    assert "Judging: 100%" in said
    assert "4/4" in said
    assert "\r" in said


def _all_of(screen: int) -> str:
    shown = bytearray()
    try:
        while data := os.read(screen, 65536):
            shown += data
    except OSError:  # the writer of the terminal is gone
        pass
    os.close(screen)
    return shown.decode()


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

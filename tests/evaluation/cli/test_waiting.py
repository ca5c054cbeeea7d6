"""A command that waits for a slot says so on standard error."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from evaluation.engine.sandbox.slots import Slots, default_folder
from tests.evaluation.cli.conftest import Small
from tests.support.commands import finish, report_lines, start

pytestmark = pytest.mark.docker


def test_a_command_says_for_what_it_waits(
    given: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    held = Slots(tmp_path / default_folder().name)
    number = len(os.sched_getaffinity(0)) + 1
    sentence = f"Waiting for a free slot on this host: {number} of {number} in use.\n"
    with held.alone():
        process = start(*given.words())
        assert process.stderr is not None
        try:
            assert sentence in iter(process.stderr.readline, "")
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    assert finish(process).code == 0
    assert len(report_lines(given.report)) == 4

"""The state directory and its locks."""

import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox.state import machine_lock, state_directory


def test_a_state_directory_that_cannot_be_made_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSAY_STATE_DIR", str(tmp_path / "file" / "below"))
    with pytest.raises(SandboxError, match="file/below cannot be created .* ASSAY_STATE_DIR"):
        state_directory()


def test_a_lock_is_held_by_one_process_and_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSAY_STATE_DIR", str(tmp_path))
    attempt = (
        "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX|fcntl.LOCK_NB)"
    )
    other = [sys.executable, "-c", attempt, str(tmp_path / "test.lock")]
    with machine_lock("test"):
        assert subprocess.run(other, capture_output=True, check=False).returncode == 1
    assert subprocess.run(other, capture_output=True, check=False).returncode == 0

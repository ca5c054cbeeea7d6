"""What pytest loads to tell our runner how tests ended. PYTEST_DONT_REWRITE

For any pytest from 4 on and Python from 3.6 on, beside whatever plugins a project has. The
outcomes are those of pytest's own report statuses, so that plugins and conftests which
change these are heard. It reports on a pipe that lies beside this file: frames (length, JSON),
one when a session begins and one when it has finished.
"""

import fcntl
import json
import os
import struct
from typing import Any

import pytest

_CHANNEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report")
_PREFIX = struct.Struct(">I")
_MESSAGE = 200
# What sessions end with that ran their tests: all passed, some failed, there were none.
_RAN = (0, 1, 5)
_KNOWN = ("failed", "error", "skipped", "xfailed", "xpassed")
# Taken before anything of a candidate's is imported.
_open, _write, _close, _getpid, _dumps = os.open, os.write, os.close, os.getpid, json.dumps
_flock, _UNLOCK = fcntl.flock, fcntl.LOCK_UN


def _send(value: Any) -> None:
    body = _dumps(value).encode("ascii")
    data = _PREFIX.pack(len(body)) + body
    fd = _open(_CHANNEL, os.O_WRONLY)
    try:
        while data:
            data = data[_write(fd, data) :]
    finally:
        _close(fd)


def _message(report: Any) -> str:
    """The first line of what a failure says."""
    try:
        said = report.longrepr
        if isinstance(said, tuple):
            said = said[-1]
        crash = getattr(said, "reprcrash", None)
        text = str((said or "") if crash is None else crash.message).strip()
        return text.splitlines()[0][:_MESSAGE] if text else ""
    except Exception:  # a candidate's exceptions may do anything when they are shown
        return ""


class Recorder:
    """Keeps how each test of one session ended, and tells it when the session is over."""

    def __init__(self, config: Any, lock: int) -> None:
        self._config = config
        self._lock = lock
        self._pid = _getpid()
        self._tests: dict[str, list[str]] = {}
        self._interrupted = False

    def _take(self, name: str, outcome: str, report: Any) -> None:
        known = self._tests.get(name)
        if known is None or known[0] == "passed":
            message = "" if outcome == "passed" else _message(report)
            self._tests[name] = [outcome, message]
        elif outcome != "passed":
            known[0] = outcome

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        status = self._config.hook.pytest_report_teststatus(report=report, config=self._config)
        category = str(status[0])
        if category in _KNOWN:
            self._take(report.nodeid, category, report)
        elif category == "passed":
            if report.when == "call":
                self._take(report.nodeid, category, report)
        elif category and category not in ("subtests passed", "subtests skipped"):
            # A failed part of a test, a test that was tried again: no plain pass.
            self._take(report.nodeid, "failed", report)

    def pytest_keyboard_interrupt(self) -> None:
        self._interrupted = True

    def pytest_internalerror(self) -> None:
        self._interrupted = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        # A process that a test forked and that came back here is not the session.
        if _getpid() != self._pid:
            return
        complete = not self._interrupted and int(exitstatus) in _RAN
        _send({"finished": True, "complete": complete, "tests": self._tests})
        _flock(self._lock, _UNLOCK)
        _close(self._lock)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Before any conftest. One session at a time is heard: those that it starts itself, in
    workers or in tests about pytest, find the lock taken."""
    lock = _open(os.path.abspath(__file__), os.O_RDONLY | os.O_CLOEXEC)
    try:
        _flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        _close(lock)
        return
    _send({"finished": False})
    early_config.pluginmanager.register(Recorder(early_config, lock), "assay-recorder")

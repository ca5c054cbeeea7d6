"""A pytest plugin that reports to our runner how tests ended. PYTEST_DONT_REWRITE

Works with pytest from 4 and Python from 3.6, next to a project's plugins. The outcomes are pytest's
own report statuses, so plugins and conftests that change these have an effect. It writes frames
(length, JSON) to the pipe `report` in the parent folder: one when a session begins, one when it has
finished, one for each audit event, and one for each file of the tests that only the guardian can
read. On the pipe `answer` the runner answers the first one, whether the run is a control, and those
for files with their texts. No environment variable, command line or file contains either."""

import builtins
import fcntl
import json
import os
import struct
import sys
from contextlib import suppress
from typing import Any

import pytest
from _pytest import runner

from . import audit, checks, deciding, importing, places

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

_PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CHANNEL, _ANSWER = os.path.join(_PLACE, "report"), os.path.join(_PLACE, "answer")
_PREFIX = struct.Struct(">I")
_MESSAGE = 200
# Exit statuses of sessions that ran their tests: all passed, some failed, there were none.
_RAN = (0, 1, 5)
_PR_SET_DUMPABLE = 4
_OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
# Categories of reports that are no outcome of a test.
_IGNORED = ("", "subtests passed", "subtests skipped")
# Stored before any module of a candidate's is imported.
_open, _read, _write, _close = os.open, os.read, os.write, os.close
_getpid, _dumps = os.getpid, json.dumps
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


def _answer_to(question: Any) -> Any:
    fd = _open(_ANSWER, os.O_RDONLY | os.O_CLOEXEC)

    def exactly(size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = _read(fd, size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    try:
        # One process at a time: the answers are equal, but their bytes must not mix.
        _flock(fd, fcntl.LOCK_EX)
        _send(question)
        (size,) = _PREFIX.unpack(exactly(_PREFIX.size))
        return json.loads(exactly(size).decode("utf-8", "surrogatepass"))
    finally:
        _close(fd)


def _send_or_ask(value: Any) -> None:
    """Sends an event, or a question, to which it adds the answer."""
    if "source" in value:
        value["answer"] = _answer_to(value)
    else:
        _send(value)


def _message(report: Any) -> str:
    try:
        shown = report.longrepr
        if isinstance(shown, tuple):
            shown = shown[-1]
        crash = getattr(shown, "reprcrash", None)
        text = str((shown or "") if crash is None else crash.message).strip()
        return text.splitlines()[0][:_MESSAGE] if text else ""
    except Exception:  # formatting a candidate's exception may do anything
        return ""


class Recorder:
    """Records how each test of one session ended, and reports it at the end of the session."""

    def __init__(self, config: Any, lock: int) -> None:
        self._config, self._lock, self._pid = config, lock, _getpid()
        self._tests: dict[str, list[str]] = {}
        self._interrupted = False

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        status = self._config.hook.pytest_report_teststatus(report=report, config=self._config)
        category = str(status[0])
        if report.skipped and getattr(report, "context", None) is not None:
            # Part of a test, in any category: the test may pass nonetheless.
            _send({"event": ["skipped part", "", str(report.nodeid), "", 0]})
        if category in _IGNORED or (category == "passed" and report.when != "call"):
            return
        # Others are a failed part of a test, or a test that was retried: not a plain pass.
        outcome = category if category in _OUTCOMES else "failed"
        test = self._tests.get(report.nodeid)
        if test is None or test[0] == "passed":
            message = "" if outcome == "passed" else _message(report)
            self._tests[report.nodeid] = [outcome, message]
        elif outcome != "passed":
            test[0] = outcome

    def pytest_keyboard_interrupt(self) -> None:
        self._interrupted = True

    pytest_internalerror = pytest_keyboard_interrupt

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        # A process that a test forked and that returned to here is not the session.
        if _getpid() != self._pid:
            return
        complete = not self._interrupted and int(exitstatus) in _RAN
        _send({"finished": True, "complete": complete, "tests": self._tests})
        _flock(self._lock, _UNLOCK)
        _close(self._lock)


class _Session:
    """Runs in each process in which tests run: after each test, and at the end."""

    def __init__(self, check: Any, deciders: Any, send: Any) -> None:
        self._check, self._deciders, self._send = check, deciders, send

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        """Removes traces of a failed test from the interpreter, where a program could look."""
        self._check()
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            sys.__dict__.pop(name, None)

    def pytest_sessionfinish(self) -> None:
        self._check()
        for path, name in self._deciders.changes():
            self._send({"event": [deciding.CHANGED, name, path, "", 0]})


def _say_no_name(_item: Any, when: Any) -> None:
    """pytest tells the running test's name in the environment, which subprocesses inherit. Programs
    that only ask whether tests run still find the variable."""
    if when:
        os.environ["PYTEST_CURRENT_TEST"] = f"a test ({when})"
    else:
        os.environ.pop("PYTEST_CURRENT_TEST", None)


class _GoesOn:
    """Lets a control run all tests, although each fails, and print no tracebacks."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: Any) -> None:
        config.option.maxfail = 0
        config.option.tbstyle = "no"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Runs before any conftest. Only the first session reports; sessions that it starts, in tests
    about pytest, find the lock taken. Its workers ask too, since they run its tests."""
    lock = _open(os.path.join(_PLACE, "lock"), os.O_RDONLY | os.O_CLOEXEC)
    try:
        _flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        _close(lock)
        if "PYTEST_XDIST_WORKER" in os.environ and not importing.begun():
            _begin(early_config, _answer_to({"asks": True}))
        return
    watch = _answer_to({"finished": False})
    early_config.pluginmanager.register(Recorder(early_config, lock), "assay-recorder")
    _begin(early_config, watch)


def _begin(config: Any, watch: Any) -> None:
    """`watch` is what the runner answers; None in a run in which no candidate is judged."""
    if watch is None:
        return
    runner.__dict__["_update_current_test_var"] = _say_no_name
    root, patterns = watch["root"], config.getini("python_files")
    if watch["hidden"]:
        # Other processes of this user, such as a child's program, must not read the texts of the
        # tests in this one's memory.
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if watch.get("place"):
        place = watch["place"]
        lines, skeleton = place["lines"], place["skeleton"].encode("utf-8", "surrogateescape")
        text = importing.content_of(os.path.join(root, place["path"]))
        fault = places.fault(text, lines, skeleton, place["placeholder"], place["name"])
        stop = places.stop(text, skeleton)
        for kind, detail in ((places.KIND, fault), (places.UNCOMPILED, stop)):
            if detail is not None:
                _send({"event": [kind, detail, "", place["path"], lines[0]]})
    if watch["control"]:
        config.pluginmanager.register(_GoesOn())
    files = importing.Files(
        root, frozenset(watch["except"]), patterns, watch["of_tests"], watch["hidden"]
    )
    written = {os.path.join(root, path) for path in watch["written"]}
    deciders = deciding.Deciders(lambda path: path in written or audit.is_own(path))
    send = audit.Audit(_send_or_ask, root, _PLACE, files.are_of_tests, watch["pools"]).send
    check = checks.process_check(watch["forks"])
    config.pluginmanager.register(_Session(check, deciders, send))
    importing.begin(files, watch["control"], config, send, deciders, check)
    # A program that looks through all modules does not find these; an import makes other ones.
    for name in [*sys.modules]:
        if name.partition(".")[0] == __name__:
            del sys.modules[name]

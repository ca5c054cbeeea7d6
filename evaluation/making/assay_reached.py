"""A pytest plugin that reports which functions a project's tests enter; copied in for one run.

It adds its own tests after all others, one for each function in question: passed if the function
was entered, else skipped. These results arrive like those of any test, so the code that reports
tests needs no knowledge of this plugin.

Runs on the project's Python, which may be old, and imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# A tool id that neither coverage nor profilers use (sys.monitoring.COVERAGE_ID, PROFILER_ID).
TOOL = 4
_ROOT = Path(__file__).resolve().parent
# File name and first line of each entered code object, as they were when it was compiled.
_entered: set[tuple[str, int]] = set()


def _profile(frame: Any, event: str, _argument: object) -> None:
    if event == "call":
        _entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))


def _started(code: Any, _offset: int) -> object:
    _entered.add((code.co_filename, code.co_firstlineno))
    return _monitoring.DISABLE


_monitoring: Any = getattr(sys, "monitoring", None)


def _watch() -> None:
    """Watches all threads from now on. Python 3.12 and newer report each function only once."""
    if _monitoring is not None:
        _monitoring.use_tool_id(TOOL, "assay")
        _monitoring.register_callback(TOOL, _monitoring.events.PY_START, _started)
        _monitoring.set_events(TOOL, _monitoring.events.PY_START)
    else:
        threading.setprofile(_profile)
        sys.setprofile(_profile)


_watch()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> None:
    # Turns off pytest-xdist: each of its workers would see only a part, in a separate process.
    if getattr(config.option, "numprocesses", None):
        config.option.numprocesses = 0


def pytest_runtest_logstart() -> None:
    # An earlier test may have set its own profiler.
    if _monitoring is None and sys.getprofile() is not _profile:
        sys.setprofile(_profile)


def pytest_unconfigure() -> None:
    # Code that runs while the interpreter shuts down no longer finds its globals.
    if _monitoring is not None:
        _monitoring.free_tool_id(TOOL)
    else:
        sys.setprofile(None)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(session: Any, items: list[Any]) -> Iterator[None]:
    yield
    wanted = json.loads((_ROOT / "assay_reached.json").read_text("utf-8"))
    for number, (path, lines) in enumerate(wanted):
        nodeid = f"assay_reached.py::{number}"
        item = _Entered.from_parent(session, name=str(number), nodeid=nodeid)
        item.places = {(path, line) for line in lines}
        items.append(item)


class _Entered(pytest.Item):
    places: set[tuple[str, int]]

    def runtest(self) -> None:
        if self.places.isdisjoint(_places()):
            pytest.skip("not entered")

    def reportinfo(self) -> tuple[str, int, str]:
        return __file__, 0, self.name


_found: set[tuple[str, int]] = set()


def _places() -> set[tuple[str, int]]:
    """The entered functions as paths in the project and lines; computed at our first test."""
    if not _found:
        entered = _entered.copy()  # it grows during the next lines
        names = {name: _in_project(name) for name, _ in entered}
        _found.update((names[name], line) for name, line in entered)
    return _found


def _in_project(name: str) -> str:
    """The file's path below the project's root; "" for one that is elsewhere."""
    try:
        return (_ROOT / name).resolve().relative_to(_ROOT).as_posix()
    except (ValueError, OSError):
        return ""

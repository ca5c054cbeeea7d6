"""A pytest plugin that is written into a project for one run: which functions do its tests enter?

It answers with tests of its own, added after all others, one for each function that it was asked
about: passed if the function was entered, else skipped. The answers arrive like any test's result,
so the code that reports tests does not know of it.

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

# One that neither coverage nor a profiler takes (sys.monitoring.COVERAGE_ID, PROFILER_ID).
TOOL = 4
_ROOT = Path(__file__).resolve().parent
# File name and first line of each code object that was entered, as they were compiled.
_entered: set[tuple[str, int]] = set()


def _profile(frame: Any, event: str, _argument: object) -> None:
    if event == "call":
        _entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))


def _started(code: Any, _offset: int) -> object:
    _entered.add((code.co_filename, code.co_firstlineno))
    return _monitoring.DISABLE


_monitoring: Any = getattr(sys, "monitoring", None)


def _watch() -> None:
    """From here on, in every thread. Once per function where the Python can do that."""
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
    # pytest-xdist's: its workers would each see a part, in processes of their own.
    if getattr(config.option, "numprocesses", None):
        config.option.numprocesses = 0


def pytest_runtest_logstart() -> None:
    # A test before may have profiled something itself.
    if _monitoring is None and sys.getprofile() is not _profile:
        sys.setprofile(_profile)


def pytest_unconfigure() -> None:
    # Code that runs while the interpreter shuts down finds its globals gone.
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
    """The entered functions, as paths in the project; computed when our first test asks."""
    if not _found:
        entered = _entered.copy()  # which grows while this is worked out
        names = {name: _in_project(name) for name, _ in entered}
        _found.update((names[name], line) for name, line in entered)
    return _found


def _in_project(name: str) -> str:
    """The file's path below the project's root; "" for one that is elsewhere."""
    try:
        return (_ROOT / name).resolve().relative_to(_ROOT).as_posix()
    except (ValueError, OSError):
        return ""

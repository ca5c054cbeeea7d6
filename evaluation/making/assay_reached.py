"""A pytest plugin that reports which functions a project's tests enter; copied in for one run.

It adds its own tests after all others, one for each function in question: passed if the function
was entered, else skipped. These results arrive like those of any test, so the code that reports
tests needs no knowledge of this plugin.

Runs on the project's Python, which may be old, and imports nothing of ours."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from cProfile import Profile
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parent
# One for each thread, the main one first. A profile function in Python would read the code of each
# frame, which is an audit event: the run of a project took fifty times as long, and met its limit.
_profiles: list[Profile] = []
# Functions that threads entered before their profile began.
_first: set[Any] = set()


def _watch_thread(frame: Any, _event: str, _argument: object) -> None:
    _first.add(frame.f_code)
    sys.setprofile(None)
    _watch()


def _watch() -> None:
    _profiles.append(Profile(subcalls=False, builtins=False))
    _enable(_profiles[-1])


def _enable(profile: Profile) -> None:
    with suppress(ValueError):  # since Python 3.12 the first one sees all threads
        profile.enable()


threading.setprofile(_watch_thread)
_watch()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> None:
    # Turns off pytest-xdist: each of its workers would see only a part, in a separate process.
    if getattr(config.option, "numprocesses", None):
        config.option.numprocesses = 0


def pytest_runtest_logstart() -> None:
    # An earlier test may have set its own profiler.
    profiler: Any = sys.getprofile()
    if profiler is not _profiles[0]:
        _enable(_profiles[0])


def pytest_unconfigure() -> None:
    # Code that runs while the interpreter shuts down no longer finds its globals.
    threading.setprofile(None)
    _profiles[0].disable()


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
        codes: set[Any] = {entry.code for profile in _profiles for entry in profile.getstats()}
        for code in codes.union(_first):
            with suppress(ValueError, OSError):
                path = (_ROOT / code.co_filename).resolve().relative_to(_ROOT)
                _found.add((path.as_posix(), code.co_firstlineno))
    return _found

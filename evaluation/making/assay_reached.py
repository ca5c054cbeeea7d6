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
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parent
# File name and first line of each entered code object, as they were when it was compiled.
_entered: set[tuple[str, int]] = set()


def _profile(frame: Any, event: str, _argument: object) -> None:
    if event == "call":
        _entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))


threading.setprofile(_profile)
sys.setprofile(_profile)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> None:
    # Turns off pytest-xdist: each of its workers would see only a part, in a separate process.
    if getattr(config.option, "numprocesses", None):
        config.option.numprocesses = 0


def pytest_runtest_logstart() -> None:
    # An earlier test may have set its own profiler.
    if sys.getprofile() is not _profile:
        sys.setprofile(_profile)


def pytest_unconfigure() -> None:
    # Code that runs while the interpreter shuts down no longer finds its globals.
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
        for name, line in _entered.copy():  # it grows meanwhile
            with suppress(ValueError, OSError):
                path = (_ROOT / name).resolve().relative_to(_ROOT)
                _found.add((path.as_posix(), line))
    return _found

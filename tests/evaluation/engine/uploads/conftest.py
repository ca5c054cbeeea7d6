"""A small benchmark, and a way to put bytes where `check` and `read` find them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.engine.records import Slot, Task
from evaluation.engine.uploads import SlotIndex

Put = Callable[[bytes | str], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(content: bytes | str) -> Path:
        path = tmp_path / "upload"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def index() -> SlotIndex:
    """Tasks 1, 2, 3 and "a.b" with one place each."""
    return SlotIndex.of([Task(name, {}, {}) for name in (1, 2, 3, "a.b")], lambda _: [Slot()])


@pytest.fixture
def requirements() -> SlotIndex:
    """Tasks 1 and 2, each with a required A and B, an optional C."""
    slots = [Slot("A", 1), Slot("B", 2), Slot("C", 3, required=False)]
    return SlotIndex.of([Task(name, {}, {}) for name in (1, 2)], lambda _: slots)

"""A small benchmark, and a way to put bytes where `check` and `read` find them."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from evaluation.engine.records import Slot, Task
from evaluation.engine.uploads import SlotIndex

Put = Callable[[bytes | str], Path]


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def zipped(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


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

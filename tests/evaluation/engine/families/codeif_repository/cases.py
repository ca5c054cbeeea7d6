"""The sample's tasks in a small project that holds what they say of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.engine.families import codeif_repository
from evaluation.engine.families.codeif_repository import dataset
from evaluation.engine.records import Case, Generation, Key, Prepared, Project, Reference, Task

SAMPLE = Path(codeif_repository.__file__).parent / "sample" / "tasks.jsonl"
ITEMS: list[dict[str, Any]] = [json.loads(line) for line in SAMPLE.read_text().splitlines()]
SOURCE = "harbour/tides.py"
TESTS = "tests/test_tides.py"
TREE = {
    "harbour/__init__.py": "",
    SOURCE: '''"""Depths and berths."""

FOOT = 0.3048


def metres(feet):
    """A depth in metres, by the centimetre."""
    return round(feet * 0.3048, 2)


class Berth:
    """A place for one boat; `depth` in metres."""

    def __init__(self, depth):
        self.depth = depth

    def __repr__(self):
        return f"Berth({self.depth})"

    def is_afloat(self, draught):
        """Whether a boat of that draught, in feet, has water under its keel."""
        return metres(draught) < self.depth
''',
    TESTS: """import pytest

from harbour.tides import Berth, metres


def test_metres():
    assert metres(10) == 3.05


class TestBerth:
    def test_is_afloat(self):
        assert Berth(2.0).is_afloat(6)

    def test_is_aground(self):
        assert not Berth(1.5).is_afloat(6)
""",
}


def written(folder: Path, *items: Any, name: str = "tasks.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, items)))
    return path


def sample() -> tuple[Task, ...]:
    return dataset.load_tasks(SAMPLE, None)


def metres() -> Task:
    return sample()[0]


def afloat() -> Task:
    return sample()[1]


def in_image(tree: Mapping[str, str] = TREE) -> Prepared:
    """The project as if it were prepared."""
    project = Project("Sailing/harbour", "", "python", "", withheld=(SOURCE,))
    return Prepared(project, "k", "i", "d", "b", "/workspace/harbour", 1, tree)


def case(
    task: Task,
    text: str,
    setting: str = "base",
    requirement: str | None = None,
    prepared: Prepared | None = None,
    references: Mapping[str, Reference] | None = None,
) -> Case:
    key = Key(task.id, 0, requirement)
    image = prepared or in_image()
    return Case(task, Generation(key, text), setting, prepared=image, references=references or {})

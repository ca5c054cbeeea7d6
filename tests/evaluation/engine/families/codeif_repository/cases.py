"""The first tasks of the sample, and its project."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.engine.families import codeif_repository
from evaluation.engine.families.codeif_repository import dataset
from evaluation.engine.records import Case, Generation, Key, Prepared, Project, Reference, Task
from tests.support.commands import write_lines

SAMPLE = Path(codeif_repository.__file__).parent / "sample" / "tasks.jsonl"
HARBOUR = SAMPLE.parent / "trees" / "Sailing" / "harbour"
# A function and a method, without the rest of the sample.
ITEMS: list[dict[str, Any]] = [json.loads(line) for line in SAMPLE.read_text().splitlines()][:2]
SOURCE = "harbour/tides.py"
TESTS = "tests/test_tides.py"
# The files of the sample's project, in which tests may judge.
TREE = {
    path.relative_to(HARBOUR).as_posix(): path.read_text()
    for path in sorted(HARBOUR.rglob("*.*"))
    if "__pycache__" not in path.parts
}


def written(folder: Path, *items: Any, name: str = "tasks.jsonl") -> Path:
    return write_lines(folder / name, items)


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

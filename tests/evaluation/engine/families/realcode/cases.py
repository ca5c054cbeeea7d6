"""A small file of a project, and the task of one of its methods."""

from pathlib import Path
from typing import Any

from evaluation.engine.families.realcode import FAMILY
from evaluation.engine.records import Prepared, Project, Task
from tests.support.commands import write_lines

FILE = "scales/scale.py"
LEFT = '''"""Kitchen scales."""

from scales.units import grams


class Scale:
    def __init__(self, tare=0):
        self.tare = tare

    def weigh(self, load, unit="g"):'''
GT = '''        """What lies on it, without the tare."""
        if load is None:
            raise ValueError("nothing lies on it")
        return grams(load, unit) - self.tare
'''.rstrip("\n")
RIGHT = """
    def reset(self):
        self.tare = 0
"""
ORIGINAL = f"{LEFT}\n{GT}\n{RIGHT}"


def record(id: Any = 1, **changed: Any) -> dict[str, Any]:
    """A task as in the file. `changed` replaces fields of `meta` and fields of the same name
    elsewhere; a field whose value is `...` is left out."""
    meta = {
        "id": id,
        "repo": "kitchen/scales",
        "base_commit": "0123456789abcdef0123456789abcdef01234567",
        "gt": GT,
        "left_context": LEFT,
        "right_context": RIGHT,
        "image_name": "python:3.11.11-slim-bookworm",
        "build_command": "pip install .; pip install pytest",
        "test_command": "pytest tests",
        "fn": FILE,
        "PASS_TO_PASS": ["tests/test_scale.py::test_weigh"],
        "FAIL_TO_PASS": [],
        "intent": "weigh[function]",
        "intent_type": "function",
    } | changed
    outside = {
        "instruction": changed.get("instruction", "Допиши тело:\n{left_context}"),
        "inputs": changed.get("inputs", {"left_context": meta["left_context"]}),
    }
    meta = {name: v for name, v in meta.items() if v is not ... and name not in outside}
    return {**outside, "outputs": GT, "meta": meta}


def task(tmp_path: Path, **changed: Any) -> Task:
    (loaded,) = FAMILY.load_tasks(write_lines(tmp_path / "one.jsonl", [record(**changed)]), None)
    return loaded


def prepared(project: Project, **texts: str) -> Prepared:
    """The project as if it had been prepared, with its file or with other texts."""
    texts = texts or {FILE: ORIGINAL}
    return Prepared(project, "k", "prepared:k", "d", "python", "/workspace/scales", 1, texts)

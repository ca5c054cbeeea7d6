"""The sample's checkout, copied to be changed, and tasks that need no checkout."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families import aixbench_auto
from evaluation.engine.families.aixbench_auto.dataset import TASKS, load_tasks
from evaluation.engine.families.aixbench_auto.declarations import method_of
from evaluation.engine.records import Task

SAMPLE = Path(aixbench_auto.__file__).parent / "sample"
CHECKOUT = SAMPLE / "checkout"
HOME = "src/main/java/com/aixcode/autoTest"
IMPORTS = ["import java.util.List;", "import java.io.*;"]


def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))


def write_tasks(root: Path, *records: Any) -> None:
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    (root / TASKS).write_text("\n".join(lines), "utf-8")


def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CHECKOUT / TASKS).read_text("utf-8").splitlines()]


def problems(root: Path, answers: Path | None = None) -> list[str]:
    """The problems of a checkout that cannot be loaded."""
    with pytest.raises(BenchmarkError) as raised:
        load_tasks(root, answers)
    return [str(problem) for problem in raised.value.problems]


def task(signature: str = "public static int f(int a)", id: int = 5) -> Task:
    public = {"raw_nl": "", "signature": signature, "entry_point": method_of(signature).name}
    return Task(id, public, {"imports": IMPORTS, "evaluation": "", "kit": ""}, language="java")

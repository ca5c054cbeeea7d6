"""The sample data that lie beside each family: tasks, and predictions of invented models."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import NamedTuple


class Sample(NamedTuple):
    """A file of sample predictions: which invented model's, and in which setting."""

    model: str
    setting: str
    path: Path


def sample_folder(slug: str) -> Path | None:
    """Where a family's own sample data lie, if it has some."""
    folder = Path(str(files("evaluation.engine.families").joinpath(slug, "sample")))
    return folder if sample_tasks(folder).exists() else None


def sample_tasks(folder: Path) -> Path:
    """The tasks among a family's sample data: a file, or the folder of a checkout."""
    file = folder / "tasks.jsonl"
    return file if file.exists() else folder / "checkout"


def sample_answers(folder: Path) -> Path | None:
    """The answers file among a family's sample data, if it has one."""
    file = folder / "answers.jsonl"
    return file if file.exists() else None


def samples(folder: Path) -> list[Sample]:
    """The prediction files of a family: <model>/<setting>.json or .jsonl, gzipped or not."""
    return [
        Sample(path.parent.name, path.name.split(".")[0], path)
        for path in sorted(folder.glob("*/*.json*"))
    ]

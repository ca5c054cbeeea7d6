"""Sample data in each family's folder: tasks, and predictions of invented models."""

import zipfile
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

TREES = "trees"


class Sample(NamedTuple):
    """Predictions of an invented model. `path` is a file, or a folder to upload as one zip."""

    model: str
    setting: str
    path: Path

    def sent_from(self, place: Path) -> Path:
        """Returns the file to upload. Packs a folder into a zip in the directory `place`."""
        if self.path.is_file():
            return self.path
        packed = place / f"{self.model}-{self.setting}.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(self.path.iterdir()):
                archive.write(file, file.name)
        return packed


def sample_folder(slug: str) -> Path | None:
    folder = Path(str(files("evaluation.engine.families").joinpath(slug, "sample")))
    return folder if sample_tasks(folder).exists() else None


def demo_folder(slug: str) -> Path | None:
    """The family's larger set of tasks and predictions for the site's demo, else its sample."""
    larger = Path(str(files("evaluation.engine.families").joinpath(slug, "demo")))
    return larger if larger.is_dir() else sample_folder(slug)


def sample_tasks(folder: Path) -> Path:
    file = folder / "tasks.jsonl"
    return file if file.exists() else folder / "checkout"


def sample_answers(folder: Path) -> Path | None:
    file = folder / "answers.jsonl"
    return file if file.exists() else None


def sample_trees(folder: Path) -> dict[str, Path]:
    """The source trees of the tasks' projects, by the projects' names."""
    trees = folder / TREES
    return {path.relative_to(trees).as_posix(): path for path in sorted(trees.glob("*/*"))}


def samples(folder: Path) -> list[Sample]:
    """Reads <model>/<setting>.json or .jsonl, gzipped or not, or the folder <model>/<setting>."""
    apart = (sample_tasks(folder), folder / TREES)
    folders = (path for path in folder.glob("*/*") if path.is_dir() and path.parent not in apart)
    return [
        Sample(path.parent.name, path.name.split(".")[0], path)
        for path in sorted([*folder.glob("*/*.json*"), *folders])
    ]

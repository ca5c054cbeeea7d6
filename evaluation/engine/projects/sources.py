"""Reads and writes `sources.json`, which is next to a dataset's tasks.

Maps a project's name to its sources and build; a project without an entry is the operator's tree.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any

from evaluation.engine.datasets import Entry, Problems, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Problem

FILE = "sources.json"
# Imported by tests of style, complexity and annotations, besides pytest itself.
REQUIRES = ("radon", "mccabe", "pycodestyle", "pep8", "flake8", "pytest")


@dataclass(frozen=True, slots=True)
class Source:
    """A project's sources and build, as in records.Project; `tag` is informative only."""

    repository: str
    commit: str = ""
    tag: str = ""
    image: str = "python:3.11-slim-bookworm"
    build_command: str = "pip install -e . ; pip install pytest"
    requires: tuple[str, ...] = REQUIRES


def task_entries(path: Path, problems: Problems) -> list[Entry]:
    """The entries of a tasks file, or of a folder's files that hold tasks of projects. Raises
    BenchmarkError if there are none in a folder."""
    if not path.is_dir():
        return read_entries(path, problems)
    files = sorted(p for p in path.iterdir() if p.suffix in (".json", ".jsonl") and p.name != FILE)
    read = [read_entries(file, problems) for file in files]
    of_projects = [
        entries
        for entries in read
        if any(isinstance(e.value, dict) and "project_path" in e.value for e in entries)
    ]
    if not of_projects:
        raise BenchmarkError(f"{path} holds no .json or .jsonl file with tasks of projects.")
    return list(chain(*of_projects))


def read_sources(tasks_path: Path) -> dict[str, Source]:
    """The entries next to the tasks, by project. Raises BenchmarkError as sources_in()."""
    path = (tasks_path if tasks_path.is_dir() else tasks_path.parent) / FILE
    return sources_in(path) if path.exists() else {}


def sources_in(path: Path) -> dict[str, Source]:
    """The entries of the file. Raises BenchmarkError that lists every invalid one."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BenchmarkError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, dict):
        raise BenchmarkError(f"{path} must hold an object with an entry for each project.")
    sources, problems = {}, []
    for project, entry in content.items():
        try:
            sources[project] = _source(project, entry)
        except ValueError as error:
            problems.append(Problem(f"{project}: {error}", member=path.name))
    if problems:
        raise BenchmarkError(problems)
    return sources


def _source(project: str, entry: Any) -> Source:
    if not isinstance(entry, dict):
        raise ValueError("the entry must be an object")
    names = {field.name for field in fields(Source)}
    if unknown := sorted(entry.keys() - names):
        raise ValueError(f"{unknown[0]} is none of {', '.join(sorted(names))}")
    requires = entry.get("requires", [*REQUIRES])
    if not isinstance(requires, list) or not all(isinstance(each, str) for each in requires):
        raise ValueError("requires must be a list of texts")
    for name in names - {"requires"}:
        if not isinstance(entry.get(name, ""), str):
            raise ValueError(f"{name} must be a text")
    if entry.get("commit") and not entry.get("repository"):
        raise ValueError("a commit needs its repository")
    return Source(**{"repository": project, **entry, "requires": tuple(requires)})


def write_sources(path: Path, sources: Mapping[str, Source]) -> None:
    """Replaces the file atomically."""
    entries = {project: asdict(sources[project]) for project in sorted(sources)}
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(json.dumps(entries, indent=2, ensure_ascii=False) + "\n")
    Path(name).chmod(0o644)
    Path(name).replace(path)

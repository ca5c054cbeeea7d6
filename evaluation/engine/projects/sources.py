"""Where a dataset's projects come from, and where its tasks' code and tests lie in their files.

`sources.json`, next to the tasks, maps a project's name to its sources and build; a project without
an entry is the operator's tree.
"""

import io
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

from evaluation.engine.datasets import Entry, Problems, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.instructions import text_of, value_of
from evaluation.engine.lines import write_whole
from evaluation.engine.records import Problem

FILE = "sources.json"
# Imported by tests of style, complexity and annotations, besides pytest itself.
REQUIRES = ("radon", "mccabe", "pycodestyle", "pep8", "flake8", "pytest")
_SHOWN = 60
_FIELDS = (
    "namespace", "project_path", "completion_path", "signature_position", "body_position",
    "code", "tests",
)  # fmt: skip
# A path below the project that is no command-line option, then names, then optional parameters.
_NODE = re.compile(r"(?!/|-|.*(?:^|/)\.\.?/)[^:\[\0\n]+(?:::[^\W\d]\w*)+(?:\[[^\0\n]*\])?")


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
    if not isinstance(requires, list) or not all(isinstance(package, str) for package in requires):
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
    write_whole(path, [json.dumps(entries, indent=2, ensure_ascii=False) + "\n"])


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A task's claim that lines `first`..`last` (from 1) of the file at `path` hold `code`. `body`
    is the line after the signature's last line; `tests` are node ids."""

    task: str
    project: str
    path: str
    first: int
    body: int
    last: int
    code: str
    tests: tuple[str, ...]

    @property
    def signature(self) -> str:
        return "".join(lines_of(self.code)[: self.body - self.first])


def place_of(item: Any) -> SourceSpan:
    """Raises ValueError that names the invalid field."""
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    missing = [name for name in _FIELDS if name not in item]
    if missing:
        raise ValueError(f"the field {missing[0]} is missing")
    project = text_of(item["project_path"], "project_path").strip("/")
    path = text_of(item["completion_path"], "completion_path")
    if not path.startswith(f"{project}/"):
        raise ValueError("completion_path must lie below project_path")
    first, end = _span(item["signature_position"], "signature_position")
    begin, last = _span(item["body_position"], "body_position")
    if not first <= end < begin <= last:
        raise ValueError("body_position must follow signature_position")
    code, task = text_of(item["code"], "code"), text_of(item["namespace"], "namespace")
    if len(_trimmed(code)) != last - first + 1:
        raise ValueError("code must have as many lines as its positions say")
    path, tests = path.removeprefix(f"{project}/"), item["tests"]
    # From a list, one text, or a text that holds a list.
    if isinstance(tests, str) and not tests.lstrip().startswith("["):
        tests = [tests]
    nodes = tuple(node_of(node, "tests") for node in value_of(tests, list, "tests"))
    if not nodes:
        raise ValueError("tests must not be empty")
    return SourceSpan(task, project, path, first, end + 1, last, code, nodes)


class Node(NamedTuple):
    """A pytest node id without parameters: the file, the classes around, the function."""

    path: str
    classes: tuple[str, ...]
    name: str

    @classmethod
    def of(cls, written: str) -> Self:
        path, *classes, name = written.split("[", 1)[0].split("::")
        return cls(path, tuple(classes), name)

    def __str__(self) -> str:
        return "::".join((self.path, *self.classes, self.name))


def node_of(raw: Any, name: str) -> str:
    """A node id, without the quotes of some releases. Raises ValueError."""
    written = text_of(raw, name).strip().strip("'\"").strip()
    if not _NODE.fullmatch(written):
        raise ValueError(f"{name} must be a node id, as tests/test_it.py::test_this")
    return written


def _span(raw: Any, name: str) -> tuple[int, int]:
    span = value_of(raw, list, name)
    if [type(line) for line in span] != [int, int] or not 1 <= span[0] <= span[1]:
        raise ValueError(f"{name} must be two line numbers")
    return span[0], span[1]


def lines_of(text: str) -> list[str]:
    """Lines as Python's tokenizer counts them, unlike str.splitlines; with their ends."""
    return list(io.StringIO(text, newline=""))


def _trimmed(code: str) -> list[str]:
    return [line.rstrip() for line in lines_of(textwrap.dedent(code.rstrip()))]


def difference(text: str, place: SourceSpan) -> str:
    """The first difference between the file and the task's code; "" if there is none.

    Ignores common indentation, line ends and trailing blanks.
    """
    lines = lines_of(text)[place.first - 1 : place.last]
    if len(lines) <= place.last - place.first:
        return f"{place.path} ends before line {place.last}."
    text = textwrap.dedent("\n".join(line.rstrip() for line in lines))
    dedented = [line.rstrip() for line in text.split("\n")]
    pairs = zip(dedented, _trimmed(place.code), strict=True)
    for number, (here, there) in enumerate(pairs, place.first):
        if here != there:
            read = here.strip()[:_SHOWN]
            return f"Line {number} of {place.path} is not what the task's code has: {read!r}."
    return ""

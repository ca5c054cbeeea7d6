"""Reads the files of CodeIF-Bench L-1 part 2, L-2 and L-3: tasks inside projects."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.engine import instructions
from evaluation.engine.datasets import Problems, tasks_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.instructions import BASE, EXTENSION, tests_of, text_of, value_of
from evaluation.engine.projects.locating import SourceSpan, node_of, place_of
from evaluation.engine.projects.sources import Source, read_sources, task_entries
from evaluation.engine.records import Project, Task
from evaluation.engine.uploads.decode import written_out

CATEGORIES = (
    "Input-Output Conditions",
    "Exception Handling",
    "Edge Case Handling",
    EXTENSION,
    "Annotation Coverage",
    "Code Complexity",
    "Code Standard",
    "Context Usage Verification",
    "Context Usage Correctness Verification",
)
NO_NODE = "Neither this revision nor the revision given as its answers says where its test is."


class Test(NamedTuple):
    """A requirement's test: its node id and its text; "" if the file has none."""

    node: str = ""
    text: str = ""


# By task and category.
_Known = Mapping[tuple[str, str], Test]


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """The tasks of a file or folder. The answers are another revision, which supplies the tests
    that the tasks lack. Raises BenchmarkError naming every invalid entry."""
    tasks = _tasks(tasks_path, answers_path)
    _require_nodes(tasks, answers_path)
    return tasks


def load_questions(tasks_path: Path) -> tuple[Task, ...]:
    """Accepts tasks without tests. Raises BenchmarkError naming every invalid entry."""
    return _tasks(tasks_path, None)


def _tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    problems = Problems()
    entries = task_entries(tasks_path, problems)
    known = _known(answers_path, problems) if answers_path is not None else {}
    sources = read_sources(tasks_path)
    parse = partial(_task, known=known, sources=sources)
    return tasks_of(
        entries,
        problems,
        lambda entry: problems.attempt(entry, _named(entry.value), parse, entry.value),
        twice="this namespace appears twice in the files",
    )


def _named(item: Any) -> str | None:
    found = item.get("namespace") if isinstance(item, dict) else None
    return found if isinstance(found, str) else None


def _known(path: Path, problems: Problems) -> dict[tuple[str, str], Test]:
    known: dict[tuple[str, str], Test] = {}
    for entry in task_entries(path, problems):
        name = _named(entry.value)
        if name is None or "requirements" not in entry.value:
            problems.add(entry, "it has no namespace or no requirements", name)
            continue
        found = problems.attempt(entry, name, _tests, entry.value["requirements"])
        known |= {(name, category): test for category, test in (found or {}).items()}
    return known


def _tests(requirements: Any) -> dict[str, Test]:
    contents = instructions.contents_of(requirements)
    unknown = sorted(set(contents) - set(CATEGORIES))
    if unknown:
        raise ValueError(f"{unknown[0]} is none of the categories {', '.join(CATEGORIES)}")
    return {name: _test(name, content) for name, content in contents.items()}


def _test(name: str, content: Mapping[str, Any]) -> Test:
    node, text = content.get("test"), content.get("unit_test")
    return Test(
        node_of(node, f"{name}: test") if node else "",
        written_out(tests_of(text, f"{name}: unit_test")) if text else "",
    )


def _task(item: Any, known: _Known, sources: Mapping[str, Source]) -> Task:
    place = place_of(item)
    if "requirements" not in item:
        raise ValueError("the field requirements is missing")
    contents = instructions.contents_of(item["requirements"])
    tests = _tests(contents)
    for name, test in tests.items():
        other = known.get((place.task, name), Test())
        tests[name] = Test(test.node or other.node, test.text or other.text)
    source = sources.get(place.project, Source(place.project))
    return Task(
        id=place.task,
        public={
            "prompt": text_of(item.get("prompt", ""), "prompt"),
            "kind": text_of(item.get("type", ""), "type"),
            "project": place.project,
            "path": place.path,
            "signature": place.signature,
            "requirement": value_of(item.get("requirement", {}), dict, "requirement"),
            "dependency": value_of(item.get("dependency", {}), dict, "dependency"),
            "requirements": _sentences(contents),
            "turns": list(instructions.turns_of(item.get("multi-turn"), contents)),
            "unsound": {name: NO_NODE for name, test in tests.items() if not test.node},
            "source": {**asdict(source), "requires": list(source.requires)},
            **_contexts(item),
        },
        hidden={
            "code": place.code,
            "lines": [place.first, place.body, place.last],
            "tests": list(place.tests),
            "nodes": {name: test.node for name, test in tests.items() if test.node},
            "unit_tests": {name: test.text for name, test in tests.items() if test.text},
        },
        language="python",
        natural_language="en",
        level=_level(item),
        domain=place.project.rpartition("/")[0] or None,
    )


def _sentences(contents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    found = {}
    for name, content in contents.items():
        if "requirement" not in content:
            raise ValueError(f"{name} lacks its requirement")
        found[name] = text_of(content["requirement"], f"{name}: requirement")
    return found


def _contexts(item: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("context", "intra_context"):
        if name in item:
            found[name] = written_out(text_of(item[name], name))
    if "cross_context" in item:
        if not isinstance(item["cross_context"], str | list):
            raise ValueError("cross_context must be a text or a list")
        found["cross_context"] = _storable(item["cross_context"])
    return found


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {written_out(name): _storable(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_storable(one) for one in value]
    return written_out(value) if isinstance(value, str) else value


def _level(item: Mapping[str, Any]) -> str:
    if "cross_context" in item:
        return "L-3"
    return "L-2" if "context" in item else "L-1"


def _require_nodes(tasks: Iterable[Task], answers_path: Path | None) -> None:
    """Raises BenchmarkError."""
    bare = [task for task in tasks if task.public["requirements"] and not task.hidden["nodes"]]
    if answers_path is None and bare:
        raise BenchmarkError(
            f"{len(bare)} tasks, {bare[0].id} first, do not say where the tests of their "
            "requirements are: give a revision that does so as the answers."
        )


def place(task: Task) -> SourceSpan:
    first, body, last = task.hidden["lines"]
    return SourceSpan(
        task=str(task.id),
        project=task.public["project"],
        path=task.public["path"],
        first=first,
        body=body,
        last=last,
        code=task.hidden["code"],
        tests=tuple(task.hidden["tests"]),
    )


def project(task: Task) -> Project:
    """The task's project as `sources.json` describes it, else the operator's own tree."""
    source = task.public["source"]
    return Project(
        repository=source["repository"],
        commit=source["commit"],
        image=source["image"],
        build_command=source["build_command"],
        test_commands=(command(task, BASE, ""),),
        withheld=(task.public["path"],),
        requires=tuple(source["requires"]),
    )


def nodes(task: Task, setting: str, requirement: str) -> tuple[str, ...]:
    """Node ids of the tests that have to pass. Without a setting: the tests of the named
    requirement only, or the task's own."""
    names = (
        instructions.counted(task, setting, requirement or None)
        if setting
        else (requirement or None,)
    )
    found: dict[str, None] = {}
    for name in names:
        found |= dict.fromkeys(_nodes(task, name))
    return tuple(found)


def _nodes(task: Task, name: str | None) -> list[str]:
    if name is None:
        return list(task.hidden["tests"])
    node = task.hidden["nodes"].get(name)
    return [node] if node else []


def command(task: Task, setting: str, requirement: str) -> str:
    """Node ids are relative to the tree's root, not to pytest's settings."""
    return shlex.join(
        ["python3", "-m", "pytest", "--rootdir=.", *nodes(task, setting, requirement)]
    )

"""Reads the files of CodeIF-Bench L-1 part 2, L-2 and L-3: tasks inside projects."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.engine import instructions
from evaluation.engine.datasets import Problems, parsed
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.instructions import BASE, EXTENSION, tests_of, text_of, value_of
from evaluation.engine.projects.sources import (
    Source,
    SourceSpan,
    node_of,
    place_of,
    read_sources,
    task_entries,
)
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


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """The tasks of a file or folder. The answers are another revision, which supplies the tests
    that the tasks lack. Raises BenchmarkError naming every invalid entry."""
    tasks = tasks_in(tasks_path, answers_path)
    bare = [task for task in tasks if task.public["requirements"] and not task.hidden["nodes"]]
    if answers_path is None and bare:
        raise BenchmarkError(
            f"{len(bare)} tasks, {bare[0].id} first, do not say where the tests of their "
            "requirements are: give a revision that does so as the answers."
        )
    return tasks


def tasks_in(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Accepts tasks without tests. Raises BenchmarkError naming every invalid entry."""
    problems = Problems()
    entries = task_entries(tasks_path, problems)
    # By task and category.
    answers: dict[tuple[str, str], Test] = {}
    for entry in task_entries(answers_path, problems) if answers_path is not None else ():
        name = _namespace(entry.value)
        if name is None or "requirements" not in entry.value:
            problems.add(entry, "it has no namespace or no requirements", name)
            continue
        by_category = problems.attempt(entry, name, _tests, entry.value["requirements"]) or {}
        answers |= {(name, category): test for category, test in by_category.items()}
    parse = partial(_task, answers=answers, sources=read_sources(tasks_path))
    return parsed(entries, problems, parse, _namespace, "this namespace appears twice in the files")


def _namespace(item: Any) -> str | None:
    name = item.get("namespace") if isinstance(item, dict) else None
    return name if isinstance(name, str) else None


def _tests(requirements: Any) -> dict[str, Test]:
    contents = instructions.contents_of(requirements)
    unknown = sorted(set(contents) - set(CATEGORIES))
    if unknown:
        raise ValueError(f"{unknown[0]} is none of the categories {', '.join(CATEGORIES)}")
    tests = {}
    for name, content in contents.items():
        node, text = content.get("test"), content.get("unit_test")
        tests[name] = Test(
            node_of(node, f"{name}: test") if node else "",
            written_out(tests_of(text, f"{name}: unit_test")) if text else "",
        )
    return tests


def _task(
    item: Any, answers: Mapping[tuple[str, str], Test], sources: Mapping[str, Source]
) -> Task:
    place = place_of(item)
    if "requirements" not in item:
        raise ValueError("the field requirements is missing")
    contents = instructions.contents_of(item["requirements"])
    tests = _tests(contents)
    for name, test in tests.items():
        other = answers.get((place.task, name), Test())
        tests[name] = Test(test.node or other.node, test.text or other.text)
    sentences = {}
    for name, content in contents.items():
        if "requirement" not in content:
            raise ValueError(f"{name} lacks its requirement")
        sentences[name] = text_of(content["requirement"], f"{name}: requirement")
    contexts: dict[str, Any] = {
        name: written_out(text_of(item[name], name))
        for name in ("context", "intra_context")
        if name in item
    }
    if "cross_context" in item:
        if not isinstance(item["cross_context"], str | list):
            raise ValueError("cross_context must be a text or a list")
        contexts["cross_context"] = _storable(item["cross_context"])
    source = sources.get(place.project, Source(place.project))
    level = "L-3" if "cross_context" in item else "L-2" if "context" in item else "L-1"
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
            "requirements": sentences,
            "turns": list(instructions.turns_of(item.get("multi-turn"), contents)),
            "unsound": {name: NO_NODE for name, test in tests.items() if not test.node},
            "source": {**asdict(source), "requires": list(source.requires)},
            **contexts,
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
        level=level,
        domain=place.project.rpartition("/")[0] or None,
    )


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {written_out(name): _storable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return written_out(value) if isinstance(value, str) else value


def place(task: Task) -> SourceSpan:
    first, body, last = task.hidden["lines"]
    project, path = task.public["project"], task.public["path"]
    code, tests = task.hidden["code"], tuple(task.hidden["tests"])
    return SourceSpan(str(task.id), project, path, first, body, last, code, tests)


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
    names: tuple[str | None, ...] = (requirement or None,)
    if setting:
        names = instructions.counted(task, setting, requirement or None)
    ids: dict[str, None] = {}
    for name in names:
        of_name = task.hidden["tests"] if name is None else [task.hidden["nodes"].get(name)]
        ids |= dict.fromkeys(filter(None, of_name))
    return tuple(ids)


def command(task: Task, setting: str, requirement: str) -> str:
    """Node ids are relative to the tree's root, not to pytest's settings."""
    ids = nodes(task, setting, requirement)
    return shlex.join(["python3", "-m", "pytest", "--rootdir=.", *ids])

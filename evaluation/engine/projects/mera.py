"""MERA's tasks inside real projects: a repository's file without one function's body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from evaluation.engine.datasets import Entry, Problems, any_text, read_entries, task_id, tasks_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import References
from evaluation.engine.projects import mera_fields as fields
from evaluation.engine.projects.suite import DRY_RUN
from evaluation.engine.records import Json, Outcome, Prepared, Project, Reference, Task

# Our field name -> (its name in the file, parser). A parser takes name and value, and raises
# ValueError.
_Parsers: TypeAlias = Mapping[str, tuple[str, Callable[[str, Any], Any]]]


@dataclass(frozen=True, slots=True)
class Form:
    """The differences between the benchmarks' files. `path`: the field in `meta` that holds the
    path of the file."""

    language: str
    path: str
    stub: bool = False

    @property
    def public(self) -> _Parsers:
        return {
            "instruction": ("instruction", fields.text),
            "left_context": ("inputs.left_context", fields.text),
            "entry_point": ("meta.intent", fields.bare_name),
            "intent_type": ("meta.intent_type", fields.text),
            "repository": ("meta.repo", fields.repository),
            "commit": ("meta.base_commit", fields.commit),
            "path": (f"meta.{self.path}", fields.file_path),
            "image": ("meta.image_name", fields.image),
            "build_command": ("meta.build_command", fields.command),
            "test_command": ("meta.test_command", fields.text),
        }

    @property
    def hidden(self) -> _Parsers:
        own: _Parsers = {"stub": ("meta.stub", fields.code)} if self.stub else {}
        return {
            "left_context": ("meta.left_context", fields.text),
            "gt": ("meta.gt", fields.code),
            "right_context": ("meta.right_context", any_text),
            "pass_to_pass": ("meta.PASS_TO_PASS", fields.names),
            **own,
        }


def load_tasks(form: Form, tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError with all problems of the file."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its tasks hold them.")
    problems = Problems()
    return tasks_of(
        read_entries(tasks_path, problems),
        problems,
        lambda entry: _task(form, entry, problems),
        twice="the id appears a second time",
    )


def _task(form: Form, entry: Entry, problems: Problems) -> Task | None:
    before = len(problems.found)
    record = _mapping(entry.value)
    # By dotted name. `inputs` has the left context of prompts, `meta` the judged one; if one is
    # missing, the other replaces it.
    values = dict(record)
    for part in ("inputs", "meta"):
        values |= {f"{part}.{name}": value for name, value in _mapping(record.get(part)).items()}
    shown, judged = "inputs.left_context", "meta.left_context"
    values.setdefault(shown, values.get(judged))
    values.setdefault(judged, values.get(shown))
    id = problems.attempt(entry, None, task_id, values.get("meta.id"))

    def parsed(parsers: _Parsers) -> dict[str, Any]:
        return {
            name: problems.attempt(entry, id, partial(parse, source), values.get(source))
            for name, (source, parse) in parsers.items()
        }

    public, hidden = parsed(form.public), parsed(form.hidden)
    if id is None or len(problems.found) > before:
        return None
    return Task(
        id,
        public,
        hidden,
        language=form.language,
        natural_language="ru",
        domain=public["repository"],
        category=public["intent_type"],
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def project_of(task: Task, report: str) -> Project:
    public = task.public
    return Project(
        repository=public["repository"],
        commit=public["commit"],
        image=public["image"],
        build_command=public["build_command"],
        test_commands=(public["test_command"],),
        withheld=(public["path"],),
        report=report,
    )


def unfit(task: Task, prepared: Prepared, whole: str) -> str:
    """The reason why the task does not fit the project's file; "" if it does.

    The comparison with `whole` ignores blank lines, trailing blanks and line ends, because the
    contexts lost some of them when the body was cut out.
    """
    path = task.public["path"]
    if path not in prepared.texts:
        return f"{path} is not among the project's text files"
    original = _plain(prepared.texts[path])
    for name in ("left_context", "right_context"):
        if _plain(task.hidden[name]).rstrip("\n") not in original:
            return f"{path} does not hold the task's {name}"
    there = [(n, line.rstrip()) for n, line in enumerate(original.split("\n"), 1) if line.strip()]
    made = [line.rstrip() for line in _plain(whole).split("\n") if line.strip()]
    for (number, text), line in zip_longest(there, made, fillvalue=(0, "")):
        if not number:
            return f"contexts and reference body hold more than {path} does"
        if text != line:
            return f"contexts and reference body differ from {path} in its line {number}"
    return ""


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def recording(references: References) -> References:
    """Adds differences from the authors' PASS_TO_PASS, which does not affect judging."""

    def judge(
        task: Task, prepared: Prepared, known: Mapping[str, Reference], name: str, outcome: Outcome
    ) -> Reference:
        reference = references.judge(task, prepared, known, name, outcome)
        if name != DRY_RUN:
            return reference
        recorded, here = set(task.hidden["pass_to_pass"]), set(reference.passed)
        differences: dict[str, Json] = {
            "passed_only_in_the_record": [*sorted(recorded - here)],
            "passed_only_here": [*sorted(here - recorded)],
        }
        return replace(reference, facts={**reference.facts, **differences})

    return replace(references, judge=judge)

"""MERA's tasks inside real projects: a repository's file without one function's body."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from evaluation.engine import datasets
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Prepared, Project, Task

# A parser of a field takes the field's name and value, and raises ValueError. Names that reach a
# shell, git or a file system are checked for unsafe values.
_Parser: TypeAlias = Callable[[str, Any], Any]
# Neither a command-line option nor a way out of the folder.
_PART = r"(?!-|\.{1,2}(?:/|\Z))[\w.-]+"


def _text(name: str, value: Any) -> str:
    if not datasets.any_text(name, value):
        raise ValueError(f"{name} is empty")
    return str(value)


def _code(name: str, value: Any) -> str:
    if not datasets.any_text(name, value).strip():
        raise ValueError(f"{name} holds no code")
    return str(value)


def _matching(pattern: str, kind: str) -> _Parser:
    def parse(name: str, value: Any) -> str:
        if not re.fullmatch(pattern, _text(name, value), re.ASCII):
            raise ValueError(f"{name} is not the name of {kind}")
        return str(value)

    return parse


def _bare_name(name: str, value: Any) -> str:
    bare = _text(name, value).partition("[")[0].strip()
    if not bare:
        raise ValueError(f"{name} names nothing")
    return bare


def _commit(name: str, value: Any) -> str:
    """A hash in lower case; "" if the sources are an operator's tree."""
    commit = datasets.any_text(name, value).lower()
    if not re.fullmatch("[0-9a-f]{7,64}|", commit):
        raise ValueError(f"{name} is not the hash of a commit")
    return commit


def _file_path(name: str, value: Any) -> str:
    path = _text(name, value).removeprefix("./")
    if {"", ".", "..", ".git"} & set(path.split("/")):
        raise ValueError(f"{name} is not the path of a file in the repository")
    return path


def _names(name: str, value: Any) -> list[str]:
    """A list of texts, or a text that holds one in JSON or as a Python literal; [] for none."""
    items = [] if value in (None, "") else value
    if isinstance(items, str):
        try:
            items = datasets.literal(items)
        except ValueError:
            raise ValueError(f"{name} is a text but neither JSON nor a literal") from None
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise ValueError(f"{name} is not a list of texts")
    return list(items)


# By our name of a field: its name in the file, and its parser.
_PUBLIC: Mapping[str, tuple[str, _Parser]] = {
    "instruction": ("instruction", _text),
    "left_context": ("inputs.left_context", _text),
    "entry_point": ("meta.intent", _bare_name),
    "intent_type": ("meta.intent_type", _text),
    # "owner/name", or the path of an operator's source tree.
    "repository": ("meta.repo", _matching(rf"{_PART}(?:/{_PART})*", "a repository")),
    "commit": ("meta.base_commit", _commit),
    "image": ("meta.image_name", _matching(r"[A-Za-z0-9][\w.:/@-]*", "an image")),
    "build_command": (
        "meta.build_command",
        lambda name, value: "" if value is None else datasets.any_text(name, value),
    ),
    "test_command": ("meta.test_command", _text),
}
_HIDDEN: Mapping[str, tuple[str, _Parser]] = {
    "left_context": ("meta.left_context", _text),
    "gt": ("meta.gt", _code),
    "right_context": ("meta.right_context", datasets.any_text),
    "pass_to_pass": ("meta.PASS_TO_PASS", _names),
}


class Form(NamedTuple):
    """The differences between the benchmarks' files. `path`: the field in `meta` that holds the
    path of the file."""

    language: str
    path: str
    stub: bool = False


def load_tasks(form: Form, tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError with all problems of the file."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its tasks hold them.")
    problems = datasets.Problems()
    public_fields = {**_PUBLIC, "path": (f"meta.{form.path}", _file_path)}
    hidden_fields = {**_HIDDEN, **({"stub": ("meta.stub", _code)} if form.stub else {})}

    def task(entry: datasets.Entry) -> Task | None:
        before = len(problems.found)
        # By dotted name. `inputs` has the left context of prompts, `meta` the judged one; if one is
        # missing, the other replaces it.
        values = datasets.mapping(entry.value)
        for part in ("inputs", "meta"):
            inner = datasets.mapping(values.get(part))
            values |= {f"{part}.{name}": value for name, value in inner.items()}
        shown, judged = "inputs.left_context", "meta.left_context"
        values.setdefault(shown, values.get(judged))
        values.setdefault(judged, values.get(shown))
        id = problems.attempt(entry, None, datasets.task_id, values.get("meta.id"))

        def parsed(fields: Mapping[str, tuple[str, _Parser]]) -> dict[str, Any]:
            return {
                name: problems.attempt(entry, id, partial(parse, source), values.get(source))
                for name, (source, parse) in fields.items()
            }

        public, hidden = parsed(public_fields), parsed(hidden_fields)
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

    entries = datasets.read_entries(tasks_path, problems)
    return datasets.tasks_of(entries, problems, task, twice="the id appears a second time")


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

    def plain(text: str) -> str:
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")

    path = task.public["path"]
    if path not in prepared.texts:
        return f"{path} is not among the project's text files"
    original = plain(prepared.texts[path])
    for name in ("left_context", "right_context"):
        if plain(task.hidden[name]).rstrip("\n") not in original:
            return f"{path} does not hold the task's {name}"
    there = [(n, line.rstrip()) for n, line in enumerate(original.split("\n"), 1) if line.strip()]
    made = [line.rstrip() for line in plain(whole).split("\n") if line.strip()]
    for (number, text), line in zip_longest(there, made, fillvalue=(0, "")):
        if not number:
            return f"contexts and reference body hold more than {path} does"
        if text != line:
            return f"contexts and reference body differ from {path} in its line {number}"
    return ""

"""Tests of the reader that RealCode and RealCodeJava share, on RealCode's files."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.realcode import FAMILY, joined
from evaluation.engine.projects import mera
from evaluation.engine.records import Project, Task
from tests.evaluation.engine.families.realcode import cases
from tests.evaluation.engine.families.realcode.cases import record
from tests.support.commands import write_lines


def load(tmp_path: Path, *records: Any) -> tuple[Task, ...]:
    return FAMILY.load_tasks(write_lines(tmp_path / "tasks.jsonl", records), None)


def problems(tmp_path: Path, *records: Any) -> list[str]:
    with pytest.raises(BenchmarkError) as caught:
        load(tmp_path, *records)
    return [str(problem) for problem in caught.value.problems]


def test_answers_and_what_surrounds_them_are_hidden(tmp_path: Path) -> None:
    (task,) = load(tmp_path, record())
    shown = json.dumps(task.public, ensure_ascii=False)
    for hidden in (cases.GT, cases.RIGHT, "test_scale.py"):
        assert json.dumps(hidden, ensure_ascii=False)[1:-1] not in shown
    assert task.hidden == {
        "left_context": cases.LEFT,
        "gt": cases.GT,
        "right_context": cases.RIGHT,
        "pass_to_pass": ["tests/test_scale.py::test_weigh"],
    }


def test_a_task_is_sliced_by_its_repository_and_by_what_was_cut_out(tmp_path: Path) -> None:
    (task,) = load(tmp_path, record())
    assert (task.domain, task.category) == ("kitchen/scales", "function")
    assert (task.language, task.natural_language) == ("python", "ru")


def test_the_project_withholds_the_file_under_test(tmp_path: Path) -> None:
    (task,) = load(tmp_path, record(fn=f"./{cases.FILE}", base_commit="0123456789ABCDEF"))
    assert mera.project_of(task, "pytest") == Project(
        "kitchen/scales",
        "0123456789abcdef",
        "python:3.11.11-slim-bookworm",
        "pip install .; pip install pytest",
        test_commands=("pytest tests",),
        withheld=(cases.FILE,),
    )


@pytest.mark.parametrize(
    ("written", "tests"),
    [
        (["a", "b"], ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("('a', 'b')", ["a", "b"]),
        ("", []),
        (..., []),
    ],
)
def test_lists_come_as_lists_and_as_texts_that_hold_one(
    tmp_path: Path, written: object, tests: list[str]
) -> None:
    (task,) = load(tmp_path, record(PASS_TO_PASS=written))
    assert task.hidden["pass_to_pass"] == tests


@pytest.mark.parametrize(
    ("intent", "name"), [("weigh[function]", "weigh"), ("weigh", "weigh"), ("a.b[x[0]]", "a.b")]
)
def test_the_function_is_called_by_its_bare_name(tmp_path: Path, intent: str, name: str) -> None:
    (task,) = load(tmp_path, record(intent=intent))
    assert task.public["entry_point"] == name


@pytest.mark.parametrize(
    "changed", [{"inputs": {}}, {"left_context": ..., "inputs": {"left_context": cases.LEFT}}]
)
def test_one_left_context_stands_for_the_other(tmp_path: Path, changed: dict[str, Any]) -> None:
    (task,) = load(tmp_path, record(**changed))
    assert task.public["left_context"] == task.hidden["left_context"] == cases.LEFT


def test_what_a_model_sees_may_be_less_than_what_its_answer_stands_behind(tmp_path: Path) -> None:
    (task,) = load(tmp_path, record(inputs={"left_context": "    def weigh(self):"}))
    assert task.public["left_context"] == "    def weigh(self):"
    assert task.hidden["left_context"] == cases.LEFT


def test_a_build_command_may_be_missing(tmp_path: Path) -> None:
    (task,) = load(tmp_path, record(build_command=...))
    assert task.public["build_command"] == ""


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"id": True}, "the id is missing"),
        ({"gt": " \n"}, "meta.gt holds no code"),
        ({"right_context": None}, "meta.right_context is missing or not a text"),
        (
            {"right_context": "\0"},
            "meta.right_context contains a character that a text file cannot have",
        ),
        ({"test_command": ""}, "meta.test_command is empty"),
        ({"repo": "https://host/a/b"}, "meta.repo is not the name of a repository"),
        ({"repo": "--upload-pack=x/b"}, "meta.repo is not the name of a repository"),
        ({"base_commit": "main"}, "meta.base_commit is not the hash of a commit"),
        ({"image_name": "-v /:/host x"}, "meta.image_name is not the name of an image"),
        ({"fn": "/etc/passwd"}, "meta.fn is not the path of a file in the repository"),
        ({"fn": ".git/config"}, "meta.fn is not the path of a file in the repository"),
        ({"PASS_TO_PASS": "[f()]"}, "meta.PASS_TO_PASS is a text but neither JSON nor a literal"),
        ({"PASS_TO_PASS": {"a": 1}}, "meta.PASS_TO_PASS is not a list of texts"),
        ({"intent": "[function]"}, "meta.intent names nothing"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    (found,) = problems(tmp_path, record(**changed))
    assert says in found


def test_every_problem_is_told_with_its_line_and_id(tmp_path: Path) -> None:
    assert problems(tmp_path, record(1, gt="", fn=""), record(2), record(2)) == [
        "tasks.jsonl, line 1, task 1: meta.fn is empty",
        "tasks.jsonl, line 1, task 1: meta.gt holds no code",
        "tasks.jsonl, line 3, task 2: the id appears a second time",
    ]


def unfit(tmp_path: Path, original: str, **changed: Any) -> str:
    task = cases.task(tmp_path, **changed)
    whole = joined(task.hidden["left_context"], task.hidden["gt"], task.hidden["right_context"])
    return mera.unfit(
        task, cases.prepared(mera.project_of(task, "pytest"), **{cases.FILE: original}), whole
    )


@pytest.mark.parametrize(
    "original",
    [
        cases.ORIGINAL,
        cases.ORIGINAL.rstrip("\n"),
        cases.ORIGINAL.replace("\n", "\r\n"),
        "\ufeff" + cases.ORIGINAL,
        cases.ORIGINAL.replace(cases.GT, cases.GT + "  \n\n"),
    ],
    ids=["equal", "no end", "other line ends", "with a mark", "blank lines lost"],
)
def test_a_task_fits_the_file_that_it_was_cut_out_of(tmp_path: Path, original: str) -> None:
    assert unfit(tmp_path, original) == ""


@pytest.mark.parametrize(
    ("original", "says"),
    [
        (cases.ORIGINAL.replace("Kitchen", "Other"), "does not hold the task's left_context"),
        (cases.ORIGINAL.replace("reset", "clear"), "does not hold the task's right_context"),
        (cases.ORIGINAL.replace("None", "0"), "differ from scales/scale.py in its line 12"),
        (cases.ORIGINAL + "\nX = 1\n", "differ from scales/scale.py in its line 19"),
        ("# old\n" + cases.ORIGINAL, "differ from scales/scale.py in its line 1"),
        (cases.LEFT + cases.RIGHT, "differ from scales/scale.py in its line 11"),
    ],
    ids=["left", "right", "body", "more behind", "more before", "no body"],
)
def test_what_does_not_fit_is_said(tmp_path: Path, original: str, says: str) -> None:
    assert says in unfit(tmp_path, original)


def test_contexts_may_not_hold_more_than_the_file(tmp_path: Path) -> None:
    last_line = cases.GT.rpartition("\n")[2]
    found = unfit(tmp_path, f"{cases.LEFT}\n{cases.GT}", right_context=last_line)
    assert found == f"contexts and reference body hold more than {cases.FILE} does"


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    task = cases.task(tmp_path)
    there = cases.prepared(mera.project_of(task, "pytest"), **{"README.md": ""})
    assert mera.unfit(task, there, "") == f"{cases.FILE} is not among the project's text files"

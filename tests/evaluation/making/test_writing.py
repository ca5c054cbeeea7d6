"""Tests of writing tasks in the form that the families read."""

import json
from pathlib import Path

import pytest

from evaluation.engine.families import realcode, realcode_java
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation.workplaces import required
from evaluation.making import java_bodies, python_bodies
from evaluation.making.build import functions
from evaluation.making.cuts import Cut
from evaluation.making.languages import LANGUAGES, Origin, record, write_tasks

ORIGIN = Origin("a/b", "0" * 40, "python:3.11", "", "pytest tests")
PYTHON = "def f():\n    return '\u0434\u0430'\n\n\nf()\n"
JAVA = "class A {\n  int f() {\n    return 1;\n  }\n}\n"
# The fields of the benchmarks' own files, in their order.
SHARED = ["id", "repo", "base_commit", "gt", "right_context", "left_context", "image_name"]
COMMANDS = ["build_command", "test_command"]
TESTS = ["PASS_TO_PASS", "FAIL_TO_PASS", "intent", "intent_type"]


def python_function() -> Cut:
    ((function,), _) = functions({"p/a.py": PYTHON}, ".py", python_bodies.cut)
    return function


def java_method() -> Cut:
    ((method,), _) = functions({"p/A.java": JAVA}, ".java", java_bodies.cut)
    return method


def test_a_python_task_has_the_fields_of_realcode() -> None:
    task = record(ORIGIN, LANGUAGES["python"], python_function(), 7, ["tests/a.py::t"])
    assert list(task) == ["instruction", "inputs", "outputs", "meta"]
    assert list(task["meta"]) == [*SHARED, *COMMANDS, "fn", *TESTS]
    assert task["inputs"] == {"left_context": "def f():"}
    assert task["outputs"] == task["meta"]["gt"] == "    return '\u0434\u0430'"
    assert (task["meta"]["fn"], task["meta"]["right_context"]) == ("p/a.py", "\n\nf()")
    assert (task["meta"]["intent"], task["meta"]["intent_type"]) == ("f[function]", "function")
    assert (task["meta"]["PASS_TO_PASS"], task["meta"]["FAIL_TO_PASS"]) == (["tests/a.py::t"], [])


def test_a_java_task_has_a_stub_and_names_its_file_otherwise() -> None:
    task = record(ORIGIN, LANGUAGES["java"], java_method(), 1, [])
    fields = [*SHARED[:4], "stub", *SHARED[4:], *COMMANDS, "file_path", *TESTS]
    assert list(task["meta"]) == fields
    assert task["meta"]["left_context"] == "class A {\n  int f() {\n"
    assert task["meta"]["stub"] == "    return 0;\n  }"
    assert task["meta"]["right_context"] == "\n}"


def test_the_families_read_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_tasks(path, [record(ORIGIN, LANGUAGES["python"], python_function(), 1, ["t"])])
    (task,) = realcode.FAMILY.load_tasks(path, None)
    assert (task.id, task.public["entry_point"], task.public["path"]) == (1, "f", "p/a.py")
    judged = realcode.FAMILY.judged
    assert isinstance(judged, ByExecution)
    assert required(judged).project(task).withheld == ("p/a.py",)
    write_tasks(path, [record(ORIGIN, LANGUAGES["java"], java_method(), 1, ["t"])])
    (task,) = realcode_java.FAMILY.load_tasks(path, None)
    assert task.hidden["stub"] == "    return 0;\n  }"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_instructions_are_filled_in_by_either_way_of_the_benchmarks(language: str) -> None:
    instruction = LANGUAGES[language].instruction
    filled = instruction.replace("{left_context}", "def f():")
    assert instruction.format(left_context="def f():") == filled != instruction


def test_lines_are_written_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text("before")
    with pytest.raises(TypeError):
        write_tasks(path, [{"a": 1}, {"b": object()}])
    assert path.read_text() == "before"
    write_tasks(path, [{"a": "\u0434"}, {"b": 2}])
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == [
        {"a": "\u0434"}, {"b": 2},
    ]  # fmt: skip

"""Tests of `sources.json`: its entries, its defaults and its errors."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.datasets import Problems
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.projects.sources import (
    FILE,
    Node,
    Source,
    SourceSpan,
    difference,
    lines_of,
    node_of,
    read_sources,
    sources_in,
    task_entries,
    write_sources,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
SOURCES = st.builds(
    Source, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, st.lists(TEXTS, max_size=3).map(tuple)
)


@given(entries=st.dictionaries(TEXTS, SOURCES, max_size=3))
def test_what_was_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, Source]
) -> None:
    path = tmp_path_factory.mktemp("sources") / FILE
    write_sources(path, entries)
    assert sources_in(path) == entries
    assert [each.name for each in path.parent.iterdir()] == [FILE]


def test_what_an_entry_leaves_out_has_a_default(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps({"A/b": {"requires": []}}))
    assert read_sources(tmp_path) == {"A/b": Source("A/b", requires=())}


def test_it_lies_beside_the_tasks_or_nowhere(tmp_path: Path) -> None:
    write_sources(tmp_path / FILE, {"A/b": Source("a/b", "c0ffee")})
    assert read_sources(tmp_path / "tasks.jsonl") == read_sources(tmp_path) != {}
    (tmp_path / "other").mkdir()
    assert read_sources(tmp_path / "other") == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "must hold an object"),
        ({"A/b": []}, "A/b: the entry must be an object"),
        ({"A/b": {"branch": "main"}}, "A/b: branch is none of build_command, commit"),
        ({"A/b": {"requires": "radon"}}, "A/b: requires must be a list of texts"),
        ({"A/b": {"image": 3}}, "A/b: image must be a text"),
        ({"A/b": {"commit": "c0ffee"}}, "A/b: a commit needs its repository"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: Any, words: str) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / FILE).write_text(text)
    with pytest.raises(BenchmarkError) as caught:
        read_sources(tmp_path)
    assert words in str(caught.value)


def test_files_of_a_folder_without_tasks_of_projects_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"project_path": 1}\n{"project_path": 2}\n')
    (tmp_path / "a.json").write_text('[{"project_path": 0}]')
    (tmp_path / "c.jsonl").write_text('{"task_id": 3}')
    (tmp_path / "notes.txt").write_text("x")
    write_sources(tmp_path / FILE, {})
    found = [entry.value["project_path"] for entry in task_entries(tmp_path, Problems())]
    assert found == [0, 1, 2]


def test_a_folder_without_any_is_said(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="holds no .json or .jsonl file with tasks"):
        task_entries(tmp_path, Problems())


CODE = "def f():\n    return 1\n"
TEXT = f"x = 1\n\n{CODE}"
PLACE = SourceSpan("m.f", "A/b", "m.py", 3, 4, 4, CODE, ("tests/t.py::test_f",))


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\n\n{CODE}",
        "\r\n\r\n" + CODE.replace("\n", "  \r\n"),
        "\n\n    def f():\n        return 1\n",
    ],
    ids=repr,
)
def test_indentation_and_line_ends_make_no_difference(text: str) -> None:
    assert difference(text, PLACE) == ""


def test_the_first_line_that_differs_is_named() -> None:
    assert difference("\n\ndef f():\n    return 2\n", PLACE) == (
        "Line 4 of m.py is not what the task's code has: 'return 2'."
    )


@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n")), max_size=5),
    st.text(" ", max_size=8),
    st.lists(st.sampled_from(["x = 1", "", "  y", "if x:"]), min_size=1, max_size=5),
)
def test_what_was_put_at_the_lines_is_found_there(
    before: list[str], margin: str, body: list[str]
) -> None:
    code = "\n".join(["def f():", *body, "    end"])
    text = "\n".join([*before, *(margin + line for line in code.split("\n")), "z"])
    first = len(before) + 1
    place = replace(PLACE, first=first, body=first + 1, last=first + len(body) + 1, code=code)
    assert difference(text, place) == ""
    assert difference(text.replace("    end", "    and"), place) != ""


@given(st.text())
def test_lines_end_where_python_ends_them(text: str) -> None:
    lines = lines_of(text)
    assert "".join(lines) == text
    ends = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [line.rstrip("\r\n") for line in lines] == (ends if ends[-1] else ends[:-1])


def test_a_node_id_has_a_file_classes_and_a_name() -> None:
    assert Node.of("a/b.py::C::D::test[x::y]") == Node("a/b.py", ("C", "D"), "test")
    assert str(Node.of("a/b.py::test")) == "a/b.py::test"


@given(st.text())
def test_no_node_id_leaves_the_project_or_is_an_option(text: str) -> None:
    try:
        written = node_of(text, "test")
    except ValueError:
        return
    path = Node.of(written).path
    assert not written.startswith(("-", "/"))
    assert not {".", "..", ""} & set(path.split("/")[:-1])

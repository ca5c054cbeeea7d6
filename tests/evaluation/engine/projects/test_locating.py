"""The position of tasks in files."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.projects.locating import (
    Node,
    SourceSpan,
    difference,
    lines_of,
    node_of,
)

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

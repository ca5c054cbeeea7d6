"""The position of tasks in files, and the commit that is found for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.projects.locating import (
    Located,
    Node,
    SourceSpan,
    difference,
    lines_of,
    locate,
    node_of,
)

CODE = "def f():\n    return 1\n"
PLACE = SourceSpan("m.f", "A/b", "m.py", 3, 4, 4, CODE, ("tests/t.py::test_f",))
HOLDS = {"m.py": f"x = 1\n\n{CODE}", "tests/t.py": "def test_f(): pass\n"}
LACKS = {**HOLDS, "m.py": CODE}
UNTESTED = {**HOLDS, "tests/t.py": "def test_g(): pass\n"}
OTHER = replace(PLACE, task="n.f", path="n.py")

Tree = Mapping[str, str]


@dataclass
class Trees:
    """A history of whole trees by commit, newest first. The text of a blob is also its name."""

    trees: Mapping[str, Tree]
    tagged: Mapping[str, str]

    def tags(self) -> Iterable[tuple[str, str]]:
        return self.tagged.items()

    def commits(self, paths: Sequence[str]) -> Iterable[str]:
        return [name for name, tree in self.trees.items() if tree.keys() & set(paths)]

    def blobs(self, commit: str, paths: Sequence[str]) -> Sequence[str | None]:
        return [self.trees[commit].get(path) for path in paths]

    def text(self, blob: str) -> str:
        return blob


def located(trees: Mapping[str, Tree], *places: SourceSpan, **tags: str) -> Located | None:
    return locate(Trees(trees, tags), places or (PLACE,))


def test_the_newest_commit_that_holds_all_is_found() -> None:
    found = located({"c3": LACKS, "c2": HOLDS, "c1": HOLDS})
    assert found == Located("c2", "", {}, {})


def test_a_tagged_commit_goes_before_a_newer_one() -> None:
    found = located({"c3": HOLDS, "c2": HOLDS, "c1": HOLDS}, v2="c2", v1="c1")
    assert found == Located("c2", "v2", {}, {})


def test_a_tag_that_lacks_something_does_not() -> None:
    found = located({"c2": HOLDS, "c1": UNTESTED}, v1="c1")
    assert found == Located("c2", "", {}, {})


def test_code_weighs_more_than_tests() -> None:
    found = located({"c2": LACKS, "c1": UNTESTED})
    reason = "There is no test_f in tests/t.py."
    assert found == Located("c1", "", {}, {"m.f": reason})


def test_the_commit_that_lacks_least_is_told_with_what_it_lacks() -> None:
    both = {**HOLDS, "n.py": "\n\n\n" + CODE}
    found = located({"c2": HOLDS, "c1": both}, PLACE, OTHER)
    assert found is not None
    assert (found.commit, found.missing) == ("c2", {"n.f": "There is no n.py."})


def test_nothing_is_found_where_no_commit_holds_any_code() -> None:
    assert located({"c1": LACKS, "c0": {}}) is None


@pytest.mark.parametrize(
    "text",
    [
        HOLDS["m.py"],
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

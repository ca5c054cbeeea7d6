"""The code that is extracted from an answer."""

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.codeif_repository.judging import spliced

SOURCE = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
LINES = st.lists(st.text(st.characters(exclude_characters="\r\n")), min_size=1)


def test_the_completion_has_a_line_before_and_a_line_end_after_it() -> None:
    found = spliced("a\nb\nc\nd\n", 2, 3, "x\ny")
    assert found == "a\n\nx\ny\nd\n"


@pytest.mark.parametrize("depth", [0, 4, 10])
def test_it_comes_to_the_column_of_the_signature_wherever_it_stood(depth: int) -> None:
    completion = textwrap.indent("def f(self):\n    return 3", " " * depth)
    found = spliced(SOURCE, 2, 3, completion)
    assert found == SOURCE.replace("    def f", "\n    def f").replace("return 1", "return 3")


def test_tabs_are_kept_as_the_signature_has_them() -> None:
    source = "class A:\n\tdef f(self):\n\t\treturn 1\n"
    found = spliced(source, 2, 3, "def f(self):\n\treturn 2")
    assert found == "class A:\n\n\tdef f(self):\n\t\treturn 2\n"


def test_a_character_that_only_looks_like_a_line_end_counts_for_none() -> None:
    source = "x = 'a\x0cb\u2028c\x1c'\ndef f():\n    return 1\ny = 2"
    found = spliced(source, 2, 3, "def f():\n    return 2")
    assert found == "x = 'a\x0cb\u2028c\x1c'\n\ndef f():\n    return 2\ny = 2"


def test_line_ends_of_windows_are_counted_once() -> None:
    assert spliced("a\r\nb\r\nc\r\n", 2, 2, "x") == "a\r\n\nx\nc\r\n"


def test_the_function_s_own_code_changes_nothing_of_what_the_file_means() -> None:
    code = "    def f(self):\n        return 1\n"
    assert ast.dump(ast.parse(spliced(SOURCE, 2, 3, code))) == ast.dump(ast.parse(SOURCE))


@given(LINES, st.data(), st.text())
def test_what_stands_before_and_after_is_untouched(
    lines: list[str], data: st.DataObject, completion: str
) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    found = spliced("\n".join(lines) + "\n", first, last, completion)
    assert found.startswith("".join(f"{line}\n" for line in lines[: first - 1]) + "\n")
    assert found.endswith("\n" + "".join(f"{line}\n" for line in lines[last:]))

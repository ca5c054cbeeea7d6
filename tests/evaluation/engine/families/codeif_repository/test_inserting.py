"""Tests of inserting a requirement's test at its node id: the rest of the file stays unchanged."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.codeif_repository.inserting import holds, inserted, with_tests
from evaluation.engine.projects.sources import Node
from tests.evaluation.engine.families.codeif_repository.cases import TESTS, TREE

IN_CLASS, AT_END = f"{TESTS}::TestBerth::test_new", f"{TESTS}::test_new"
METHOD = "def test_new(self):\n    assert 1"
NAMES = st.from_regex(r"test_[a-z]{1,8}", fullmatch=True)
VALUES = st.none() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))


def added(text: str, node: str = IN_CLASS, source: str = TREE[TESTS]) -> str:
    return inserted(source, Node.of(node), text)


def refusal(text: str, node: str = IN_CLASS, source: str = TREE[TESTS]) -> str:
    with pytest.raises(ValueError) as caught:
        inserted(source, Node.of(node), text)
    return str(caught.value)


def test_a_test_of_a_class_comes_after_its_last_statement() -> None:
    found = added(METHOD, source="class TestBerth:\n  x = 1\n\n\ny = 2\n")
    assert found == (
        "class TestBerth:\n  x = 1\n\n  def test_new(self):\n      assert 1\n\n\ny = 2\n"
    )


def test_a_class_inside_of_another_or_of_a_branch_is_found() -> None:
    source = "if True:\n    class A:\n        class B:\n            x = 1\n"
    node = Node.of("t.py::A::B::test_new")
    assert holds(inserted(source, node, METHOD), node)


def test_a_test_of_another_name_is_renamed_where_it_is_the_only_one() -> None:
    found = added("@pytest.mark.slow\ndef test_old(self):\n    test_old = 1")
    assert "    @pytest.mark.slow\n    def test_new(self):\n        test_old = 1\n" in found


def test_bare_statements_become_the_body_of_the_test() -> None:
    assert "\n    def test_new(self):\n        assert f()\n" in added("assert f()")
    assert "\ndef test_new():\n    assert f()\n" in added("assert f()", AT_END)


def test_imports_of_a_method_stand_before_the_class_with_its_decorators() -> None:
    source = "import abc\n\n@abc.final\nclass TestBerth:\n    x = 1\n"
    found = added(f"import logging\n{METHOD}", source=source)
    assert found.startswith("import abc\n\nimport logging\n@abc.final\nclass TestBerth:\n")


def test_a_text_of_several_tests_is_taken_whole() -> None:
    found = added(f"{METHOD}\n\ndef test_other(self):\n    assert 2")
    assert [holds(found, Node.of(f"{TESTS}::TestBerth::{n}")) for n in ("test_new", "test_other")]


def test_lines_that_a_string_continues_on_are_not_indented() -> None:
    text = 'def test_new(self):\n    assert f() == """a\nb\n"""'
    assert '        assert f() == """a\nb\n"""\n' in added(text)


@pytest.mark.parametrize(
    ("text", "node", "words"),
    [
        ("def test_new(s:\n", IN_CLASS, "its text does not parse"),
        ("", IN_CLASS, "its text has no test_new"),
        ("def test_a(): pass\ndef test_b(): pass", AT_END, "its text has no test_new"),
        (METHOD, f"{TESTS}::TestPier::test_new", "tests/test_tides.py has no class TestPier"),
        ("@mock.patch('x')\ndef test_new(): pass", AT_END, "does not know mock"),
        ("def test_new(x=Pier()): pass", AT_END, "does not know Pier"),
    ],
)
def test_what_cannot_be_brought_about_is_said(text: str, node: str, words: str) -> None:
    assert words in refusal(text, node)


def test_a_class_in_one_line_and_a_file_that_does_not_parse_are_refused() -> None:
    assert "written in one line" in refusal(METHOD, source="class TestBerth: x = 1")
    assert "does not parse" in refusal(METHOD, source="print 'Python 2'\n")


def test_what_the_sources_have_stays_as_it_is() -> None:
    here = f"{TESTS}::TestBerth::test_is_afloat"
    assert with_tests(TREE, [(here, "def test_is_afloat(self):\n    raise")]).files == {}


def test_a_node_id_with_several_texts_gets_the_one_that_names_it() -> None:
    texts = ["def test_else(self): return 1", "def test_new(self): return 2"]
    found = with_tests(TREE, [(IN_CLASS, text) for text in texts])
    assert "return 2" in found.files[TESTS]
    assert "return 1" not in found.files[TESTS]


def test_one_that_is_impossible_keeps_none_of_the_others_away() -> None:
    wanted = [("tests/none.py::test_a", "def test_a(): pass"), (IN_CLASS, METHOD)]
    found = with_tests(TREE, wanted)
    assert found.impossible == {"tests/none.py::test_a": "there is no tests/none.py"}
    assert holds(found.files[TESTS], Node.of(IN_CLASS))


@given(st.lists(NAMES, min_size=1, unique=True), st.booleans(), VALUES)
def test_every_test_is_found_again_and_none_was_lost(
    names: list[str], in_class: bool, value: object
) -> None:
    at = f"{TESTS}::TestBerth" if in_class else TESTS
    text = f"def NAME(*_):\n    assert f() == {value!r}\n"
    wanted = [(f"{at}::{name}", text.replace("NAME", name)) for name in names]
    found = with_tests(TREE, wanted).files.get(TESTS, TREE[TESTS])
    assert all(holds(found, Node.of(node)) for node, _ in wanted)
    before, after = (ast.dump(ast.parse(source)) for source in (TREE[TESTS], found))
    assert len(after) >= len(before)
    compile(found, "t.py", "exec")


@given(VALUES, st.integers(0, 3))
def test_a_method_s_values_are_those_of_its_text(value: object, depth: int) -> None:
    written = f'    assert f() == {value!r}\n    g("""\n{" " * depth}x\n""")\n'
    text = f"def test_new(self):\n{written}"
    in_class = ast.parse(added(text))
    (alone,) = ast.parse(text).body
    assert any(ast.dump(each) == ast.dump(alone) for each in ast.walk(in_class))

"""Tests of turning a generation into the file under test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.realcode_java import (
    CLOSING_BRACE_ADDED,
    CUT,
    SIGNATURE_DROPPED,
    body_of,
    end_of_block,
    joined,
)
from evaluation.engine.java_tokens import tokens
from evaluation.engine.projects.bodies import Body
from tests.evaluation.engine.families.realcode_java import cases
from tests.support.linear import is_linear

SIGNATURE = "    public int put(String label, int count) {"
PIECES = st.sampled_from(
    [SIGNATURE, "put", "(", "{", "}", "\n", "    ", '"', "'", "//", "/*", "*/", '"""', "```java"]
    + ["```", "\\", "return 0;"]
)
TEXTS = st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=40)


def made(generation: str, left_context: str = cases.LEFT, gt: str = cases.GT) -> Body:
    return body_of(generation, "put", left_context, gt)


@pytest.mark.parametrize(
    ("generation", "body", "flags"),
    [
        pytest.param(f"```java\n{cases.GT}\n```", f"\n{cases.GT}", (), id="in a block"),
        pytest.param(
            f"{SIGNATURE}\n{cases.GT}", f"\n{cases.GT}", (SIGNATURE_DROPPED,), id="with signature"
        ),
        pytest.param(
            f"int put(String label,\n  int count) /* x */ {{\n{cases.GT}",
            f"\n{cases.GT}",
            (SIGNATURE_DROPPED,),
            id="with its signature spaced otherwise",
        ),
        pytest.param(
            f"{cases.ORIGINAL}", f"\n{cases.GT}", (SIGNATURE_DROPPED, CUT), id="with the whole file"
        ),
        pytest.param(
            "int put(String label) {\n{}\n}",
            "int put(String label) {\n{}\n}\n    }",
            (CLOSING_BRACE_ADDED,),
            id="with another signature",
        ),
        pytest.param(
            "  return 0;", "  return 0;\n    }", (CLOSING_BRACE_ADDED,), id="without its brace"
        ),
        pytest.param(
            "if (x) {\n  return 0;",
            "if (x) {\n  return 0;\n    }",
            (CLOSING_BRACE_ADDED,),
            id="two braces missing",
        ),
        pytest.param(
            "return 0; // }", "return 0; // }\n    }", (CLOSING_BRACE_ADDED,), id="in a comment"
        ),
        pytest.param("return 0;\n}\n\n", "return 0;\n}", (), id="blank lines after it"),
        pytest.param(
            "return 0;\n}\nint more() {}\nconcluding }", "return 0;\n}", (CUT,), id="more after it"
        ),
        pytest.param("", "\n    }", (CLOSING_BRACE_ADDED,), id="nothing"),
    ],
)
def test_the_body_in_a_generation(generation: str, body: str, flags: tuple[str, ...]) -> None:
    assert made(generation) == Body(body, flags)


@pytest.mark.parametrize("gt", ["return 0; }", "return 0;\n} }"])
def test_without_a_closing_line_of_the_reference_nothing_is_added(gt: str) -> None:
    assert made("return 0;", gt=gt) == Body("return 0;", ())


@pytest.mark.parametrize("gt", ["}", "  }\n \n", "\t}"])
def test_the_reference_s_closing_line_may_be_all_of_it(gt: str) -> None:
    assert made("return 0;", gt=gt).text == f"return 0;\n{gt.rstrip()}"


def dropped(left_context: str, generation: str) -> bool:
    return SIGNATURE_DROPPED in made(generation, left_context).flags


@pytest.mark.parametrize(
    ("left_context", "generation"),
    [
        ("  void put(\n    int a,\n    int b\n  )\n  throws E {\n", "put(int a,int b) throws E{}"),
        ("  put(Put put) {", "  put(Put put) {"),
        ("  put {", "record X(){ put { }"),
        ("x\n" * 100 + "  void put() {\n", "void put() {"),
        ("  void put() { // never ;\n", "void put() {"),
        ("  void put(@A({1}) int a) {\n", "void put(@A({1}) int a) {"),
        ("  void put(int a) {\n", '@Override\nvoid put(final @a.B("c") int a) throws E, x.F {'),
        ('  void put(@A(b = ")", c = d(1)) int a) {\n', 'void put(@A(")(") int a) {'),
        ("  void put(final int a) throws E {\n", "/** @throws E if */ void put(int a) {"),
        ("  void put() {\n", "record A(B[] b) {\nenum C { D; B e() { } void put() {\n} } }"),
        ("  void put() {\n", "return;\n}\nOr:\nvoid put() {\nf();\n}"),
        ("  void put() {\n", "class A {\nvoid put() {\nf();\n}\n}\n}\n"),
    ],
    ids=[
        *("many lines", "constructor", "compact constructor", "long file", "comment", "annotation"),
        *("more modifiers", "brackets", "less modifiers", "in classes"),
        *("after a body", "in a class with a brace too many"),
    ],
)
def test_a_signature_that_is_repeated_is_dropped(left_context: str, generation: str) -> None:
    assert dropped(left_context, generation)


@pytest.mark.parametrize(
    ("left_context", "generation"),
    [
        ("  void put() {" + "\n // x" * 20, "void put() {"),
        ("  void puts() {\n", "void puts() {"),
        ("  void put() { x();\n", "void put() { x();"),
        ("  int y = put(1); void f() {\n", "int y = put(1); void f() {"),
        ("  // void put() {\n", "void put() {"),
        ("  void put() {\n", "void put();"),
        ("", "void put() {"),
        ("put", "put"),
        (
            "  void put(final int a) {\n",
            "f(A.class, new A() {\nclass B { }\nvoid put(int a) { }\n});",
        ),
        ("  void put() {\n", "return new A() { void put() {"),
        ("  void put() {\n", "class A { void put() { } }\nnew A().put();\n}"),
    ],
    ids=[
        *("far above", "another name", "more than it", "a call", "a comment", "not repeated"),
        *("nothing before", "the name alone", "in an object", "in an open object"),
        "in a class of the body",
    ],
)
def test_what_is_no_repeated_signature_stays(left_context: str, generation: str) -> None:
    assert not dropped(left_context, generation)


def test_of_overloads_the_last_one_s_signature_counts() -> None:
    left_context = "int put() {\n  return put(1);\n}\nint put(int a) {\n"
    assert not dropped(left_context, "int put() {\n}")
    assert dropped(left_context, "int put(int a) {\n}")


@pytest.mark.parametrize(
    ("left", "body", "right", "whole"),
    [
        ("l {\n", "b }", "\nr\n}\n", "l {\nb }\nr\n}"),
        ("l {\n", "\nb }", "\nr", "l {\n\nb }\nr"),
        ("l {", "b }", "r", "l {\nb }\nr"),
        ("l {\n", "b }\n", "\nr\n\n", "l {\nb }\n\nr"),
        ("l {\n", "b }", "\n\n", "l {\nb }"),
    ],
)
def test_newlines_stand_around_the_body(left: str, body: str, right: str, whole: str) -> None:
    assert joined(left, body, right) == whole


@given(st.text("ab {}\n", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_contexts_and_the_reference_body_are_the_file(text: str, one: int, other: int) -> None:
    """The file is cut as in the format: before a line, and before the newline after another
    line."""
    first, second = sorted((one, other))
    left, middle, right = text[:first] + "\n", text[first:second], "\n" + text[second:]
    assert joined(left, middle, right) == (left + middle + right.rstrip("\n"))


@given(TEXTS)
def test_any_text_gives_a_body_that_closes_at_its_end_or_not_at_all(text: str) -> None:
    body, flags = made(text)
    assert end_of_block(tokens(body)) in (None, len(body))
    assert len(body) <= len(text) + len("\n    }")
    assert (CUT not in flags) or end_of_block(tokens(body)) == len(body)


@given(TEXTS)
def test_a_body_that_closes_goes_through_unchanged(text: str) -> None:
    body = made(text).text
    if end_of_block(tokens(body)) is not None and "put" not in body and "```" not in body:
        assert made(body) == Body(body, ())


@pytest.mark.parametrize("piece", [SIGNATURE, "put(", "put {", "{", '"""', '@A(\\"'])
def test_any_repetition_takes_linear_time(piece: str) -> None:
    def gives_a_body(count: int) -> None:
        assert made(piece * count).text

    assert is_linear(gives_a_body, 10_000)

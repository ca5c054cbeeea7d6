"""The declarations in a file or a class, and their kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.declarations import (
    Declaration,
    Kind,
    declarations,
    method_of,
)
from evaluation.engine.java_tokens import tokens


def found(code: str) -> list[Declaration]:
    return list(declarations(tokens(code)))


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        ("import a b;", Kind.OTHER, ""),
        ("class {}", Kind.OTHER, ""),
        ("public @interface B { int c() default 1; }", Kind.TYPE, "B"),
        ("Here is the code: class B {}", Kind.OTHER, ""),
    ],
)
def test_a_declaration_is_told_by_how_it_begins(code: str, kind: Kind, name: str) -> None:
    assert [(one.kind, one.name) for one in found(code)] == [(kind, name)]


def test_modifiers_are_found_between_annotations() -> None:
    (one,) = found('@A static @b . C ( "final" , @D ( 1 ) ) synchronized int f() { }')
    assert [token.text for token in one.modifiers] == ["static", "synchronized"]
    assert one.has("static") and not one.has("final")


@pytest.mark.parametrize(
    ("parameters", "count"),
    [
        ("()", 0),
        ("(final Map<String, List<Integer>> a, int... b)", 2),
        ("(@A({1, 2}) int[] a, Map.Entry < K , V > b, int c)", 3),
    ],
)
def test_parameters_are_counted_outside_of_brackets(parameters: str, count: int) -> None:
    assert method_of(f"public <K, V> void f{parameters} throws E").parameters == count


@pytest.mark.parametrize("text", ["", "int f", "int f() { }", "f(); g();", "class A { }", "int x;"])
def test_a_signature_declares_one_method_without_a_body(text: str) -> None:
    with pytest.raises(ValueError, match="one method"):
        method_of(text)


WORDS = st.sampled_from(
    [
        *("class", "A", "(", ")", "{", "}", "<", ">", "=", ";", ",", ".", "@", "interface"),
        *("import", "static", "public", "record", "extends", '"s"', "[", "]"),
    ]
)


@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_any_text_has_declarations_that_do_not_overlap(code: str) -> None:
    at = 0
    for one in found(code):
        assert one.body is None or list(declarations(tokens(code), one.body)) is not None
        assert at <= one.start <= one.end <= len(code)
        at = one.end

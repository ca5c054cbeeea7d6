"""Tests of filling templates: once only, with an error for what cannot be filled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.conversations.filling import formatted, places, replaced
from evaluation.engine.errors import BenchmarkError


def test_literal_replacement_leaves_other_braces_alone() -> None:
    template = "class A { int f() { {body} } }\n{left_context}"
    assert replaced(template, {"left_context": "x"}) == "class A { int f() { {body} } }\nx"


def test_what_was_put_in_is_not_looked_at_again() -> None:
    values = {"a": "{b}", "b": "{a}"}
    assert replaced("{a}{b}", values) == formatted("{a}{b}", values) == "{b}{a}"


def test_formatting_knows_doubled_braces() -> None:
    assert formatted("{{x}} {function}", {"function": "def f():"}) == "{x} def f():"


@pytest.mark.parametrize("template", ["{", "}", "{function", "{function!x y}"])
def test_a_broken_template_is_the_datasets_fault(template: str) -> None:
    with pytest.raises(BenchmarkError, match="cannot be filled in|nothing can fill"):
        formatted(template, {"function": ""})


@pytest.mark.parametrize("place", ["{tests}", "{}", "{0}", "{function.x}", "{function:>9}"])
def test_a_place_without_a_value_is_the_datasets_fault(place: str) -> None:
    with pytest.raises(BenchmarkError, match="nothing can fill"):
        formatted(f"Do this: {place}", {"function": ""})


def test_the_places_of_a_template_are_known() -> None:
    assert places("{name} { } {{inner}} {name}") == {"name", "inner"}


@given(st.text(), st.text(alphabet="ab{}") | st.text(), st.text())
def test_formatting_is_what_the_language_does(before: str, value: str, after: str) -> None:
    template = before.replace("{", "{{").replace("}", "}}") + "{v}" + after
    try:
        expected = template.format(v=value)
    except (ValueError, LookupError, AttributeError):
        return
    try:
        assert formatted(template, {"v": value}) == expected
    except BenchmarkError:
        assert "{v:" in template or "{v!" in template or after.count("{") > after.count("{{")


@given(st.text(), st.text(), st.text())
def test_replacement_puts_in_every_value_unchanged(before: str, value: str, after: str) -> None:
    before, after = before.replace("{", ""), after.replace("{", "")
    assert replaced(f"{before}{{v}}{after}", {"v": value}) == before + value + after

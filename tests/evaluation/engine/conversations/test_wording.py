"""Tests of prompts files: a file is a complete wording, or what it lacks is reported."""

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.conversations.wording import (
    OURS,
    DynamicTexts,
    FunctionTexts,
    formatted,
    places,
    replaced,
    wording_of,
)
from evaluation.engine.errors import BenchmarkError
from tests.support.json_values import json_values

FUNCTION = {"base": "Solve: {prompt}", "requirement": "Also: {requirement}"}
DYNAMIC = asdict(OURS.dynamic)


def test_a_file_replaces_the_objects_that_it_has() -> None:
    prompts = wording_of({"source": "a script", "function": FUNCTION})
    assert prompts.function == FunctionTexts(**FUNCTION)
    assert prompts.repository == OURS.repository


def test_a_projects_templates_may_leave_the_arguments_out() -> None:
    texts = {
        name: text.replace("{Arguments}", "") for name, text in asdict(OURS.repository).items()
    }
    assert asdict(wording_of({"repository": texts}).repository) == texts


def test_our_own_wording_could_be_a_file() -> None:
    assert wording_of(asdict(OURS)) == OURS


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([], "must hold a JSON object"),
        ({"source": "x"}, "at least one of"),
        ({"function": "x"}, "function must hold"),
        ({"function": {"base": "{prompt}"}}, r"function.requirement is missing or no text"),
        ({"function": FUNCTION | {"base": "Solve it"}}, r"function.base has no place \{prompt\}"),
        ({"dynamic": DYNAMIC | {"feedback": " {instruction}\n"}}, "nothing but the instruction"),
        ({"dynamic": DYNAMIC | {"feedback_error": "{error}{error}"}}, "more than once"),
    ],
)
def test_what_a_file_lacks_is_told(found: Any, told: str) -> None:
    with pytest.raises(BenchmarkError, match=told):
        wording_of(found)


def test_feedback_tells_the_error_only_where_there_is_one() -> None:
    texts = DynamicTexts(feedback="No: {instruction}.", feedback_error=" Error: {error}.")
    assert texts.feedback_on("I {error}", " oh {instruction}\n") == (
        "No: I {error}. Error: oh {instruction}."
    )
    assert texts.feedback_on("I", " \n") == "No: I."


JSON = json_values()
NAMES = st.sampled_from(["function", "repository", "dynamic", "source"])
KEYS = st.sampled_from([*FUNCTION, *DYNAMIC, "l1", "l2", "l3"])
TEMPLATES = st.sampled_from([*FUNCTION.values(), *DYNAMIC.values()]) | JSON


@given(JSON | st.dictionaries(NAMES, JSON | st.dictionaries(KEYS, TEMPLATES)))
def test_any_json_is_a_wording_or_a_sentence(found: Any) -> None:
    try:
        prompts = wording_of(found)
    except BenchmarkError as error:
        assert str(error)
        return
    assert wording_of(asdict(prompts)) == prompts


def test_literal_replacement_leaves_other_braces_alone() -> None:
    template = "class A { int f() { {body} } }\n{left_context}"
    assert replaced(template, {"left_context": "x"}) == "class A { int f() { {body} } }\nx"


def test_what_was_put_in_is_not_looked_at_again() -> None:
    values = {"a": "{b}", "b": "{a}"}
    assert replaced("{a}{b}", values) == formatted("{a}{b}", values) == "{b}{a}"


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

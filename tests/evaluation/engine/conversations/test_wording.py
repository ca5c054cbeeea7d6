"""Tests of prompts files: a file is a complete wording, or what it lacks is reported."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.conversations.wording import OURS, DynamicTexts, FunctionTexts, wording_of
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
        ({"function": FUNCTION | {"base": 1}}, "function.base is missing or no text"),
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

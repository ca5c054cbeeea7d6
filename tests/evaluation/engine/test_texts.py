"""Sentences with codes: what they say, and how they are stored."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import errors
from evaluation.engine.records import Problem
from evaluation.engine.texts import Message, Text, named_texts, restored, said_by, stored
from tests.support.json_values import json_values

GREETING = Text("Hello, %(who)s.")
FAREWELL = Text("%(said)s Goodbye after %(days)s days.")
OWN = named_texts("test", globals())


plain = st.text() | st.integers()
greetings = st.builds(lambda who: GREETING(who=who), plain)
messages = greetings | st.builds(
    lambda said, days: FAREWELL(said=said, days=days), plain | greetings, plain
)
anything = json_values("code", "params", "who")


@pytest.mark.parametrize(
    "through", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_copies_keep_the_code(through: Any) -> None:
    said = through(FAREWELL(said=GREETING(who="Ada"), days=3))
    assert (said, said.text) == ("Hello, Ada. Goodbye after 3 days.", FAREWELL)
    assert said.params["said"].text == GREETING


def test_an_error_keeps_its_message() -> None:
    said = GREETING(who="Ada")
    assert said_by(ValueError("plain")) == "plain"
    assert said_by(ValueError(said)).text == GREETING
    error = errors.SandboxGone("oom", said)
    assert (error.message.text, str(error)) == (GREETING, "Hello, Ada.")
    assert errors.UploadError(said).message is said
    assert errors.UploadError([Problem(said, line=3)]).message == "line 3: Hello, Ada."


@given(messages)
def test_a_stored_message_comes_back(said: Message) -> None:
    again = restored(json.loads(json.dumps(stored(said))), OWN)
    assert (again, again.text, again.params) == (said, said.text, said.params)
    inner = {name for name, value in said.params.items() if isinstance(value, Message)}
    assert inner == {name for name, value in again.params.items() if isinstance(value, Message)}


@given(anything)
def test_what_is_no_message_comes_back_as_none(said: Any) -> None:
    found = restored(said, OWN)
    assert found is None or (found.text is GREETING and said["code"] == GREETING.code)


@pytest.mark.parametrize(
    "said",
    [
        {"code": "test.greeting"},
        {"code": "test.greeting", "params": {}},
        {"code": "test.greeting", "params": {"who": None}},
        {"code": "test.greeting", "params": {"who": {"code": "gone", "params": {}}}},
        {"code": "test.later", "params": {"who": "Ada"}},
    ],
)
def test_what_this_release_does_not_know_is_none(said: Any) -> None:
    assert restored(said, OWN) is None

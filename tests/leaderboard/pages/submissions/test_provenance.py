"""Tests of a file's statement of how it was made, with any content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.records import Json
from leaderboard.pages.submissions.provenance import MOST_CHARACTERS, facts

SAID: dict[str, Json] = {
    "made_by": "Assay 0.1.0",
    "family": "rucodeeval",
    "setting": "base",
    "history": "",
    "endpoint": "https://models.example:8443/v1/secret-path",
    "model": "larch-32b",
    "sampling": {"temperature": 0.7, "top_p": None, "max_tokens": 4096, "repetition_penalty": 1.05},
    "prompts": "the tasks' own",
    "files": {"tasks": "0" * 64},
    "samples": 10,
    "answers": 1640,
    "unanswered": 2,
    "cut_off": 0,
    "answered_by": ["larch-32b-0711"],
    "tokens": {"sent": 120_000, "answered": 45_678, "answers_uncounted": 1},
    "price": {"sent": 2.5, "answered": 10.0, "total": 0.75678},
    "began": "2026-01-02T03:04:05+00:00",
    "ended": "2026-01-02T04:04:05+00:00",
}
_TEXTS = st.text(max_size=300)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(
    st.sampled_from([*SAID, "temperature", "sent", "answered", "total", "answers_uncounted"]),
    _VALUES,
)


def told(said: dict[str, Json]) -> dict[str, str]:
    return {str(label): value for label, value in facts(said)}


def test_all_that_is_known_is_told() -> None:
    assert told(SAID) == {
        "Model": "larch-32b",
        "Name at the endpoint": "larch-32b-0711",
        "Endpoint": "models.example:8443",
        "Sampling": "temperature 0.7, max_tokens 4,096, repetition_penalty 1.05",
        "Answers per prompt": "10",
        "Prompts": "the tasks' own",
        "Answers": "1,640 · 2 missing",
        "Tokens": "120,000 input, 45,678 output (1 answer without a count)",
        "Cost": "0.75678, at 2.5 per million input tokens and 10 per million output tokens",
        "Generated": "2026-01-02 03:04 UTC – 2026-01-02 04:04 UTC",
        "Made by": "Assay 0.1.0",
    }


def test_nothing_is_told_of_nothing() -> None:
    assert facts({}) == []
    assert facts({"family": "x", "whatever": {"is": "not known"}}) == []


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://user:password@models.example/v1?key=secret#x", "models.example"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
        ("https://models.example:none/v1", None),
        ("no address", None),
        (["https://models.example"], None),
    ],
)
def test_of_an_address_the_host_alone_is_told(address: Json, host: str | None) -> None:
    assert told({"endpoint": address}).get("Endpoint") == host


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("x" * 100_000, "x" * (MOST_CHARACTERS - 1) + "…"),
        ("two\n\x00lines \u202eand a turn", "two lines and a turn"),
        ("\u200b\n ", None),
        (7, None),
    ],
)
def test_texts_are_one_short_line(model: Json, shown: str | None) -> None:
    assert told({"model": model}).get("Model") == shown


@pytest.mark.parametrize("value", [True, -1, 10**15, 10**400, 1e300, "5", None, [1]])
def test_what_is_no_number_is_left_out(value: Json) -> None:
    assert told({"samples": value, "tokens": {"sent": value, "answered": 1}}) == {}


def test_sampling_that_was_left_to_the_endpoint_is_told_as_such() -> None:
    assert told({"sampling": {"temperature": None}}) == {"Sampling": "the endpoint's default"}


@given(said=st.dictionaries(st.sampled_from([*SAID]), _VALUES | _OBJECTS))
def test_whatever_stands_there_is_told_in_bounds(said: dict[str, Json]) -> None:
    for label, value in facts(said):
        assert label and value
        assert value.isprintable()
        assert len(value) <= 6 * (MOST_CHARACTERS + 2)

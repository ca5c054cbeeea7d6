"""Tests of the tokens of Java and of any other text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.java_tokens import tokens
from tests.support.linear import is_linear

ANY = st.text("{}()'\"\\/*\n\r ax\u00a0\u2028", max_size=60)


def texts(code: str) -> list[str]:
    return [token.text for token in tokens(code)]


def test_tokens_are_words_literals_and_single_characters() -> None:
    found = tokens('a1$ = b.c("x } y")/* { */+\'"\'; // d')
    assert [token.text for token in found] == [
        *("a1$", "=", "b", ".", "c", "(", '"x } y"', ")", "+", "'\"'", ";")
    ]
    assert {token.kind for token in found} == {"word", "literal", "other"}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (r'"\"}"}', [r'"\"}"', "}"]),
        (r"'\''}", [r"'\''", "}"]),
        ("'} '}", ["'", "}", "'", "}"]),
        ('"}\n}', ['"}', "}"]),
        ('"""\n}""{\\"""}\n"""}', ['"""\n}""{\\"""}\n"""', "}"]),
        ('"""\n}', ['"""\n}']),
        ("/*/ } */ }", ["}"]),
        ("/* }", []),
        ("// }\r}", ["}"]),
    ],
)
def test_brackets_in_literals_and_comments_are_none(code: str, found: list[str]) -> None:
    assert texts(code) == found


@given(ANY)
def test_any_text_has_tokens_that_stand_where_they_say(text: str) -> None:
    at = 0
    for token in tokens(text):
        assert text[token.start : token.end] == token.text
        assert at <= token.start < token.end
        at = token.end


@pytest.mark.parametrize("piece", ["/*", '"""', '\\"""', "'", '"', "//", "*", "{", "\\", "'\\u"])
def test_any_repetition_takes_linear_time(piece: str) -> None:
    assert is_linear(lambda count: tokens(piece * count + "\\"), 16_000)

"""Tokens of Java, and of anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.lexing import after_bracket, line_starts, tokens

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


@given(st.lists(st.sampled_from(["(", "[", "{", ")", "]", "}", "a"]), min_size=1))
def test_behind_a_bracket_what_it_opened_is_closed(words: list[str]) -> None:
    end = after_bracket(tokens("(" + " ".join(words)), 0)
    within = "(" + "".join(words)[: end - 1]
    opened, closed = (sum(map(within.count, kinds)) for kinds in ("([{", ")]}"))
    assert opened == closed if end <= len(words) else opened >= closed


@given(ANY)
def test_lines_begin_where_java_has_them(text: str) -> None:
    ends = text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    starts = line_starts(text)
    assert len(starts) == ends + 1
    assert all(text[start - 1] in "\r\n" for start in starts[1:])


@pytest.mark.parametrize("piece", ["/*", '"""', '\\"""', "'", '"', "//", "*", "{", "\\", "'\\u"])
def test_any_repetition_takes_linear_time(piece: str) -> None:
    assert tokens(piece * 50_000 + "\\") is not None

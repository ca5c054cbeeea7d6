"""Brackets and lines of Java, and of anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.lexing import after_bracket, line_starts
from evaluation.engine.java_tokens import tokens

ANY = st.text("{}()'\"\\/*\n\r ax\u00a0\u2028", max_size=60)


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

"""Tests of which part of an answer is code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.extraction import code_in


@given(st.text("` \njav", max_size=40))
def test_the_code_of_any_text_lies_in_it(text: str) -> None:
    start, end = code_in(text)
    assert 0 <= start <= end <= len(text)

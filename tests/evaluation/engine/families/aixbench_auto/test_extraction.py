"""Tests of which part of an answer is code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.extraction import code_in


def code(text: str) -> str:
    start, end = code_in(text)
    return text[start:end]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("int f();", "int f();"),
        ("", ""),
        ("Yes:\n```java\nint f();\n```\nDone.", "int f();\n"),
        ("```\nmvn\n```\n```Java\nint f();\n```\n```java\nint g();\n```", "int f();\n"),
        ("```\nint f();\n```\n```text\nx\n```", "int f();\n"),
        ("```java\nint f();", "int f();"),
        ("```java\r\nint f();\r\n```", "int f();\r\n"),
        ("   ```` java title=x\nint f();\n````", "int f();\n"),
        ("```java\nint f();}```", "int f();}"),
        ("```java", ""),
        ("int f(); // ```java\nint g();", "int f(); // ```java\nint g();"),
        (
            "/**\n * ```java\n * x\n * ```\n */\nint f();",
            "/**\n * ```java\n * x\n * ```\n */\nint f();",
        ),
        ("use `f` and ```g``` here", "use `f` and ```g``` here"),
    ],
)
def test_the_first_block_of_java_is_the_code(text: str, found: str) -> None:
    assert code(text) == found


@given(st.text("` \njav", max_size=40))
def test_the_code_of_any_text_lies_in_it(text: str) -> None:
    start, end = code_in(text)
    assert 0 <= start <= end <= len(text)


@given(st.text(st.characters(exclude_characters="`", exclude_categories=["Cs"])))
def test_what_is_fenced_comes_out_again(text: str) -> None:
    assert code(f"Here:\n```java\n{text}\n```\n") == f"{text}\n"

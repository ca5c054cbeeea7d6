"""The code that is extracted from an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.codeif_repository import extraction


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Here:\n```python\ndef f():\n    pass\n```\nDone.", "\ndef f():\n    pass\n"),
        ("```python\na\n```\n```python\nb\n```", "\na\n"),
        ("```python a = 1```", " a = 1"),
        ("```py\na = 1\n```", "```py\na = 1\n```"),
        ("```python\nnever closed", "```python\nnever closed"),
        ("def f():\n\n    '''doc'''\n", "def f():\n\n    '''doc'''\n"),
    ],
    ids=repr,
)
def test_the_first_block_of_python_is_taken_else_the_text(text: str, code: str) -> None:
    assert extraction.code(text) == code


@given(st.text(), st.text().filter(lambda text: "```" not in text and text[-1:] != "`"))
def test_a_block_is_taken_whole_whatever_stands_around_it(before: str, code: str) -> None:
    text = f"{before.replace('`', '')}```python{code}```"
    assert extraction.code(text) == code


@given(st.text().filter(lambda text: "```python" not in text))
def test_a_text_without_a_block_stays_as_it_is(text: str) -> None:
    assert extraction.code(text) == text


def test_a_dialogue_keeps_no_blank_lines() -> None:
    assert (
        extraction.code_in_dialogue("So:\n```python\ndef f():\n\n    pass\n```")
        == "def f():\n    pass"
    )
    assert extraction.code_in_dialogue("```python x\n\n```") == "```python x\n```"

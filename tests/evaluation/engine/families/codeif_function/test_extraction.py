"""The code in an answer (README.md, "Judging")."""

# Values and texts read best in a line each.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.codeif_function.extraction import code
from evaluation.engine.instructions import code_in_dialogue

DOCUMENTED = 'def f():\n    """\n    Says.\n    """\n\n    return 1\n'


@pytest.mark.parametrize(
    ("text", "extracted"),
    [
        ("x = 1", "x = 1"),
        ("", ""),
        ("Here:\n```python\nx = 1\n```\nand\n```python\ny = 2\n```", "x = 1\n"),
        ("```python\r\nx = 1\r\n```", "x = 1\r\n"),
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        ("```python3\nx\n```", "```python3\nx\n```"),
        ("```python x\n```", "```python x\n```"),
        ("```python\nx = 1", "```python\nx = 1"),
        ("```python\nx = '```'\n```", "x = '"),
        ("```python\n```", ""),
        ("text ```python\nx\n```", "x\n"),
        (DOCUMENTED, DOCUMENTED),
        ("a\n\n\nb", "a\n\n\nb"),
    ],
)
def test_base_takes_the_first_block_or_the_text_as_it_is(text: str, extracted: str) -> None:
    assert code(text, base=True) == extracted


@pytest.mark.parametrize(
    ("text", "extracted"),
    [
        (DOCUMENTED, "def f():\n    return 1"),
        ('def f():\n    """Says."""\n    return 1', 'def f():\n    """Says."""\n    return 1'),
        ("def f():\n    '''\n    Says.\n    '''\n    return 1", "def f():\n    '''\n    Says.\n    '''\n    return 1"),
        ('class A:\n        """\n        Says.\n        """\n        x = 1', "class A:\n        x = 1"),
        ("a\n\n \t\nb\n", "a\nb"),
        ("a\r\n\r\nb", "a\r\nb"),
        ("```python\na\n\nb\n```", "a\nb"),
        ('    """\na"""\n    """\nb"""\nc', "c"),
        ('    """\r\na"""\r\nc', "c"),
    ],
)  # fmt: skip
def test_other_settings_lose_docstrings_and_blank_lines(text: str, extracted: str) -> None:
    assert code(text, base=False) == extracted


@given(st.text())
def test_without_fences_nothing_is_lost_but_blank_lines(text: str) -> None:
    assert code(text.replace("`", ""), base=True) == text.replace("`", "")
    kept = code(text.replace("`", "").replace('"', ""), base=False)
    assert all(line.strip() for line in kept.split("\n")) or kept == ""


@given(st.text(), st.text())
def test_what_follows_the_first_block_does_not_matter(before: str, after: str) -> None:
    text = f"{before.replace('`', '')}```python\nx = 1\n```{after}"
    assert code(text, base=True) == "x = 1\n"
    assert code(text, base=False) == "x = 1"


@pytest.mark.parametrize(
    ("text", "extracted"),
    [
        ("Here:\n```python\nx = 1\n\n  \ny = 2\n```\nand more", "x = 1\ny = 2"),
        ("```python\r\nx = 1\r\n```", "```python\r\nx = 1\r\n```"),
        ("```python x\n\n```", "```python x\n```"),
        ("x = 1\n\n", "x = 1"),
        (DOCUMENTED, 'def f():\n    """\n    Says.\n    """\n    return 1'),
    ],
)
def test_a_dialogue_keeps_docstrings_and_no_blank_lines(text: str, extracted: str) -> None:
    assert code_in_dialogue(text) == extracted

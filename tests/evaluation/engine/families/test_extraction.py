"""Tests of which part of an answer each family judges."""

# Values and texts read best in a line each.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.family import ByExecution
from evaluation.engine.instructions import BASE, DYNAMIC, SINGLE_ROUND
from evaluation.engine.records import Generation, Key
from evaluation.engine.registry import FAMILIES

DOCUMENTED = 'def f():\n    """\n    Says.\n    """\n\n    return 1\n'
CASES = {
    ("rucodeeval", BASE): [
        ("    return 1", "    return 1"),
        ("```python\nx = 1\n```", "\nx = 1\n"),
        ("Вот:\n```python\nx = 1\n```\nГотово", "\nx = 1\n"),
        ("```python\nx = 1\n```\nи\n```python\ny = 2\n```", "\nx = 1\n\ny = 2\n"),
        ("```bash\nls\n```\n```python\nx = 1\n```", "\nx = 1\n"),
        ("```java\nint x;\n```", "\n"),
        ("```Python\nx\n```", "\n"),
        ("```python\nx = 1", "\nx = 1"),
        ("```java\nint x;", "\n"),
        ("```python\nx = 1\n```\n```python\ny", "\nx = 1\n"),
        ("```java\nx\n```\n```python\ny", "\n"),
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        ("``` python\nx\n```", "``` python\nx\n```"),
        ("```python \nx\n```", "```python \nx\n```"),
        ("```python\r\nx\n```", "```python\r\nx\n```"),
        ("  ```python\nx\n```", "  ```python\nx\n```"),
        ("```python\nx```", "\nx```"),
        ("```python\n```", "\n```"),
        ("```python\nx\n```python\ny\n```", "\nx\n"),
        ("```py-3_x\nx\n```\n", "\n"),
    ],
    ("realcode", BASE): [
        ("    return 1", "    return 1"),
        ("Вот:\n```python\n    x\n```\nГотово", "\n    x\n"),
        ("```python\na\n```\n```python\nb\n```", "\na\n"),
        ("```\nx\n```", "```\nx\n```"),
        ("```java\nx\n```", "```java\nx\n```"),
        ("```java\nx\n```\n```python\ny```", "\ny"),
        ("```python\nx", "```python\nx"),
        ("a ```python b``` c", " b"),
        ("```python``````", ""),
    ],
    ("realcode_java", BASE): [
        ("return 1;", "return 1;"),
        ("Вот:\n```java\nx\n```\nГотово", "\nx\n"),
        ("```java\na\n```\n```java\nb\n```", "\na\n"),
        ("```java\nx", "\nx"),
        ("x\n```\nвот", "x\n"),
        ("```\nx\n```", ""),
        ("```python\nx\n```\n```java\ny```", "\ny"),
        ("a ```java b``` c", " b"),
    ],
    ("codeif_function", BASE): [
        ("x = 1", "x = 1"),
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
    ("codeif_function", SINGLE_ROUND): [
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
    ("codeif_function", DYNAMIC): [
        ("Here:\n```python\nx = 1\n\n  \ny = 2\n```\nand more", "x = 1\ny = 2"),
        ("```python\r\nx = 1\r\n```", "```python\r\nx = 1\r\n```"),
        ("```python x\n\n```", "```python x\n```"),
        ("x = 1\n\n", "x = 1"),
        (DOCUMENTED, 'def f():\n    """\n    Says.\n    """\n    return 1'),
    ],
    ("codeif_repository", BASE): [
        ("Here:\n```python\ndef f():\n    pass\n```\nDone.", "\ndef f():\n    pass\n"),
        ("```python\na\n```\n```python\nb\n```", "\na\n"),
        ("```python a = 1```", " a = 1"),
        ("```py\na = 1\n```", "```py\na = 1\n```"),
        ("```python\nnever closed", "```python\nnever closed"),
        ("def f():\n\n    '''doc'''\n", "def f():\n\n    '''doc'''\n"),
    ],
    ("codeif_repository", DYNAMIC): [("```python\nx = 1\n\ny = 2\n```", "x = 1\ny = 2")],
    ("aixbench_auto", BASE): [
        ("int f();", "int f();"),
        ("Yes:\n```java\nint f();\n```\nDone.", "int f();\n"),
        ("```\nmvn\n```\n```Java\nint f();\n```\n```java\nint g();\n```", "int f();\n"),
        ("```\nint f();\n```\n```text\nx\n```", "int f();\n"),
        ("```java\nint f();", "int f();"),
        ("```java\r\nint f();\r\n```", "int f();\r\n"),
        ("   ```` java title=x\nint f();\n````", "int f();\n"),
        ("```java\nint f();}```", "int f();}"),
        ("```java", ""),
        ("int f(); // ```java\nint g();", "int f(); // ```java\nint g();"),
        ("/**\n * ```java\n * x\n * ```\n */\nint f();", "/**\n * ```java\n * x\n * ```\n */\nint f();"),
        ("use `f` and ```g``` here", "use `f` and ```g``` here"),
    ],
}  # fmt: skip
PIECES = st.sampled_from(
    [
        *("```python\n", "```java\n", "```java", "```\n", "```", "\n", "x = 1", "\r\n", " ", "``"),
        "текст",
    ]
)


def extracted(slug: str, setting: str, text: str) -> str:
    judged = FAMILIES[slug].judged
    assert isinstance(judged, ByExecution)
    requirement = None if setting in (BASE, DYNAMIC) else "Code Standard"
    return judged.extracted(Generation(Key("t", 0, requirement), text), setting)


@pytest.mark.parametrize(
    ("slug", "setting", "text", "code"),
    [(*place, text, code) for place, cases in CASES.items() for text, code in [("", ""), *cases]],
)
def test_what_is_code_in_an_answer(slug: str, setting: str, text: str, code: str) -> None:
    assert extracted(slug, setting, text) == code


@pytest.mark.parametrize(("slug", "setting"), CASES)
@given(text=st.text() | st.lists(PIECES, max_size=12).map("".join))
def test_code_is_part_of_any_text(slug: str, setting: str, text: str) -> None:
    code = extracted(slug, setting, text)
    if setting != BASE:
        assert all(line.strip() and line in text for line in code.split("\n")) or code == ""
        return
    # ruCodeEval joins its blocks, each after a newline, so only their lines are part of the text.
    assert code in text or (slug == "rucodeeval" and code.startswith("\n"))
    assert all(line in text for line in code.split("\n")) and len(code) <= len(text) + 1
    assert "`" in text or code == text
    if slug in ("realcode", "realcode_java"):
        assert "```" not in code or (slug == "realcode" and code == text)


@pytest.mark.parametrize("slug", [slug for slug, setting in CASES if setting == BASE])
@given(text=st.text(st.characters(exclude_characters="`\r", exclude_categories=["Cs"])))
def test_what_is_fenced_comes_out_again(slug: str, text: str) -> None:
    language = "java" if slug in ("aixbench_auto", "realcode_java") else "python"
    code = extracted(slug, BASE, f"Here:\n```{language}\n{text}\n```\n")
    assert code.strip("\n") == text.strip("\n")


def test_many_fences_take_linear_time() -> None:
    text = "```python\nx\n```\n" * 20_000 + "```python\n"
    assert extracted("rucodeeval", BASE, text).count("x") == 20_000

"""Tests of the compiler's messages in the lines of the uploaded text."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from signal import SIGKILL, SIGSTOP

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import compiler_messages
from evaluation.engine.compiler_messages import (
    Program,
    Refusal,
    compiler_message,
    places_in,
    unseen_in,
)
from tests.support.linear import at_most

GIVEN = "import math\n\n\ndef f(x):\n"


def message(uploaded: str, code: str | None = None, after: str = "", given: str = GIVEN) -> str:
    code = uploaded if code is None else code
    return compiler_message(Program(given + code + after, given.count("\n") + 1, code), uploaded)


@pytest.mark.parametrize(
    ("uploaded", "code", "said"),
    [
        ("    return x +\n", None, "line 1, column 15: invalid syntax"),
        (
            "Вот:\n```python\n  y = 1\n  return (x\n```\n",
            "\n    y = 1\n    return (x\n",
            "line 4, column 10: '(' was never closed",
        ),
        (
            "    x = 1\n\n    '''doc'''\n    return 1 2\n",
            "    x = 1\n    return 1 2\n",
            "line 4, column 14: invalid syntax",
        ),
        (
            "\u00a0   return x\n",
            None,
            "line 1, column 1: invalid non-printable character U+00A0\n"
            "Line 1 contains U+00A0 NO-BREAK SPACE.",
        ),
        (
            "```python\r\n    return x\r\n```",
            None,
            "line 1, column 1: expected an indented block after function definition\n"
            "Line 1 contains U+000D CARRIAGE RETURN.",
        ),
        (
            "    x = 1\r\r\n    return a b\r\r\n",
            None,
            "line 2, column 14: invalid syntax\nLine 2 contains U+000D CARRIAGE RETURN.",
        ),
        (
            "    if x:\r    return a\r",
            "        if x:\n        return a\n\n",
            "line 1, column 15: expected an indented block after 'if' statement on line 1\n"
            "Line 1 contains U+000D CARRIAGE RETURN.",
        ),
        ("    x = 1  # 10%\r# 20%\n    return a b\n", None, "line 2, column 14: invalid syntax"),
        ("    x = 1\r    y\0\n", None, "line 1, column 16: source code string cannot"),
        (
            "    return x\n<|endoftext|>",
            None,
            "line 2, column 1: invalid syntax\nLine 2 contains <|endoftext|>.",
        ),
        (
            "    return '''x\n\n",
            None,
            "line 1, column 12: unterminated triple-quoted string literal (detected at line 2)",
        ),
        (
            "    if x:\n    return 1\n",
            None,
            "line 2, column 5: expected an indented block after 'if' statement on line 1",
        ),
        (
            "import os\ndef f(x): return x +\n",
            "    import os\n    return x +\n",
            "line 2, column 21: invalid syntax",
        ),
        (
            "```python\ndef g(a):\n    if a:\n        return a\n    return 1\n\n"
            "def f(a):\n    if a:\n    return a\n```\n    if a:\n    return a\n",
            "        if a:\n        return a\n\n",
            "line 9, column 5: expected an indented block after 'if' statement on line 8",
        ),
        (
            "<think>\n    return a b\n</think>\n```bash\nreturn a b\n```\n```python\ndef f(a, b):\n"
            "    return a b\n```\n",
            "    return a b\n\n",
            "line 9, column 14: invalid syntax",
        ),
        (
            "<think>\n    return a b\n</think>\nSo: ```python\ndef f(a, b): return a b\n```\n",
            "    return a b\n\n",
            "line 5, column 23: invalid syntax",
        ),
        (
            "    return a b\n\nOr:\n```python\nf(1)\n```\n",
            "    return a b\n\n",
            "line 1, column 14: invalid syntax",
        ),
        (
            "```python\ndef g(a):\n    if a:\n        return a\n    return 1\n\n"
            "def f(a):\n    if a:\n    return a ```\n",
            "        if a:\n        return a\n\n",
            "line 9, column 5: expected an indented block after 'if' statement on line 8",
        ),
        (
            "import json\ndef g(a):\n    if a:\n        return 1\n    return 2\n\n"
            "def f(a):\n    if a:\n    return 1\n",
            "    import json\n    if a:\n    return 1\n\n",
            "line 9, column 5: expected an indented block after 'if' statement on line 8",
        ),
        (
            "import os, re\ndef f(x):\n    y = z w\n    import re\n    return 1\n",
            "    import re\n    y = z w\n    import re\n    return 1\n\n",
            "line 3, column 11: invalid syntax",
        ),
        (
            "import os as\ndef f(x):\n    return 1\n",
            "    import os as\n    return 1\n\n",
            "line 1, column 13: invalid syntax",
        ),
        ("Code: ```python return 1 2```", " return 1 2", "line 1, column 26: invalid syntax"),
        ("```python x = 1\n y z ``` so", " x = 1\n y z ", "line 2, column 4: invalid syntax"),
        ("  " * 200 + "x\0", None, "source code string cannot contain null bytes"),
        ("    return '\ud800'", None, "surrogates not allowed"),
        ("    x = " + "-" * 7000 + "1", None, "too deeply nested or too long for the parser"),
        ("    x\n    y\0\n", None, "line 2, column 6: source code string cannot"),
        ("    x\n    y\0\n", None, "\nLine 2 contains U+0000 NULL."),
        ("    x\n<｜end▁of▁sentence｜>", None, "Line 2 contains <｜end▁of▁sentence｜>."),
        ("    x</s>", None, "Line 1 contains </s>."),
        ("    return x\n", None, ""),
    ],
)  # fmt: skip
def test_what_the_compiler_says_is_told_in_the_uploaded_lines(
    uploaded: str, code: str | None, said: str
) -> None:
    assert said in message(uploaded, code)
    assert bool(said) == bool(message(uploaded, code))


def test_a_compiler_that_ends_says_nothing_and_others_get_their_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    takes_long = "\n".join(f"a{number}" for number in range(1_000_000)) + " z"
    assert message(takes_long, given="") == "", "it is stopped before it comes to the fault"
    assert message("x y", given="") == "line 1, column 3: invalid syntax"
    for signal in (SIGKILL, SIGSTOP):
        compiler_messages._compiler(os.getpid()).send_signal(signal)
        with monkeypatch.context() as patch:
            patch.setattr(compiler_messages, "_PATIENCE_SECONDS", 0.5)
            assert message("x y", given="") == ""
        assert message("x y", given="") == "line 1, column 3: invalid syntax"


def test_threads_get_the_messages_of_their_own_texts() -> None:
    texts = ["\n" * number + "x y" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        messages = [*pool.map(partial(message, given=""), texts)]
    assert messages == [f"line {n}, column 3: invalid syntax" for n in range(1, 41)]


def test_code_that_continues_a_line_has_its_own_columns_and_a_reason() -> None:
    given = 'def f(x):\n    """Doc."""'
    assert message("    return x\n", given=given) == (
        "line 1, column 5: invalid syntax\nLine 1 continues the last line of the text before it."
    )
    assert message("\n    return 1 2\n", given=given) == "line 2, column 14: invalid syntax"


def test_lines_around_the_code_are_never_told() -> None:
    assert message("    return x\n", after="secret = (") == (
        "It does not end where the code around it goes on."
    )
    assert message("    return '''x\n", after="secret = '''\n  1secret") == (
        "It does not end where the code around it goes on."
    )
    assert message("    return x\n", given="def 1secret\n") == ""
    assert message("    return '''x\n", after="secret\nsecret\n") == (
        "line 1, column 12: unterminated triple-quoted string literal"
    )


@pytest.mark.parametrize(
    ("given", "uploaded", "place", "said"),
    [
        (
            "",
            "x = 1\nmatch x:\n case 1: 2\n",
            "3.9 2 7",
            "line 2, column 7: Python 3.9 does not accept it.",
        ),
        ("", "x = 1\n", "3.11 0 0", "Python 3.11 does not accept it."),
        ("1 2\n", "x = 1\nx y\n", "3.13 3 3", "line 2, column 3: Python 3.13 does not accept it."),
        ("", "x y\n", "3.13 1 3", "line 1, column 3: invalid syntax"),
        ("", "x y\n", "3.13 0 0", "line 1, column 3: invalid syntax"),
        ("", "# coding: foo\n", "3.11 0 0", "unknown encoding: foo"),
        ("", "x = 1\n", "3.9 \u0661 1", ""),
        ("secret\n", "x = 1\n", "3.9 1 1", ""),
        ("", "x = 1\n", "3.9 3 1", "It does not end where the code around it goes on."),
        ("", "x = 1\n", "print(hidden)", ""),
        ("", "x = 1\n", None, ""),
    ],
)
def test_what_another_python_refuses_has_its_place(
    given: str, uploaded: str, place: str | None, said: str
) -> None:
    first = given.count("\n") + 1
    program = Program(given + uploaded, first, uploaded, Refusal.read(place))
    assert compiler_message(program, uploaded).startswith(said)
    assert bool(said) == bool(compiler_message(program, uploaded))


@pytest.mark.parametrize("piece", ["(", "[x for ", "-", "x = 1\n", "\x0c", "'''\n"])
def test_a_text_that_is_hard_to_compile_costs_little(piece: str) -> None:
    with at_most(1):
        message(piece * (200_000 // len(piece)))


def test_a_text_of_like_lines_costs_little() -> None:
    with at_most(1):
        places_in("a\n" * 100_000, "b\n" + "a\n" * 50_000)
        places_in("b\n" + "a\n" * 100_000, "b\n" + "a\n" * 50_000)


LINES = st.lists(st.sampled_from(["", "  ", "x", "  y", "```", "\ty = 1\r"]), max_size=12)


@given(LINES, LINES)
def test_a_line_comes_from_an_equal_line_and_later_lines_from_later_ones(
    uploaded: list[str], code: list[str]
) -> None:
    places = places_in("\n".join(uploaded), "\n".join(code))
    assert len(places) == len("\n".join(code).removesuffix("\n").split("\n"))
    told = [place for place in places if place is not None]
    assert told == sorted(set(told))
    for line, place in zip(code, places, strict=False):
        assert place is None or not line.strip() or line.strip() in uploaded[place - 1]


def test_invisible_characters_have_their_names() -> None:
    assert unseen_in("a\u200b\u202e b\t\u00e9\ue000") == [
        "U+200B ZERO WIDTH SPACE",
        "U+202E RIGHT-TO-LEFT OVERRIDE",
        "U+E000 without a name",
    ]
    assert unseen_in("\x0b\x85\x81\u3164\ufe0f") == [
        "U+000B LINE TABULATION",
        "U+0081 CONTROL CHARACTER",
        "U+0085 NEXT LINE",
        "U+3164 HANGUL FILLER",
        "U+FE0F VARIATION SELECTOR-16",
    ]
    assert all(map(unseen_in, "\u034f\u115f\u1160\u2800\uffa0"))

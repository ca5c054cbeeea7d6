"""The cases whose text can't be kept as a readable UTF-8 file, or is too large to."""

from collections.abc import Iterator
from pathlib import Path

from .case import Case

_RU, _CODEIF = "rucodeeval", "codeif_function"
_WRONG_BODY = "    return 7\n"
_RIGHT_BODY = "    return sum(numbers)\n"
_WRONG = "def scale_list(numbers, factor):\n    return [7]\n"
_RIGHT = "def scale_list(numbers, factor):\n    return [n * factor for n in numbers]\n"
_TABS_BODY = "    total = 0\n    for n in numbers:\n    \ttotal += n\n    return total\n"
_FILE = Path(__file__)


def generated_cases() -> Iterator[Case]:
    """Every generated case, hostile and odd but right."""
    for name, why, ending, *status in _BROKEN_SOURCES:
        for family, start in ((_RU, _WRONG_BODY), (_CODEIF, _WRONG)):
            yield _case("source_bytes", f"{name}_{family}", family, start + ending, why, *status)
    for name, why, text in _EMPTY_TEXTS:
        for family in (_RU, _CODEIF):
            yield _case("empty", f"{name}_{family}", family, text, why)
    for name, why, text in _CODING_LINES:
        yield _case("source_bytes", name, _CODEIF, text, why, task="squeeze_text")
    for name, why, family, text in _ODD_BUT_RIGHT:
        yield _case("odd_but_right", name, family, text, why, expect="passed")


def _case(
    kind: str,
    name: str,
    family: str,
    text: str,
    why: str,
    *statuses: str,
    expect: str = "not passed",
    task: str | None = None,
) -> Case:
    return Case(
        path=_FILE.with_name(f"{name}.py"),
        kind=kind,
        family=family,
        task=task or ("add_all" if family == _RU else "scale_list"),
        expect=expect,
        why=why,
        text=text,
        statuses=frozenset(statuses),
    )


_BROKEN_SOURCES: tuple[tuple[str, ...], ...] = (
    ("null_byte", "a null byte ends the source for some readers", "\0\n"),
    ("lone_surrogate", "the source can't be encoded", "x = '\ud800'\n"),
    ("huge_integer", "a literal of a million digits", f"x = {'9' * 10**6}\n", "compile_error"),
    ("raised", "an error of the compiler's kind", "raise SyntaxError('x')\n", "runtime_error"),
    ("evaluated", "a text that does not compile", "exec('x y')\n", "runtime_error"),
    ("many_lines", "a hundred thousand statements", "x = 1\n" * 100_000, "failed", "timeout"),
    (
        "deep_parentheses",
        "parentheses nested 100,000 deep",
        "(" * 100_000 + ")" * 100_000 + "\n",
        "compile_error",
    ),
    (
        "deep_operators",
        "a tree of operators too deep for the compiler",
        "-" * 100_000 + "1\n",
        "compile_error",
    ),
    ("byte_order_mark_inside", "a byte order mark within the text", "\ufeffx = 1\n"),
    (
        "odd_line_ends",
        "line ends that only some readers see",
        "# \x0b\x0c\x1c\x85\u2028\u2029\r#\n",
    ),
    ("eight_megabytes", "a comment of eight megabytes", "#" + "x" * 2**23 + "\n"),
)

_EMPTY_TEXTS = (
    ("nothing", "an empty generation", ""),
    ("refusal", "words instead of code", "I'm sorry, but I can't help with that."),
    (
        "other_language",
        "a block of another language alone",
        "```java\nint f() { return 1; }\n```\n",
    ),
    ("empty_fence", "a fence around nothing", "```python\n```\n"),
)

_SQUEEZE_WRONG = "def squeeze_text(text):\n    return text\n\n\n"
_CODING_LINES = (
    (
        "coding_escapes_open_a_text",
        "an encoding in which an escape opens a text that swallows the test",
        "# coding: raw_unicode_escape\n" + _SQUEEZE_WRONG + "_ = \\u0022\\u0022\\u0022",
    ),
    (
        "coding_utf_7_opens_a_text",
        "an encoding in which a comment holds code",
        "# coding: utf_7\n" + _SQUEEZE_WRONG + "# +AAo-raise SystemExit\n",
    ),
    ("coding_unknown", "an encoding that doesn't exist", "# coding: no-such\n" + _SQUEEZE_WRONG),
)

_ODD_BUT_RIGHT = (
    ("crlf", "CRLF line ends", _RU, _RIGHT_BODY.replace("\n", "\r\n")),
    (
        "crlf_fenced",
        "CRLF line ends in and around a fence",
        _CODEIF,
        f"Here:\n```python\n{_RIGHT}```\nDone.\n".replace("\n", "\r\n"),
    ),
    (
        "byte_order_mark_before_fence",
        "a byte order mark before the words",
        _CODEIF,
        f"\ufeffHere:\n\n```python\n{_RIGHT}```\n",
    ),
    ("coding_line", "a coding line", _CODEIF, "# -*- coding: utf-8 -*-\n# Тест\n" + _RIGHT),
    ("tabs_body", "a loop indented by tabs", _RU, _TABS_BODY),
    ("no_line_end", "no newline at the end", _RU, _RIGHT_BODY.rstrip("\n")),
    ("comment_at_the_end", "a comment with no newline", _CODEIF, _RIGHT + "# that is all"),
    ("long_line_right", "a comment of a megabyte", _RU, f"    # {'x' * 2**20}\n{_RIGHT_BODY}"),
    ("table_right", "a table of a megabyte", _CODEIF, f"TABLE = {list(range(150_000))}\n" + _RIGHT),
    ("emoji", "characters beyond the basic plane", _RU, f'    x = "😀𝔘\\ud83d"\n{_RIGHT_BODY}'),
)

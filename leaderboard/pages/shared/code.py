"""Syntax highlighting of code that raters and teams read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from itertools import groupby, islice

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Number, String, _TokenType
from pygments.util import ClassNotFound

# Longer texts are not highlighted: a text can be crafted to make a lexer slow.
MOST_COLOURED = 50_000
# More lines are not compared: comparing takes quadratic time.
MOST_COMPARED = 1_000
_MARKS = {"+": "added", "-": "removed", "@": "comment"}
_CLASSES = ((Keyword, "keyword"), (Comment, "comment"), (String, "string"), (Number, "number"))


def coloured(text: str, language: str) -> SafeString:
    """The whole text as escaped HTML; without highlighting if the language is unknown."""
    lexer = _lexer(language) if len(text) <= MOST_COLOURED else None
    if lexer is None:
        return format_html("{}", text)
    parts = _joined(lexer.get_tokens(text))
    return format_html_join("", "{}", ((_part(name, value),) for name, value in parts))


def coloured_lines(text: str, language: str) -> list[SafeString]:
    """Each line as escaped HTML, without its line break."""
    lexer = _lexer(language) if len(text) <= MOST_COLOURED else None
    parts = _joined(lexer.get_tokens(text)) if lexer else [("", text)]
    lines: list[list[tuple[str, str]]] = [[]]
    for name, value in parts:
        first, *further = value.split("\n")
        lines[-1].append((name, first))
        lines += [[(name, one)] for one in further]
    if not text or text.endswith("\n"):
        lines.pop()
    return [
        format_html_join("", "{}", ((_part(name, value),) for name, value in line if value))
        for line in lines
    ]


def difference(before: str, after: str) -> SafeString:
    """The changed lines with three lines around each change, as escaped HTML; "" if there are none,
    or if a text is too long to compare."""
    texts = before.splitlines(), after.splitlines()
    if max(map(len, texts)) > MOST_COMPARED:
        return SafeString()
    # The first two lines name files.
    lines = islice(unified_diff(*texts, lineterm=""), 2, None)
    return format_html_join(
        "\n", "{}", ((_part(_MARKS.get(line[:1], ""), line),) for line in lines)
    )


def _lexer(language: str) -> Lexer | None:
    # By default Pygments strips blank lines and adds a final line break.
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _joined(tokens: Iterable[tuple[_TokenType, str]]) -> Iterator[tuple[str, str]]:
    named = (
        (next((name for parent, name in _CLASSES if kind in parent), ""), value)
        for kind, value in tokens
    )
    for name, group in groupby(named, key=lambda one: one[0]):
        yield name, "".join(value for _name, value in group)


def _part(name: str, value: str) -> SafeString:
    if not name:
        return format_html("{}", value)
    return format_html('<span class="{}">{}</span>', name, value)

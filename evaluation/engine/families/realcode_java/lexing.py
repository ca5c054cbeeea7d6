"""Java's text in tokens, as far as braces need: what is a literal or a comment, and what is not.

Any text has tokens, also one that no compiler takes: a string or a character that is not closed
ends with its line, a comment or a text block with the text. Unicode escapes are not translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Quantifiers are possessive and each alternative but `char` takes whatever it began: linear
# time on any text.
_TOKEN = re.compile(
    r"""
    (?P<comment> // [^\r\n]*+ | /\* (?: [^*]++ | \*(?!/) )*+ (?: \*/ )?+ )
  | (?P<literal> \"\"\" (?: [^"\\]++ | \\ (?: . | \Z ) | "(?!"") )*+ (?: \"\"\" )?+
               | " (?: [^"\\\r\n]++ | \\ [^\r\n] )*+ "?+
               | ' (?: [^'\\\r\n] | \\ (?: u++[0-9A-Fa-f]{4} | [0-7]{1,3} | [^\r\n] ) ) ' )
  | (?P<space> \s++ )
  | (?P<word> [\w$]++ )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A piece of code: a word, a literal, or one other character. `end` is where it ends."""

    text: str
    end: int


def tokens(text: str) -> Iterator[Token]:
    """The text's tokens in order, without comments and blanks between them."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup not in ("comment", "space"):
            yield Token(match.group(), match.end())


def end_of_block(code: str) -> int | None:
    """Where the block ends that was open before the code began; None where it stays open."""
    open_braces = 1
    for token in tokens(code):
        open_braces += (token.text == "{") - (token.text == "}")
        if open_braces == 0:
            return token.end
    return None

"""Java's text in tokens: what is a word, a literal, another character, and what is a comment.

Linear in any text, also one that no compiler takes: a generation of a hundred kilobytes can
bring a general parser to its knees. A string or a character that is not closed ends with its
line, a comment or a text block with the text. Unicode escapes are not translated.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Quantifiers are possessive and each alternative but a character takes whatever it began.
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
    """A piece of code from `start` on. Its kind: "word", "literal" or "other"."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokens(text: str) -> list[Token]:
    """The text's tokens in order, without comments and blanks."""
    return [
        Token(match.lastgroup or "", match.group(), match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup not in ("comment", "space")
    ]

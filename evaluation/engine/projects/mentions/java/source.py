"""Reads Java text as javac does, and gives the nodes of its syntax tree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import tree_sitter_java
from tree_sitter import Language, Node, Parser

_JAVA = Language(tree_sitter_java.language())
# A Unicode escape, with an even number of backslashes before it (JLS 3.3).
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9A-Fa-f]{4})")
# javac reads such escapes where JLS 3.3 has none: after an escaped backslash or, before JDK 16,
# after an asterisk in a comment.
_ODD_ESCAPE = re.compile(r"(?:\\u+005[Cc]|\*)\\\\+u+[0-9A-Fa-f]{4}")
_LINE_END = re.compile(r"\r\n?")
# Characters that end tree-sitter's reading, or that UTF-8 does not have.
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_SPACES = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f")
_DEEPEST = 1000
# Comments and literals: no name is in them.
_OPAQUE = ("line_comment", "block_comment", "string_literal", "character_literal")


def as_javac_reads(text: str) -> str:
    """The text after javac's first steps: without Unicode escapes, each line ended by one line
    feed. A character that UTF-8 does not have becomes a control character."""
    plain = _ESCAPE.sub(lambda match: match[1] + chr(int(match[2], 16)), text)
    whole = plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _UNREADABLE.sub("\x01", _LINE_END.sub("\n", whole))


def syntax_tree(plain: str) -> Node:
    return Parser(_JAVA).parse(plain.encode()).root_node


def unread(text: str, plain: str, root: Node, nodes: list[Node]) -> Iterator[tuple[str, int]]:
    """What javac may read in another way than this parser: it ignores some characters in names."""
    source = bytearray(plain.encode())
    for node in nodes:
        if node.type in _OPAQUE:
            inside = source[node.start_byte : node.end_byte]
            source[node.start_byte : node.end_byte] = re.sub(rb"[^\n]", b" ", inside)
    code = source.decode()
    ignored = next((at for at, each in enumerate(code) if _is_ignored(each)), None)
    if ignored is not None:
        yield "a character that javac ignores", code.count("\n", 0, ignored) + 1
    if root.has_error:
        wrong = next((node for node in nodes if node.is_error or node.is_missing), root)
        yield "a text that cannot be read", wrong.start_point[0] + 1
    if odd := _ODD_ESCAPE.search(text):
        yield "an escape that javac reads in its own way", text.count("\n", 0, odd.start()) + 1


def _is_ignored(character: str) -> bool:
    """As Java's Character.isIdentifierIgnorable."""
    return unicodedata.category(character) in ("Cc", "Cf") and character not in _SPACES


def all_nodes(root: Node) -> list[Node] | None:
    """Returns None if the tree is too deep: finding a node's parent takes time proportional to
    depth."""
    found: list[Node] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            return None
        waiting += ((child, depth + 1) for child in reversed(node.children))
        found.append(node)
    return found


def text_of(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")

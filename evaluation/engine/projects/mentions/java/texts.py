"""The literal texts of Java, joined where they are added to each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from evaluation.engine.projects.mentions.java.source import text_of

_LITERALS = ("string_literal", "character_literal")
_ESCAPE = re.compile(r"\\([0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " ", "\n": ""}
_INDENT = re.compile(r"\n[ \t\f]+")


def literal_texts(nodes: Iterable[Node]) -> Iterator[tuple[str, Node]]:
    """Each text and its first literal. `nodes`: parents come before their children."""
    done: set[int] = set()
    for node in nodes:
        if node.id not in done and (_is_sum(node) or node.type in _LITERALS):
            yield from _runs(_operands(node, done))


def _runs(operands: Iterable[Node]) -> Iterator[tuple[str, Node]]:
    text, first = "", None
    for node in operands:
        if node.type in _LITERALS:
            text, first = text + _value(node), first or node
        elif first is not None:
            yield text, first
            text, first = "", None
    if first is not None:
        yield text, first


def _operands(whole: Node, done: set[int]) -> Iterator[Node]:
    """Adds the sums and literals that it has passed to `done`."""
    waiting = [whole]
    while waiting:
        node = waiting.pop()
        if _is_sum(node) or node.type == "parenthesized_expression":
            done.add(node.id)
            waiting += reversed(node.named_children)
        elif not node.type.endswith("comment"):
            if node.type in _LITERALS:
                done.add(node.id)
            yield node


def _is_sum(node: Node) -> bool:
    if node.type != "binary_expression":
        return False
    return text_of(node.child_by_field_name("operator")) == "+"


def _value(literal: Node) -> str:
    text = text_of(literal)
    is_block = text.startswith('"""')
    inside = _INDENT.sub("\n", text[3:-3]) if is_block else text[1:-1]
    return _ESCAPE.sub(_unescaped, inside)


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code, 8)) if code.isdecimal() else _ESCAPED.get(code, code)

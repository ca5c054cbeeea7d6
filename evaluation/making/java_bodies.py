"""Cuts Java methods and constructors in RealCodeJava's format: left_context ends in the newline
after the opening brace; gt is the lines from the body's first through the closing brace;
right_context begins with the newline after that, without the file's trailing newlines."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from evaluation.making.cuts import (
    EMPTY,
    NOT_WHOLE,
    ON_ONE_LINE,
    UNDECODABLE,
    UNREADABLE,
    Cut,
    Found,
    Uncut,
    encodable,
)
from evaluation.making.java_stubs import stub_statements

AFTER_THE_BODY = "something follows the body's closing brace on its line"
# A generation without the closing brace gets the brace's whole line appended.
BEFORE_THE_BRACE = "something precedes the body's closing brace on its line"

_JAVA = Language(tree_sitter_java.language())
_FUNCTIONS = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")
_COMMENTS = ("line_comment", "block_comment")
_REST_OF_THE_SIGNATURE = re.compile(rb"[ \t\r\f]*(//[^\n]*)?\n")
_NAME = re.compile(r"[^\W\d]\w*")


def cut(text: str) -> list[Found]:
    """Every method and constructor with a body, in order; also of nested and anonymous classes."""
    if not encodable(text):
        return [Uncut("", 1, UNDECODABLE)]
    code = text.encode()
    root = Parser(_JAVA).parse(code).root_node
    functions = [node for node in walk(root) if node.type in _FUNCTIONS]
    if root.has_error and not functions:
        return [Uncut("", 1, UNREADABLE)]
    return [_cut(text, code, node) for node in functions if node.child_by_field_name("body")]


def joined(found: Cut) -> str:
    """The file under test with the function's own body, up to trailing newlines."""
    before = "" if found.left.endswith("\n") or found.body.startswith("\n") else "\n"
    after = "" if found.body.endswith("\n") or found.right.startswith("\n") else "\n"
    return found.left + before + found.body + after + found.right


def names_in(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def walk(node: Node) -> Iterator[Node]:
    """Walks without recursion, because expressions may be deep."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.named_children))


def _cut(text: str, code: bytes, node: Node) -> Found:
    name_node, block = node.child_by_field_name("name"), node.child_by_field_name("body")
    assert name_node is not None and block is not None and block.text is not None
    name = code[name_node.start_byte : name_node.end_byte].decode()
    line = name_node.start_point.row + 1
    why = _unfit(code, node, block)
    if why:
        return Uncut(name, line, why)
    start = code.index(b"\n", block.start_byte) + 1
    body = code[start : block.end_byte].decode()
    found = Cut(
        name,
        line,
        node.start_point.row + 1,
        text,
        len(code[:start].decode()),
        body,
        len(code[: block.end_byte].decode()),
        _stub(node, block, body),
        names_in(body),
    )
    if joined(found).rstrip("\n") != text.rstrip("\n"):
        return Uncut(name, line, NOT_WHOLE)
    return found


def _unfit(code: bytes, node: Node, block: Node) -> str:
    statements = [child for child in block.named_children if child.type not in _COMMENTS]
    if node.has_error:
        return UNREADABLE
    if not statements:
        return EMPTY
    if not _REST_OF_THE_SIGNATURE.match(code, block.start_byte + 1):
        return ON_ONE_LINE
    if code[code.rindex(b"\n", 0, block.end_byte) : block.end_byte - 1].strip():
        return BEFORE_THE_BRACE
    if code[block.end_byte : block.end_byte + 1] not in (b"\n", b""):
        return AFTER_THE_BODY
    return ""


def _stub(node: Node, block: Node, body: str) -> str:
    first = next(child for child in block.named_children if child.type not in _COMMENTS)
    line = body.split("\n")[first.start_point.row - block.start_point.row - 1]
    indent = line[: len(line) - len(line.lstrip())]
    brace = body[body.rindex("\n") + 1 :] if "\n" in body else body
    return "".join(f"{indent}{each}\n" for each in stub_statements(node)) + brace

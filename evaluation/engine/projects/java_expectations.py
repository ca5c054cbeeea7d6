"""Makes expectations of Java tests wrong: a value that met the original fails the changed one.

Supports the assertions of JUnit 3 to 5, TestNG, Hamcrest and AssertJ. Assertions of true, false,
null or an exception are inverted inside the call, because the opposite assertion may not be
imported. Other literals are drawn at random, so that no program can tell them from right ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from random import Random
from typing import NamedTuple

from tree_sitter import Node

_EQUAL = frozenset({"assertEquals", "assertArrayEquals", "assertIterableEquals"})
_TRUE = frozenset({"assertTrue", "assertFalse"})
_NULL = frozenset({"assertNull", "assertNotNull"})
_FLUENT_EQUAL = frozenset({"isEqualTo", "hasSize"})
_MATCHERS = frozenset({"is", "equalTo", "hasSize"})
_FLUENT_PAIRS = (("isTrue", "isFalse"), ("isNull", "isNotNull"), ("isEmpty", "isNotEmpty"))
_FLUENT_OPPOSITE = dict([*_FLUENT_PAIRS, *(pair[::-1] for pair in _FLUENT_PAIRS)])
_COLLECTIONS = frozenset({"List", "Set", "Map", "Arrays", "Collections"})
_MAKERS = frozenset({"of", "asList", "singletonList", "singleton"})
_FUNCTIONS = frozenset({"lambda_expression", "method_reference"})
# No tested code throws it, and it has no subclasses.
_NEVER = b"java.nio.BufferUnderflowException.class"
_ANY_EXCEPTION = frozenset({b"Throwable", b"Exception", b"RuntimeException"})
# Replaced numbers differ by at least 1, so a tolerance below this never accepts both.
_TOLERANCE = 0.5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Edit(NamedTuple):
    """Replaces the bytes from `start` up to `end` by `text`."""

    start: int
    end: int
    text: bytes


class Message(Enum):
    FIRST = auto()
    LAST = auto()
    UNKNOWN = auto()


def message_in(source: bytes) -> Message:
    """Depends on the frameworks that the file names: JUnit 3 and 4 put the message first."""
    last = b"org.junit.jupiter" in source or b"org.testng" in source
    first = b"org.junit.Assert" in source or b"junit.framework" in source
    if first and last:
        return Message.UNKNOWN
    return Message.LAST if last else Message.FIRST


def wrong(statement: Node, message: Message, draw: Random) -> list[Edit]:
    """Edits that make the statement's expectation wrong; empty if it has no known one."""
    call = statement.named_child(0)
    if statement.type != "expression_statement" or call is None:
        return []
    if call.type != "method_invocation" or _assigns(call):
        return []
    name, arguments = _name(call), _arguments(call)
    if name in _EQUAL:
        return _other_of(_operands(arguments, message), draw)
    if name in _TRUE | _NULL:
        return _turned(name, _only_operand(arguments, message))
    if name == "assertThrows":
        return _other_exception(arguments)
    if name == "assertThat":
        return _other_match(arguments[-1], draw) if len(arguments) > 1 else []
    return _fluent(call, name, arguments, draw) if _begins_with_assert_that(call) else []


def _assigns(node: Node) -> bool:
    """javac would not consider the variable assigned after a try."""
    return node.type == "assignment_expression" or any(map(_assigns, node.named_children))


def _text(node: Node | None) -> bytes:
    return (node.text or b"") if node is not None else b""


def _name(call: Node) -> str:
    return _text(call.child_by_field_name("name")).decode("utf-8", "replace")


def _arguments(call: Node) -> list[Node]:
    found = call.child_by_field_name("arguments")
    children = found.named_children if found is not None else []
    return [child for child in children if not child.type.endswith("comment")]


def _operands(arguments: Sequence[Node], message: Message) -> Sequence[Node]:
    """The two compared arguments; empty if ambiguous or the tolerance is too large."""
    if message is Message.FIRST and len(arguments) > 2 and _is_text(arguments[0]):
        arguments = arguments[1:]
    elif message is Message.LAST and len(arguments) > 2 and _is_message(arguments[-1]):
        arguments = arguments[:-1]
    match arguments:
        case [_, _]:
            return arguments
        case [first, second, tolerance] if _is_small(tolerance):
            return [first, second]
    return []


def _only_operand(arguments: Sequence[Node], message: Message) -> Node | None:
    match arguments:
        case [only]:
            return only
        case [text, operand] if message is Message.FIRST and _is_text(text):
            return operand
        case [operand, text] if message is Message.LAST and _is_message(text):
            return operand
    return None


def _is_text(node: Node) -> bool:
    if node.type == "binary_expression":
        return any(map(_is_text, node.named_children))
    return node.type == "string_literal"


def _is_message(node: Node) -> bool:
    return _is_text(node) or node.type == "lambda_expression"


def _is_small(node: Node) -> bool:
    try:
        return 0 <= float(_text(node).rstrip(b"fFdD")) < _TOLERANCE
    except ValueError:
        return False


def _other_of(operands: Sequence[Node], draw: Random) -> list[Edit]:
    return next((edits for operand in operands if (edits := other_literal(operand, draw))), [])


def _turned(name: str, operand: Node | None) -> list[Edit]:
    if operand is None or operand.type in _FUNCTIONS:
        return []
    before, after = b"!(", b")"
    if name in _NULL:
        before, after = b"((java.lang.Object) (", b')) == null ? "" : null'
    start, end = operand.start_byte, operand.end_byte
    return [Edit(start, start, before), Edit(end, end, after)]


def _other_exception(arguments: Sequence[Node]) -> list[Edit]:
    if len(arguments) < 2 or arguments[0].type != "class_literal":
        return []
    type_name = _text(arguments[0].named_child(0)).rpartition(b".")[2]
    return [] if type_name in _ANY_EXCEPTION else [_replaced(arguments[0], _NEVER)]


def _replaced(node: Node, text: bytes) -> Edit:
    return Edit(node.start_byte, node.end_byte, text)


def _other_match(matcher: Node, draw: Random) -> list[Edit]:
    """For Hamcrest's is(...), equalTo(...), hasSize(...) of a literal, also nested."""
    if matcher.type != "method_invocation" or _name(matcher) not in _MATCHERS:
        return []
    match _arguments(matcher):
        case [only]:
            return other_literal(only, draw) or _other_match(only, draw)
    return []


def _begins_with_assert_that(call: Node) -> bool:
    start: Node | None = call
    while start is not None and start.type == "method_invocation":
        if _name(start) == "assertThat":
            return True
        start = start.child_by_field_name("object")
    return False


def _fluent(call: Node, name: str, arguments: Sequence[Node], draw: Random) -> list[Edit]:
    if name in _FLUENT_OPPOSITE and not arguments:
        field = call.child_by_field_name("name")
        return [] if field is None else [_replaced(field, _FLUENT_OPPOSITE[name].encode())]
    if name in _FLUENT_EQUAL and len(arguments) == 1:
        return other_literal(arguments[0], draw)
    return []


def other_literal(node: Node, draw: Random) -> list[Edit]:
    """Edits that replace a literal by another; in a collection, its last replaceable element."""
    match node.type:
        case "true" | "false":
            return [_replaced(node, b"false" if node.type == "true" else b"true")]
        case "string_literal":
            return [_other_text(node, draw)]
        case "character_literal":
            letters = [letter for letter in _LETTERS if _text(node) != f"'{letter}'".encode()]
            return [_replaced(node, f"'{draw.choice(letters)}'".encode())]
        case "unary_expression" if _text(node)[:1] in (b"-", b"+"):
            return _other_of([part for part in [node.child_by_field_name("operand")] if part], draw)
        case "parenthesized_expression":
            return _other_of(node.named_children, draw)
        case "cast_expression" | "array_creation_expression":
            return _other_of([part for part in [node.child_by_field_name("value")] if part], draw)
        case "array_initializer":
            return _other_of(node.named_children[::-1], draw)
        case "method_invocation" if _makes_collection(node):
            return _other_of(_arguments(node)[::-1], draw)
    return _other_number(node, draw)


def _other_text(node: Node, draw: Random) -> Edit:
    """Letters before, after or in place of what is there."""
    quotes = 3 if _text(node).startswith(b'"""') else 1
    start, end = node.start_byte + quotes, node.end_byte - quotes
    letters = "".join(draw.choices(_LETTERS, k=draw.randint(1, 4))).encode()
    if quotes == 3 or draw.random() < 0.4:
        return Edit(end, end, letters)
    if draw.random() < 0.5:
        return Edit(start, start, letters)
    size = max(1, end - start)
    other = "".join(draw.choices(_LETTERS, k=size)).encode()
    return Edit(start, end, other if other != _text(node)[quotes:-quotes] else other + b"x")


def _makes_collection(call: Node) -> bool:
    maker = _text(call.child_by_field_name("object")).rpartition(b".")[2].decode("utf-8", "replace")
    return maker in _COLLECTIONS and _name(call) in _MAKERS


def _other_number(node: Node, draw: Random) -> list[Edit]:
    written = _text(node).decode("ascii", "replace").replace("_", "").lower()
    try:
        if node.type == "decimal_floating_point_literal":
            bare = written.rstrip("fd")
            value = float(bare)
            other = (
                str(value * 3 + draw.randint(2, 99)) if value < 1e5 else str(draw.randint(0, 99))
            )
        elif node.type.endswith("_integer_literal"):
            bare = written.rstrip("l")
            # Up to the least of the types that a literal without a cast can have: a byte.
            others = [value for value in range(100) if value != _whole(bare)]
            other = str(draw.choice(others))
        else:
            return []
    except ValueError:
        return []
    return [_replaced(node, (other + written[len(bare) :]).encode())]


def _whole(written: str) -> int:
    octal = len(written) > 1 and written.isdigit() and written[0] == "0"
    return int(written, 8) if octal else int(written, 0)

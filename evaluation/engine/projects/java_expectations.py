"""Takes expected values out of Java tests: a test asks for each of them when it needs it.

Supports the assertions of JUnit 3 to 5, TestNG, Hamcrest and AssertJ. No file of a run then holds
the literals of a test's expectations, or whether it expects true, false, null or not null. The
answer is the value itself or, in a control, another value of its type: nothing meets both. For a
variable or another expression without a call, the test asks whether to expect another value, and
derives that from a plain value.
"""

from __future__ import annotations

import re
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
# Kinds of expressions that call nothing and have the same type in any context.
_PARTS = frozenset(
    {
        *("identifier", "this", "field_access", "array_access", "parenthesized_expression"),
        *("binary_expression", "unary_expression", "string_literal", "character_literal"),
        *("decimal_integer_literal", "hex_integer_literal", "decimal_floating_point_literal"),
        *("string_fragment", "escape_sequence"),
    }
)
_FUNCTIONS = frozenset({"lambda_expression", "method_reference"})
_ANY_EXCEPTION = frozenset({b"Throwable", b"Exception", b"RuntimeException"})
# Replaced numbers differ by at least 1, so a tolerance below this never accepts both.
_TOLERANCE = 0.5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Array elements of these types may be constants of type int; other values of type int need a cast.
_NARROW = {b"byte": b"byte", b"short": b"short", b"char": b"char", b"Byte": b"byte",
           b"Short": b"short", b"Character": b"char"}  # fmt: skip
_ESCAPE = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " ",
            '"': '"', "'": "'", "\\": "\\"}  # fmt: skip


class Edit(NamedTuple):
    """Replaces the bytes from `start` up to `end` by `text`."""

    start: int
    end: int
    text: bytes


class Value(NamedTuple):
    """An expected value: the name of the method of our class that asks for it, and its text."""

    kind: str
    right: str

    def other(self, draw: Random) -> str:
        """The text of another value of the kind, drawn at random; for a class, an answer that makes
        the test expect another one."""
        match self.kind:
            case "aBoolean" | "truth":
                return "false" if self.right == "true" else "true"
            case "aChar":
                return draw.choice([each for each in _LETTERS if each != self.right])
            case "anInt" | "aLong":
                return _other_whole(int(self.right), draw)
            case "of":
                return str(draw.randrange(1, 2**31))
            case "aFloat" | "aDouble":
                value = float(self.right)
                drawn = draw.randint(2, 99)
                return str(value * 3 + drawn if value < 1e5 else drawn)
        return _other_text(self.right, draw)


def _other_whole(value: int, draw: Random) -> str:
    # Within the range of a byte, the smallest type that a literal without a cast can have.
    most = 127 if value <= 127 else value + 9
    near = [each for each in range(value - 9, value + 10) if 0 <= each <= most]
    return str(draw.choice([each for each in [*range(100), *near * 5] if each != value]))


def _other_text(text: str, draw: Random) -> str:
    """Letters before, after or in place of the text, or of one of its characters."""
    letters, at = (
        "".join(draw.choices(_LETTERS, k=draw.randint(1, 4))),
        draw.randrange(len(text) + 1),
    )
    of_its_size = "".join(draw.choices(_LETTERS, k=max(1, len(text))))
    others = (text + letters, letters + text, of_its_size, text[:at] + letters[0] + text[at + 1 :])
    other = draw.choice(others)
    return other if other != text else text + letters


class Asked:
    """The values that a test asks for; `variable` is the name of the Java variable that asks."""

    def __init__(self, variable: str) -> None:
        self._variable = variable
        self.values: list[Value] = []

    def call(self, kind: str, right: str, *arguments: bytes) -> bytes:
        """The expression that asks."""
        self.values.append(Value(kind, right))
        given = b", ".join([str(len(self.values) - 1).encode(), *arguments])
        return f"{self._variable}.{kind}(".encode() + given + b")"


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


def asking(statement: Node, message: Message, asked: Asked) -> list[Edit]:
    """Edits with which the statement asks for its expected value; empty if that is not
    recognised."""
    call = statement.named_child(0)
    if statement.type != "expression_statement" or call is None:
        return []
    if call.type != "method_invocation" or _assigns(call):
        return []
    name, arguments = _name(call), _arguments(call)
    if name in _EQUAL:
        return _first_with(_operands(arguments, message), asked)
    if name in _TRUE | _NULL:
        return _truth(statement, name, _only_operand(arguments, message), asked)
    if name == "assertThrows":
        return _exception(arguments, asked)
    if name == "assertThat":
        return _match(arguments[-1], asked) if len(arguments) > 1 else []
    return _fluent(statement, arguments, asked) if _begins_with_assert_that(call) else []


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


def _first_of(operands: Sequence[Node], asked: Asked) -> list[Edit]:
    return next((edits for operand in operands if (edits := literal(operand, asked))), [])


def _first_with(operands: Sequence[Node], asked: Asked) -> list[Edit]:
    """As _first_of(), else for the first operand without a call."""
    edits = _first_of(operands, asked)
    without = [operand for operand in operands if _is_without_call(operand)]
    if edits or not without:
        return edits
    return [_replaced(without[0], asked.call("of", "", _text(without[0])))]


def _is_without_call(node: Node) -> bool:
    return node.type in _PARTS and all(map(_is_without_call, node.named_children))


def _truth(statement: Node, name: str, operand: Node | None, asked: Asked) -> list[Edit]:
    """All four assertions become the same statement, which does not show the expected value."""
    if operand is None or operand.type in _FUNCTIONS:
        return []
    given = _text(operand)
    if name in _NULL:
        given = b"((java.lang.Object) (" + given + b")) == null"
    right = "true" if name in ("assertTrue", "assertNull") else "false"
    return [_replaced(statement, asked.call("truth", right, given) + b";")]


def _exception(arguments: Sequence[Node], asked: Asked) -> list[Edit]:
    if len(arguments) < 2 or arguments[0].type != "class_literal":
        return []
    type_name = _text(arguments[0].named_child(0)).rpartition(b".")[2]
    if type_name in _ANY_EXCEPTION:
        return []
    return [_replaced(arguments[0], asked.call("aClass", "", _text(arguments[0])))]


def _replaced(node: Node, text: bytes) -> Edit:
    return Edit(node.start_byte, node.end_byte, text)


def _match(matcher: Node, asked: Asked) -> list[Edit]:
    """For Hamcrest's is(...), equalTo(...), hasSize(...) of a literal, also nested."""
    if matcher.type != "method_invocation" or _name(matcher) not in _MATCHERS:
        return []
    match _arguments(matcher):
        case [only]:
            return _match(only, asked) or _first_with([only], asked)
    return []


def _begins_with_assert_that(call: Node) -> bool:
    start: Node | None = call
    while start is not None and start.type == "method_invocation":
        if _name(start) == "assertThat":
            return True
        start = start.child_by_field_name("object")
    return False


def _fluent(statement: Node, arguments: Sequence[Node], asked: Asked) -> list[Edit]:
    call = statement.named_children[0]
    name = _name(call)
    if name in _FLUENT_OPPOSITE and not arguments:
        return [_replaced(statement, _one_of_two(statement, call, name, asked))]
    if name in _FLUENT_EQUAL and len(arguments) == 1:
        return _first_with(arguments, asked)
    return []


def _one_of_two(statement: Node, call: Node, name: str, asked: Asked) -> bytes:
    """The statement and its opposite, in alphabetical order."""
    field, whole = call.child_by_field_name("name"), _text(statement)
    assert field is not None, "an invocation has a name"
    start, end = field.start_byte - statement.start_byte, field.end_byte - statement.start_byte
    first, second = sorted((name, _FLUENT_OPPOSITE[name]))
    asks = asked.call("aBoolean", "true" if name == first else "false")
    both = [whole[:start] + each.encode() + whole[end:] for each in (first, second)]
    return b"if (" + asks + b") { " + both[0] + b" } else { " + both[1] + b" }"


def literal(node: Node, asked: Asked, narrow: bytes = b"") -> list[Edit]:
    """Edits that ask for a literal; in a collection, for its last one. `narrow` is the element type
    of the array around the literal, if that needs a cast."""
    match node.type:
        case "true" | "false":
            return [_replaced(node, asked.call("aBoolean", node.type))]
        case "string_literal":
            return [_text_asked(node, asked)]
        case "character_literal":
            return _character(node, asked)
        case "unary_expression" if _text(node)[:1] in (b"-", b"+"):
            operand = node.child_by_field_name("operand")
            edits = [] if operand is None else literal(operand, asked)
            return _narrowed(node, edits, narrow, asked)
        case "array_creation_expression":
            made = _NARROW.get(_text(node.child_by_field_name("type")), b"")
            value = node.child_by_field_name("value")
            return [] if value is None else literal(value, asked, made)
        case "cast_expression":
            value = node.child_by_field_name("value")
            return [] if value is None else literal(value, asked)
        case "array_initializer":
            parts = node.named_children[::-1]
            return next((edits for part in parts if (edits := literal(part, asked, narrow))), [])
        case "parenthesized_expression":
            return _narrowed(node, _first_of(node.named_children, asked), narrow, asked)
        case "method_invocation" if _makes_collection(node):
            return _first_of(_arguments(node)[::-1], asked)
    return _narrowed(node, _number(node, asked), narrow, asked)


def _narrowed(node: Node, edits: list[Edit], narrow: bytes, asked: Asked) -> list[Edit]:
    if not edits or not narrow or asked.values[-1].kind != "anInt":
        return edits
    start, end = node.start_byte, node.end_byte
    return [Edit(start, start, b"(" + narrow + b") ("), *edits, Edit(end, end, b")")]


def _text_asked(node: Node, asked: Asked) -> Edit:
    """If the value depends on more than the escapes, the text stays, and the test asks for an
    addition to its end."""
    written = _text(node)
    value = None if written.startswith(b'"""') else unescaped(written[1:-1])
    if value is None:
        return _replaced(node, b"(" + written + b" + " + asked.call("aString", "") + b")")
    return _replaced(node, asked.call("aString", value))


def _character(node: Node, asked: Asked) -> list[Edit]:
    value = unescaped(_text(node)[1:-1])
    if value is None or len(value) != 1:
        return []
    return [_replaced(node, asked.call("aChar", value))]


def unescaped(body: bytes) -> str | None:
    """A Java literal's value; None if it depends on the file's encoding or on the compiler."""
    if not body.isascii():
        return None
    escapes = _ESCAPE.findall(body.decode("ascii"))
    if any(_escape(each) is None for each in escapes):
        return None
    return _ESCAPE.sub(lambda found: _escape(found[1]) or "", body.decode("ascii"))


def _escape(written: str) -> str | None:
    if written[0] in "01234567":
        return chr(int(written, 8))
    if len(written) > 1:
        value = chr(int(written.lstrip("u"), 16))
        # The compiler reads these before it finds the literal's end.
        return None if value in "\\\"'\r\n" else value
    return _ESCAPES.get(written)


def _makes_collection(call: Node) -> bool:
    maker = _text(call.child_by_field_name("object")).rpartition(b".")[2].decode("utf-8", "replace")
    return maker in _COLLECTIONS and _name(call) in _MAKERS


def _number(node: Node, asked: Asked) -> list[Edit]:
    written = _text(node).decode("ascii", "replace").replace("_", "").lower()
    try:
        if node.type == "decimal_floating_point_literal":
            kind = "aFloat" if written.endswith("f") else "aDouble"
            right = written.rstrip("fd")
            float(right)
        elif node.type.endswith("_integer_literal"):
            kind = "aLong" if written.endswith("l") else "anInt"
            bits = 64 if kind == "aLong" else 32
            value = _whole(written.rstrip("l"))
            # Hexadecimal and octal literals give the bits of negative numbers.
            right = str(value - 2**bits if value >= 2 ** (bits - 1) else value)
        else:
            return []
    except ValueError:
        return []
    return [_replaced(node, asked.call(kind, right))]


def _whole(written: str) -> int:
    octal = len(written) > 1 and written.isdigit() and written[0] == "0"
    return int(written, 8) if octal else int(written, 0)

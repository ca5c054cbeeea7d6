"""Takes expected values out of Java tests: a test asks for each of them when it needs it.

Supports the assertions of JUnit 3 to 5, TestNG, Hamcrest and AssertJ. No file of a run then holds
the plain literals of a test's expectations, or whether it expects true, false, null or not null.
The answer is the value itself or, in a control, another value of its type: nothing meets both. For
a variable, a collection or another expression that calls nothing of the project, the test asks
whether to expect another value, and derives that from a plain value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from tree_sitter import Node

_EQUAL = frozenset({"assertEquals", "assertArrayEquals", "assertIterableEquals"})
_TRUE, _NULL = frozenset({"assertTrue", "assertFalse"}), frozenset({"assertNull", "assertNotNull"})
_FLUENT_EQUAL, _MATCHERS = frozenset({"isEqualTo", "hasSize"}), {"is", "equalTo", "hasSize"}
_FLUENT_PAIRS = (("isTrue", "isFalse"), ("isNull", "isNotNull"), ("isEmpty", "isNotEmpty"))
_FLUENT_OPPOSITE = dict([*_FLUENT_PAIRS, *(pair[::-1] for pair in _FLUENT_PAIRS)])
_COLLECTIONS = frozenset({b"List", b"Set", b"Map", b"Arrays", b"Collections"})
_MAKERS = frozenset({"of", "asList", "singletonList", "singleton"})
# Kinds of expressions that call nothing.
_PARTS = re.compile(
    r"identifier|this|(field|array)_access|(parenthesized|binary|unary|cast)_expression|dimensions"
    r"|(string|character|\w+_integer|\w+_point)_literal|(multiline_)?string_fragment|escape_sequence|true|false"
    r"|array_(creation_expression|initializer)|dimensions_expr|\w*type\w*"
)
_FUNCTIONS = frozenset({"lambda_expression", "method_reference"})
_ANY_EXCEPTION = frozenset({b"Throwable", b"Exception", b"RuntimeException"})
# Replaced numbers differ by at least 1, so a tolerance below this never accepts both.
_TOLERANCE = 0.5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Texts whose escapes mean the same in Python and in any version of Java.
_PLAIN = re.compile(rb"""([^\\\x80-\xff]|\\[btnfr"'\\])*""")


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
                return draw.choice([letter for letter in _LETTERS if letter != self.right])
            case "anInt" | "aLong":
                # Of a byte, the smallest type that a literal can be cast to.
                return draw.choice([str(n) for n in range(128) if str(n) != self.right])
            case "of":
                return str(draw.randrange(1, 2**31))
            case "aFloat" | "aDouble":
                value, drawn = abs(float(self.right)), draw.randint(2, 99)
                return str(value * 3 + drawn if value < 1e5 else drawn)
        letters = "".join(draw.choices(_LETTERS, k=draw.randint(1, 4)))
        return draw.choice((self.right + letters, letters + self.right))


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


# The operands without a message, of at least so many arguments.
Operands = Callable[[Sequence[Node], int], Sequence[Node]]


def operands_in(source: bytes) -> Operands:
    """Depends on the frameworks that the file names: JUnit 3 and 4 put the message first, and the
    others last."""
    last = b"org.junit.jupiter" in source or b"org.testng" in source
    first = not last or b"org.junit.Assert" in source or b"junit.framework" in source

    def operands(arguments: Sequence[Node], fewest: int) -> Sequence[Node]:
        if len(arguments) <= fewest:
            return arguments
        if first and not last and _is_text(arguments[0]):
            return arguments[1:]
        text = _is_text(arguments[-1]) or arguments[-1].type == "lambda_expression"
        return arguments[:-1] if last and not first and text else arguments

    return operands


def asking(statement: Node, operands: Operands, asked: Asked) -> list[Edit]:
    """Edits with which the statement asks for its expected value; empty if that is not
    recognised."""
    call = statement.named_child(0)
    if statement.type != "expression_statement" or call is None:
        return []
    if call.type != "method_invocation" or _assigns(call):
        return []
    name, arguments = _name(call), _arguments(call)
    if name in _EQUAL:
        match operands(arguments, 2):
            case [first, second]:
                return _first_with([first, second], asked)
            case [first, second, tolerance] if _is_small(tolerance):
                return _first_with([first, second], asked)
        return []
    if name in _TRUE | _NULL:
        return _truth(statement, name, operands(arguments, 1), asked)
    if name == "assertThrows":
        return _exception(arguments, asked)
    if name == "assertThat":
        return _match(arguments[-1], asked) if len(arguments) > 1 else []
    return _fluent(statement, call, name, arguments, asked)


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


def _is_text(node: Node) -> bool:
    if node.type == "binary_expression":
        return any(map(_is_text, node.named_children))
    return node.type == "string_literal"


def _is_small(node: Node) -> bool:
    try:
        return 0 <= float(_text(node).rstrip(b"fFdD")) < _TOLERANCE
    except ValueError:
        return False


def _replaced(node: Node, text: bytes) -> Edit:
    return Edit(node.start_byte, node.end_byte, text)


def _first_with(operands: Sequence[Node], asked: Asked) -> list[Edit]:
    """For the first operand that is a literal, else for the first one without a call."""
    for operand in operands:
        if edits := literal(operand, asked):
            return edits
    without = [operand for operand in operands if _is_without_call(operand)]
    return [_replaced(one, asked.call("of", "", _text(one))) for one in without[:1]]


def _is_without_call(node: Node) -> bool:
    if node.type == "method_invocation":
        maker = _text(node.child_by_field_name("object")).rpartition(b".")[2]
        makes = maker in _COLLECTIONS and _name(node) in _MAKERS
        return makes and all(map(_is_without_call, _arguments(node)))
    return bool(_PARTS.fullmatch(node.type)) and all(map(_is_without_call, node.named_children))


def _truth(statement: Node, name: str, operands: Sequence[Node], asked: Asked) -> list[Edit]:
    """All four assertions become the same statement, which does not show the expected value."""
    if len(operands) != 1 or operands[0].type in _FUNCTIONS:
        return []
    given = _text(operands[0])
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


def _match(matcher: Node, asked: Asked) -> list[Edit]:
    """For Hamcrest's is(...), equalTo(...), hasSize(...) of one value, also nested."""
    if matcher.type != "method_invocation" or _name(matcher) not in _MATCHERS:
        return []
    match _arguments(matcher):
        case [only]:
            return _match(only, asked) or _first_with([only], asked)
    return []


def _fluent(
    statement: Node, call: Node, name: str, arguments: Sequence[Node], asked: Asked
) -> list[Edit]:
    start: Node | None = call
    while start is not None and _name(start) != "assertThat":
        start = start.child_by_field_name("object")
    field = call.child_by_field_name("name")
    if start is None or field is None:
        return []
    if name in _FLUENT_EQUAL and len(arguments) == 1:
        return _first_with(arguments, asked)
    if name not in _FLUENT_OPPOSITE or arguments:
        return []
    # The statement and its opposite, in alphabetical order.
    names = sorted((name, _FLUENT_OPPOSITE[name]))
    asks, whole = asked.call("aBoolean", str(name == names[0]).lower()), _text(statement)
    at, end = (place - statement.start_byte for place in (field.start_byte, field.end_byte))
    one, other = (whole[:at] + each.encode() + whole[end:] for each in names)
    return [_replaced(statement, b"if (%b) { %b } else { %b }" % (asks, one, other))]


def literal(node: Node, asked: Asked) -> list[Edit]:
    """Edits that ask for a literal, also below a cast and in brackets; empty if it is none."""
    written = _text(node)
    match node.type:
        case "true" | "false":
            return [_replaced(node, asked.call("aBoolean", node.type))]
        case "string_literal" | "character_literal":
            kind = "aString" if node.type == "string_literal" else "aChar"
            if not _PLAIN.fullmatch(written) or written.startswith(b'"""'):
                return []
            return [_replaced(node, asked.call(kind, written[1:-1].decode("unicode_escape")))]
        case "cast_expression":
            value = node.child_by_field_name("value")
            return [] if value is None else literal(value, asked)
        case "parenthesized_expression":
            return [edit for part in node.named_children[:1] for edit in literal(part, asked)]
    return _number(node, written.decode("ascii", "replace").replace("_", "").lower(), asked)


def _number(node: Node, written: str, asked: Asked) -> list[Edit]:
    try:
        if "decimal_floating_point_literal" in (node.type, _operand(node)):
            kind = "aFloat" if written.endswith("f") else "aDouble"
            return [_replaced(node, asked.call(kind, str(float(written.rstrip("fd")))))]
        if (node.type + _operand(node)).endswith("_integer_literal"):
            kind, bits = ("aLong", 64) if written.endswith("l") else ("anInt", 32)
            value = int(written.rstrip("l"), 0)
            if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
                return [_replaced(node, asked.call(kind, str(value)))]
    except ValueError:  # an octal number, or a blank after a sign
        pass
    return []


def _operand(node: Node) -> str:
    """The type of the operand of a sign; "" if the node has none."""
    operand = node.child_by_field_name("operand") if node.type == "unary_expression" else None
    return operand.type if operand is not None and _text(node)[:1] in (b"-", b"+") else ""

"""Takes expected values out of Java tests: a test asks for each of them when it needs it.

Supports the assertions of JUnit 3 to 5, TestNG, Hamcrest and AssertJ. No file of a run then holds
the plain literals of a test's expectations, or whether it expects true, false, null or not null.
The answer is the value itself or, in a control, another value of its type: nothing meets both. For
a variable, a collection or another expression that calls nothing of the project, the test asks
whether to expect another value, and derives that from a plain value.
"""

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
_COLLECTIONS = frozenset({"List", "Set", "Map", "Arrays", "Collections"})
_MAKERS = frozenset({"of", "asList", "singletonList", "singleton"})
# Kinds of expressions that call nothing.
_PARTS = re.compile(
    r"identifier|this|(field|array)_access|(parenthesized|binary|unary|cast)_expression|dimensions"
    r"|(string|character|\w+_integer|\w+_point)_literal|(multiline_)?string_fragment|escape_sequence|true|false"
    r"|array_(creation_expression|initializer)|dimensions_expr|\w*type\w*"
)
_FUNCTIONS = frozenset({"lambda_expression", "method_reference"})
_ANY_EXCEPTION = frozenset({"Throwable", "Exception", "RuntimeException"})
# Replaced numbers differ by at least 1, so a tolerance below this never accepts both.
_TOLERANCE = 0.5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Texts whose escapes mean the same in Python and in any version of Java.
_PLAIN = re.compile(r"""([^\\\x80-\U0010ffff]|\\[btnfr"'\\])*""")


# Numbers with a sign, except for octal ones.
_WHOLE = re.compile(r"(?P<value>-?(0|[1-9][0-9_]*|0[xX][0-9a-fA-F_]+))(?P<long>[lL])?")
_BROKEN = re.compile(
    r"(?P<value>-?[0-9]+(?=[.eEfFdD])(\.[0-9]*)?([eE][-+]?[0-9]+)?)((?P<single>[fF])|[dD])?"
)


class Edit(NamedTuple):
    """Replaces the bytes from `start` up to `end` by `text`."""

    start: int
    end: int
    text: str


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


# ask(kind, right, *arguments) -> the expression that asks for a value.
Ask = Callable[..., str]
# The operands without a message, of at least so many arguments.
Operands = Callable[[Sequence[Node], int], Sequence[Node]]


def operands_in(source: bytes) -> Operands:
    """Depends on the frameworks that the file names: JUnit 3 and 4 put the message first, and the
    others last."""
    last = b"org.junit.jupiter" in source or b"org.testng" in source
    first = not last or b"org.junit.Assert" in source or b"junit.framework" in source

    def operands(arguments: Sequence[Node], fewest: int) -> Sequence[Node]:
        if len(arguments) <= fewest or first == last:
            return arguments
        if first:
            return arguments[1:] if _is_text(arguments[0]) else arguments
        text = _is_text(arguments[-1]) or arguments[-1].type == "lambda_expression"
        return arguments[:-1] if text else arguments

    return operands


def asking(statement: Node, operands: Operands, ask: Ask) -> list[Edit]:
    """Edits with which the statement asks for its expected value; empty if that is not
    recognised."""
    call = statement.named_child(0)
    if call.type != "method_invocation" or _assigns(call):
        return []
    name, arguments = name_of(call), _arguments(call)
    if name in _EQUAL:
        compared = operands(arguments, 2)
        if len(compared) == 3:
            tolerance = text_of(compared[2])
            number = _BROKEN.fullmatch(tolerance) or _WHOLE.fullmatch(tolerance)
            if number is None or not 0 <= float(number["value"]) < _TOLERANCE:
                return []
        return _first_with(compared[:2], ask) if len(compared) in (2, 3) else []
    if name in _TRUE | _NULL:
        # All four assertions become the same statement, which does not show the expected value.
        values = operands(arguments, 1)
        if len(values) != 1 or values[0].type in _FUNCTIONS:
            return []
        compares = f"((java.lang.Object) ({text_of(values[0])})) == null"
        condition = compares if name in _NULL else text_of(values[0])
        right = "true" if name in ("assertTrue", "assertNull") else "false"
        return [_replaced(statement, ask("truth", right, condition) + ";")]
    if name == "assertThrows":
        if len(arguments) < 2 or arguments[0].type != "class_literal":
            return []
        if text_of(arguments[0].named_child(0)).rpartition(".")[2] in _ANY_EXCEPTION:
            return []
        return [_replaced(arguments[0], ask("aClass", "", text_of(arguments[0])))]
    if name == "assertThat":
        return _match(arguments[-1], ask) if len(arguments) > 1 else []
    return _fluent(statement, call, ask)


def _assigns(node: Node) -> bool:
    """javac would not consider the variable assigned after a try."""
    return node.type == "assignment_expression" or any(map(_assigns, node.named_children))


def text_of(node: Node | None) -> str:
    """Bytes that are not UTF-8 become lone surrogates."""
    return (node.text or b"").decode("utf-8", "surrogateescape") if node is not None else ""


def name_of(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))


def _arguments(call: Node) -> list[Node]:
    parts = call.child_by_field_name("arguments")
    children = parts.named_children if parts is not None else []
    return [child for child in children if not child.type.endswith("comment")]


def _is_text(node: Node) -> bool:
    if node.type == "binary_expression":
        return any(map(_is_text, node.named_children))
    return node.type == "string_literal"


def _replaced(node: Node, text: str) -> Edit:
    return Edit(node.start_byte, node.end_byte, text)


def _first_with(operands: Sequence[Node], ask: Ask) -> list[Edit]:
    """For the first operand that is a literal, else for the first one without a call."""
    for operand in operands:
        if edits := literal(operand, ask):
            return edits
    without = [operand for operand in operands if _is_without_call(operand)]
    return [_replaced(operand, ask("of", "", text_of(operand))) for operand in without[:1]]


def _is_without_call(node: Node) -> bool:
    if node.type == "method_invocation":
        maker = text_of(node.child_by_field_name("object")).rpartition(".")[2]
        makes = maker in _COLLECTIONS and name_of(node) in _MAKERS
        return makes and all(map(_is_without_call, _arguments(node)))
    return bool(_PARTS.fullmatch(node.type)) and all(map(_is_without_call, node.named_children))


def _match(matcher: Node, ask: Ask) -> list[Edit]:
    """For Hamcrest's is(...), equalTo(...), hasSize(...) of one value, also nested."""
    arguments = _arguments(matcher)
    if name_of(matcher) not in _MATCHERS or len(arguments) != 1:
        return []
    return _match(arguments[0], ask) or _first_with(arguments, ask)


def _fluent(statement: Node, call: Node, ask: Ask) -> list[Edit]:
    name, arguments = name_of(call), _arguments(call)
    start: Node | None = call
    while start is not None and name_of(start) != "assertThat":
        start = start.child_by_field_name("object")
    field = call.child_by_field_name("name")
    if start is None or field is None:
        return []
    if name in _FLUENT_EQUAL and len(arguments) == 1:
        return _first_with(arguments, ask)
    if name not in _FLUENT_OPPOSITE or arguments:
        return []
    # The statement and its opposite, in alphabetical order.
    names = sorted((name, _FLUENT_OPPOSITE[name]))
    asks, whole = ask("aBoolean", str(name == names[0]).lower()), statement.text or b""
    at, end = (place - statement.start_byte for place in (field.start_byte, field.end_byte))
    before, after = (part.decode("utf-8", "surrogateescape") for part in (whole[:at], whole[end:]))
    first, second = (before + method + after for method in names)
    return [_replaced(statement, f"if ({asks}) {{ {first} }} else {{ {second} }}")]


def literal(node: Node, ask: Ask) -> list[Edit]:
    """Edits that ask for a literal, also below a cast and in brackets; empty if it is none."""
    written, kind, right = text_of(node), "", ""
    if node.type in ("cast_expression", "parenthesized_expression"):
        return [edit for part in node.named_children[-1:] for edit in literal(part, ask)]
    if node.type in ("true", "false"):
        kind, right = "aBoolean", node.type
    elif node.type in ("string_literal", "character_literal"):
        if _PLAIN.fullmatch(written) and not written.startswith('"""'):
            kind = "aString" if node.type == "string_literal" else "aChar"
            right = written[1:-1].encode().decode("unicode_escape")
    elif whole := _WHOLE.fullmatch(written):
        bits, value = 63 if whole["long"] else 31, int(whole["value"].replace("_", ""), 0)
        if -(2**bits) <= value < 2**bits:
            kind, right = "aLong" if whole["long"] else "anInt", str(value)
    elif broken := _BROKEN.fullmatch(written):
        kind, right = "aFloat" if broken["single"] else "aDouble", str(float(broken["value"]))
    return [_replaced(node, ask(kind, right))] if kind else []

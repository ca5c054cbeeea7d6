"""Cuts Java methods and constructors in RealCodeJava's format: left_context ends in the newline
after the opening brace; gt is the lines from the body's first through the closing brace;
right_context begins with the newline after that, without the file's trailing newlines."""

import re
from collections.abc import Iterator

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from evaluation.engine.families.realcode_java import joined
from evaluation.engine.projects.java_expectations import text_of
from evaluation.engine.uploads.decode import is_clean
from evaluation.making import cuts
from evaluation.making.cuts import Cut, Function, Uncut

AFTER_THE_BODY = "something follows the body's closing brace on its line"
# A generation without the closing brace gets the brace's whole line appended.
BEFORE_THE_BRACE = "something precedes the body's closing brace on its line"

_JAVA = Language(tree_sitter_java.language())
_FUNCTIONS = ("method_declaration", "constructor_declaration", "compact_constructor_declaration")
_COMMENTS = ("line_comment", "block_comment")
_REST_OF_THE_SIGNATURE = re.compile(rb"[ \t\r\f]*(//[^\n]*)?\n")
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBERS = ("integral_type", "floating_point_type")
# Qualified, so that no import is needed; all exist since Java 8.
_EMPTY = {
    "java.util.Collection": "java.util.Collections.emptyList()",
    "java.util.List": "java.util.Collections.emptyList()",
    "java.util.Map": "java.util.Collections.emptyMap()",
    "java.util.Optional": "java.util.Optional.empty()",
    "java.util.Set": "java.util.Collections.emptySet()",
}
# For a constructor that has to set final fields: it throws before its end.
_THROW = "throw new UnsupportedOperationException();"


def cut(text: str) -> list[Function]:
    """Every method and constructor with a body, in order; also of nested and anonymous classes."""
    if not is_clean(text):
        return [Uncut("", 1, cuts.UNDECODABLE)]
    code = text.encode()
    root = Parser(_JAVA).parse(code).root_node
    functions = [node for node in walk(root) if node.type in _FUNCTIONS]
    if root.has_error and not functions:
        return [Uncut("", 1, cuts.UNREADABLE)]
    return [_cut(text, code, node) for node in functions if node.child_by_field_name("body")]


def names_in(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def walk(node: Node) -> Iterator[Node]:
    """Walks without recursion, because expressions may be deep."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.named_children))


def _cut(text: str, code: bytes, node: Node) -> Function:
    name_node, block = node.child_by_field_name("name"), node.child_by_field_name("body")
    assert name_node is not None and block is not None
    name, line = text_of(name_node), name_node.start_point.row + 1
    start, end = block.start_byte, block.end_byte
    statements = [child for child in block.named_children if child.type not in _COMMENTS]
    why = ""
    if node.has_error:
        why = cuts.UNREADABLE
    elif not statements:
        why = cuts.EMPTY
    elif not _REST_OF_THE_SIGNATURE.match(code, start + 1):
        why = cuts.ON_ONE_LINE
    elif code[code.rindex(b"\n", 0, end) : end - 1].strip():
        why = BEFORE_THE_BRACE
    elif code[end : end + 1] not in (b"\n", b""):
        why = AFTER_THE_BODY
    if why:
        return Uncut(name, line, why)
    start = code.index(b"\n", start) + 1
    body = code[start:end].decode()
    first = body.split("\n")[statements[0].start_point.row - block.start_point.row - 1]
    indent = first[: len(first) - len(first.lstrip())]
    brace = body[body.rfind("\n") + 1 :]
    result = Cut(
        name,
        line,
        top=node.start_point.row + 1,
        text=text,
        left_end=len(code[:start].decode()),
        body=body,
        right_start=len(code[:end].decode()),
        stub="".join(f"{indent}{statement}\n" for statement in _stub_statements(node)) + brace,
        names=names_in(body),
    )
    # The file under test with the function's own body.
    whole = joined(result.left, result.body, result.right).rstrip("\n") == text.rstrip("\n")
    return result if whole else Uncut(name, line, cuts.NOT_WHOLE)


def _stub_statements(node: Node) -> list[str]:
    """The smallest body that compiles and does nothing. A stub that does not compile fails every
    test, even if no test reaches the method."""
    if node.type == "constructor_declaration":
        return _constructor(node)
    kind = node.child_by_field_name("type")
    if kind is None or kind.type == "void_type":
        return []
    if node.child_by_field_name("dimensions"):
        # `int f()[]` returns an array, whatever type precedes the name.
        value = "null"
    elif kind.type == "boolean_type":
        value = "false"
    else:
        value = "0" if kind.type in _NUMBERS else _EMPTY.get(_full_name(kind), "null")
    return [f"return {value};"]


def _full_name(kind: Node) -> str:
    """The type without its arguments, qualified if the file imports it by name. A name from a star
    import stays unqualified, because it may mean another type."""
    name = text_of(kind.named_children[0] if kind.type == "generic_type" else kind)
    root = kind
    while root.parent is not None:
        root = root.parent
    for node in root.named_children:
        if node.type == "import_declaration":
            imported = text_of(node.named_children[0])
            if imported.endswith(f".{name}") and "static" not in text_of(node).split():
                return imported
    return name


def _constructor(node: Node) -> list[str]:
    """Keeps a call of another constructor; after `this(...)` all fields are set."""
    block, members = node.child_by_field_name("body"), node.parent
    assert block is not None and members is not None
    in_record = members.parent is not None and members.parent.type == "record_declaration"
    end = [_THROW] if in_record or any(map(_is_unset, members.named_children)) else []
    for child in block.named_children:
        if child.type == "explicit_constructor_invocation":
            target = child.child_by_field_name("constructor")
            call = " ".join(text_of(child).split("\n"))
            return [call] if target and target.type == "this" else [call, *end]
    return end


def _is_unset(member: Node) -> bool:
    if member.type != "field_declaration" or member.named_children[0].type != "modifiers":
        return False
    modifiers = {text_of(modifier) for modifier in member.named_children[0].children}
    fields = member.children_by_field_name("declarator")
    unset = any(field.child_by_field_name("value") is None for field in fields)
    return unset and "final" in modifiers and "static" not in modifiers

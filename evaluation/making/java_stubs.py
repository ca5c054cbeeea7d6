"""The smallest body of a Java method that compiles and does nothing. A stub that does not compile
fails every test, even if no test reaches the method."""

from __future__ import annotations

from tree_sitter import Node

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


def stub_statements(node: Node) -> list[str]:
    if node.type == "constructor_declaration":
        return _constructor(node)
    kind = node.child_by_field_name("type")
    if kind is None or kind.type == "void_type":
        return []
    # `int f()[]` returns an array, whatever type precedes the name.
    value = "null" if node.child_by_field_name("dimensions") else _default(kind)
    return [f"return {value};"]


def _default(kind: Node) -> str:
    if kind.type == "boolean_type":
        return "false"
    if kind.type in _NUMBERS:
        return "0"
    return _EMPTY.get(_full_name(kind), "null")


def _full_name(kind: Node) -> str:
    """The type without its arguments, qualified if the file imports it by name. A name from a star
    import stays unqualified, because it may mean another type."""
    name = _text(kind.named_children[0] if kind.type == "generic_type" else kind)
    root = kind
    while root.parent is not None:
        root = root.parent
    for each in root.named_children:
        if each.type == "import_declaration":
            imported = _text(each.named_children[0])
            if imported.endswith(f".{name}") and "static" not in _text(each).split():
                return imported
    return name


def _constructor(node: Node) -> list[str]:
    """Keeps a call of another constructor; after `this(...)` all fields are set."""
    block = node.child_by_field_name("body")
    assert block is not None
    end = [_THROW] if _has_to_set_fields(node) else []
    for child in block.named_children:
        if child.type == "explicit_constructor_invocation":
            target = child.child_by_field_name("constructor")
            call = " ".join(_text(child).split("\n"))
            return [call] if target and target.type == "this" else [call, *end]
    return end


def _has_to_set_fields(constructor: Node) -> bool:
    members = constructor.parent
    assert members is not None
    if members.parent is not None and members.parent.type == "record_declaration":
        return True
    return any(map(_is_unset, members.named_children))


def _is_unset(member: Node) -> bool:
    if member.type != "field_declaration" or member.named_children[0].type != "modifiers":
        return False
    modifiers = {_text(each) for each in member.named_children[0].children}
    fields = member.children_by_field_name("declarator")
    unset = any(each.child_by_field_name("value") is None for each in fields)
    return unset and "final" in modifiers and "static" not in modifiers


def _text(node: Node) -> str:
    return node.text.decode() if node.text is not None else ""

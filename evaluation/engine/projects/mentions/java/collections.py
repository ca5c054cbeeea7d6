"""Finds Java collections that a text compares or orders in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from evaluation.engine.projects.mentions.java.source import text_of

# An expected collection asks another one for its size and its elements.
_COLLECTION = re.compile(r"\w*(?:Collection|Set|List|Map|Queue|Deque|Vector|Stack|Table|Entry)")
# These hold what their order calls different, and compare by it.
_SORTED = re.compile(r"\b(?:TreeSet|TreeMap|ConcurrentSkipListSet|ConcurrentSkipListMap)\b")
_SORTING = ("newTreeSet", "newTreeMap")
# Methods that take a function without arguments, which makes their result.
_SUPPLIED = frozenset({"toCollection", "toMap", "groupingBy", "collect"})
# Methods that return collections.
_COLLECTED = frozenset(
    {
        *("keySet", "navigableKeySet", "entrySet", "values", "asList", "of", "copyOf", "toList"),
        *("subList", "subSet", "headSet", "tailSet", "subMap", "headMap", "tailMap"),
        *("descendingSet", "descendingMap", "singleton", "singletonList", "singletonMap"),
        *("emptySet", "emptyList", "emptyMap", "nCopies", "newArrayList", "newHashSet"),
    }
)
_ORDERS = frozenset({"String.CASE_INSENSITIVE_ORDER", "Collections.reverseOrder()"})
# Maps whose names do not end in Map.
_TABLES = frozenset({"Properties", "Attributes", "Dictionary"})
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_CREATION = "object_creation_expression"
_TYPES = (
    *("class_declaration", "record_declaration", "enum_declaration", "interface_declaration"),
)
_TYPED = (
    *("formal_parameter", "catch_formal_parameter", "enhanced_for_statement", "resource"),
    *("method_declaration", "instanceof_expression", "type_pattern", "record_pattern_component"),
)


class Declared:
    """The names that a text declares: those of its types, and whether each variable and method has
    a collection's type in all declarations of its name."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._types: set[str] = set()
        self._collections: dict[str, bool] = {}
        typed: list[tuple[str, Node | None]] = []
        for node in nodes:
            name = text_of(node.child_by_field_name("name"))
            if node.type in _TYPES:
                self._types.add(name)
            elif node.type == "type_parameter":
                self._types |= {*map(text_of, node.named_children[:1])}
            elif node.type == "variable_declarator" and node.parent is not None:
                typed.append((name, node.parent.child_by_field_name("type")))
            elif node.type in _TYPED:
                parts = (node.child_by_field_name(part) for part in ("type", "right"))
                name = name or text_of(node.named_children[-1] if node.named_children else None)
                typed.append((name, next(filter(None, parts), None)))
            elif node.type == "lambda_expression":
                parameters = node.child_by_field_name("parameters")
                typed += ((each, None) for each in re.findall(r"\w+", text_of(parameters)))
        for name, of in typed:
            known = self._collections.get(name, True)
            self._collections[name] = known and self.is_collection(of)

    def has(self, name: str) -> bool:
        return name in self._collections

    def is_collection(self, of: Node | None) -> bool:
        """Whether it is a collection's type that the text does not declare."""
        words = re.findall(r"\w+", text_of(of).partition("<")[0]) or [""]
        return bool(_COLLECTION.fullmatch(words[-1])) and words[-1] not in self._types

    def holds(self, value: Node) -> bool:
        """Whether the value is a collection, or an order of the platform's, by its names."""
        while value.type == "parenthesized_expression" and value.named_children:
            value = value.named_children[-1]
        match value.type:
            case "object_creation_expression" | "cast_expression":
                return self.is_collection(value.child_by_field_name("type"))
            case "identifier":
                return self._collections.get(text_of(value), False)
            case "field_access":
                field = text_of(value.child_by_field_name("field"))
                return self._collections.get(field, False) or self._is_platforms_order(value)
            case "method_invocation":
                name = text_of(value.child_by_field_name("name"))
                known = name in _COLLECTED or self._is_platforms_order(value)
                return self._collections.get(name, known)
        return False

    def _is_platforms_order(self, value: Node) -> bool:
        owner = text_of(value).partition(".")[0]
        return text_of(value) in _ORDERS and owner not in self._types


def own_collections(node: Node, declared: Declared) -> Iterator[str]:
    if node.type in (_CREATION, *_TYPES) and _is_collection(node):
        yield "a collection of its own"
    if _is_in_own_order(node, declared):
        yield "a sorted collection in an order of its own"


def _is_collection(node: Node) -> bool:
    """Whether a class, also a nameless one, extends or implements a collection."""
    heads = [node.child_by_field_name(name) for name in ("superclass", "interfaces")]
    heads += [each for each in node.children if each.type == "extends_interfaces"]
    inside = (each for body in node.children if body.type == "class_body" for each in body.children)
    if node.type == _CREATION and any(e.type == "method_declaration" for e in inside):
        heads.append(node.child_by_field_name("type"))
    text = " ".join(map(text_of, heads))
    while text != (text := _TYPE_ARGUMENTS.sub("", text)):
        pass
    words = re.findall(r"\w+", text)
    return any(_COLLECTION.fullmatch(word) or word in _TABLES for word in words)


def _is_in_own_order(node: Node, declared: Declared) -> bool:
    """Whether the node makes a sorted collection of anything but a collection, or gives the
    function that does to a method that may call it with an argument."""
    match node.type:
        case "object_creation_expression":
            sorts = _sorts(node.child_by_field_name("type"))
        case "method_invocation":
            sorts = text_of(node.child_by_field_name("name")) in _SORTING
        case "method_reference":
            of, name = node.children[0], text_of(node.children[-1])
            sorts = name in _SORTING or (name == "new" and _sorts(of))
            return sorts and not _is_supplier(node, declared)
        case _:
            return False
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if sorts and arguments is not None else []
    return not all(each.type.endswith("comment") or declared.holds(each) for each in given)


def _sorts(of: Node | None) -> bool:
    return bool(_SORTED.search(text_of(of).partition("<")[0]))


def _is_supplier(reference: Node, declared: Declared) -> bool:
    """Whether it is an argument of a platform's method that calls it without arguments."""
    call = reference.parent.parent if reference.parent is not None else None
    name = text_of(call.child_by_field_name("name")) if call is not None else ""
    return name in _SUPPLIED and not declared.has(name)

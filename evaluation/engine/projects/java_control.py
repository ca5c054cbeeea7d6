"""Java test files for the control of a pass: every test ends in the control's failure.

The body of each test method is wrapped in

    String how = "control: stopped";
    try { body } catch (Throwable thrown) { } finally { if (true) throw new AssertionError(how); }

This compiles with any body, because javac assumes that the condition may be false. Expectations at
the body's own level are made wrong.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from random import Random

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.projects.java_expectations import Edit, message_in, wrong

_JAVA = Language(tree_sitter_java.language())
# Maximum wrong expectations that fail before a test stops.
MOST = 12
_TESTS = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestTemplate", "Theory"})
_EXPECTED = ("expected", "expectedExceptions", "expectedExceptionsMessageRegExp")
_CLASSES = (
    *("class_declaration", "interface_declaration", "enum_declaration"),
    *("record_declaration", "program", "class_body", "interface_body"),
    *("enum_body", "enum_body_declarations"),
)
# Statements whose parts belong to the test itself. Without the arrow form of a switch, where a
# try statement cannot replace an expression.
_BLOCKS = frozenset(
    {
        *("block", "if_statement", "for_statement", "enhanced_for_statement", "while_statement"),
        *("do_statement", "labeled_statement", "synchronized_statement", "try_statement"),
        *("try_with_resources_statement", "catch_clause", "finally_clause"),
        *("switch_expression", "switch_block", "switch_block_statement_group"),
    }
)


@functools.lru_cache(maxsize=512)
def rewritten(text: str, seed: str = "") -> str | None:
    """Returns None without a parsable test. Lone surrogates in `text` are undecodable bytes. Wrong
    values depend on `seed`."""
    try:
        source = text.encode("utf-8", "surrogateescape")
        draw = Random(seed)  # noqa: S311  the seed is the secret
        edits = [edit for test in _Tests(source, draw).edits() for edit in test]
    except (UnicodeEncodeError, RecursionError):
        return None
    return _edited(source, edits).decode("utf-8", "surrogateescape") if edits else None


def _edited(source: bytes, edits: list[Edit]) -> bytes:
    """Edits at the same position keep their order."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [source[at : edit.start], edit.text]
        at = edit.end
    return b"".join([*parts, source[at:]])


def test_file(test: str, texts: Mapping[str, str]) -> str | None:
    """The file of the class of a test `package.Class::method`, or None."""
    name = test.partition("::")[0].partition("$")[0]
    path = f"{name.replace('.', '/')}.java"
    found = [each for each in texts if each == path or each.endswith(f"/{path}")]
    return min(found, key=lambda each: ("test" not in each, each), default=None)


class _Tests:
    def __init__(self, source: bytes, draw: Random) -> None:
        self._draw = draw
        self._root = Parser(_JAVA).parse(source).root_node
        self._message = message_in(source)
        self._testng = b"org.testng" in source
        names = ("End", "Refused", "Thrown")
        self._end, self._refused, self._thrown = (_new_name(name, source) for name in names)

    def edits(self) -> Iterator[list[Edit]]:
        for method in _methods(self._root):
            body = method.child_by_field_name("body")
            if body is not None and not method.has_error and self._is_test(method):
                yield [*_without_expected(method), *self._wrapped(body)]

    def _is_test(self, method: Node) -> bool:
        returned = method.child_by_field_name("type")
        if returned is None or returned.type != "void_type":
            return False
        annotations = _annotations(method)
        if annotations & _TESTS:
            return True
        owner = method.parent.parent if method.parent is not None else None
        public = any(part.text == b"public" for part in _modifier_nodes(method))
        if owner is None or not public:
            return False
        if self._testng and "Test" in _annotations(owner):
            return not annotations
        return _extends_test_case(owner) and _named_test(method)

    def _wrapped(self, body: Node) -> list[Edit]:
        tried = [edit for statement in self._statements(body) for edit in self._tried(statement)]
        start, end = body.start_byte + 1, body.end_byte - 1
        how = STOPPED if tried else THROUGH
        before = f' java.lang.String {self._end} = "{how}"; int {self._refused} = 0; try {{'
        after = (
            f"}} catch (java.lang.Throwable {self._thrown}) {{ }} "
            f"finally {{ if (true) throw new java.lang.AssertionError({self._end}); }} "
        )
        return [
            Edit(start, start, before.encode()),
            *tried,
            Edit(end, end, after.encode()),
        ]

    def _statements(self, node: Node) -> Iterator[Node]:
        """The test's own expression statements, without those whose failure may be caught."""
        catches = any(child.type == "catch_clause" for child in node.named_children)
        for child in node.named_children:
            if child.type == "expression_statement":
                yield child
            elif child.type in _BLOCKS and not (catches and child.type == "block"):
                yield from self._statements(child)

    def _tried(self, statement: Node) -> list[Edit]:
        edits = wrong(statement, self._message, self._draw)
        if not edits:
            return []
        start, end = statement.start_byte, statement.end_byte
        # Rethrow the same variable: javac then infers the checked exceptions, and accepts the
        # handlers around the statement.
        after = (
            f' {self._end} = "{THROUGH}"; }} catch (java.lang.Throwable {self._thrown}) '
            f"{{ if (++{self._refused} >= {MOST}) throw {self._thrown}; }}"
        )
        return [Edit(start, start, b"try { "), *edits, Edit(end, end, after.encode())]


def _new_name(name: str, source: bytes) -> str:
    made = f"assay{name}"
    while made.encode() in source:
        made += "_"
    return made


def _methods(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "method_declaration":
            yield child
        elif child.type in _CLASSES:
            yield from _methods(child)


def _modifier_nodes(declared: Node) -> list[Node]:
    found = [child for child in declared.named_children if child.type == "modifiers"]
    return found[0].children if found else []


def _annotations(declared: Node) -> set[str]:
    names = (part.child_by_field_name("name") for part in _modifier_nodes(declared))
    texts = ((name.text or b"").rpartition(b".")[2] for name in names if name is not None)
    return {text.decode("utf-8", "replace") for text in texts}


def _extends_test_case(owner: Node) -> bool:
    base = owner.child_by_field_name("superclass")
    return base is not None and (base.text or b"").partition(b"<")[0].endswith(b"TestCase")


def _named_test(method: Node) -> bool:
    name, parameters = (method.child_by_field_name(part) for part in ("name", "parameters"))
    bare = parameters is not None and not parameters.named_children
    return bare and name is not None and (name.text or b"").startswith(b"test")


def _without_expected(method: Node) -> list[Edit]:
    lists = (part.child_by_field_name("arguments") for part in _modifier_nodes(method))
    return [edit for found in lists if found is not None for edit in _kept(found)]


def _kept(arguments: Node) -> list[Edit]:
    pairs = arguments.named_children
    kept = [pair for pair in pairs if not _expects(pair)]
    if len(kept) == len(pairs):
        return []
    texts = b", ".join(pair.text or b"" for pair in kept)
    return [Edit(arguments.start_byte, arguments.end_byte, b"(" + texts + b")")]


def _expects(pair: Node) -> bool:
    key = pair.child_by_field_name("key")
    return key is not None and (key.text or b"").decode("utf-8", "replace") in _EXPECTED

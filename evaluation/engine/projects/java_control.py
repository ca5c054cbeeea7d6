"""Java test files that ask for their expected values while they run, and say how tests end.

The body of each test method is wrapped in

    final Helper asked = Helper.begin("package.Class::method");
    try { body } catch (Throwable thrown) { if (asked.threw(thrown)) throw thrown; }
    finally { asked.end(); }

which compiles with any body that can end. Each expectation at the body's own level is in

    try { assertion asked.held(); } catch (Throwable thrown) { if (asked.ends()) throw thrown; }

The files are the same in a run and its control: only the answers differ
(sandbox/inside/expectations.py). In a control every test ends in the control's failure.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from evaluation.engine.projects import java_helper
from evaluation.engine.projects.java_expectations import (
    Edit,
    Value,
    asking,
    name_of,
    operands_in,
    text_of,
)
from evaluation.engine.projects.suite import Rewritten
from evaluation.engine.sandbox.inside.expectations import PORT

_JAVA = Language(tree_sitter_java.language())
_TESTS = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestTemplate", "Theory"})
_EXPECTED = ("expected", "expectedExceptions")
# Statements whose parts are parts of the test itself. The arrow form of a switch is missing,
# because a try statement cannot replace an expression.
_BLOCKS = re.compile(
    r"block|(if|(enhanced_)?for|while|do|labeled|synchronized|try(_with_resources)?)_statement"
    r"|(catch|finally)_clause|switch_(expression|block|block_statement_group)"
)


@functools.lru_cache(maxsize=512)
def rewritten(text: str) -> Rewritten | None:
    """Returns None if there is no parsable test. Lone surrogates in `text` are undecodable
    bytes."""
    try:
        source = text.encode("utf-8", "surrogateescape")
        tests = _Tests(source)
        # Edits at the same position keep their order.
        edits = sorted(tests.edits(), key=lambda edit: edit.start)
    except (UnicodeEncodeError, RecursionError):
        return None
    if not edits:
        return None
    parts, at = [], 0
    for edit in edits:
        parts += [source[at : edit.start], edit.text.encode("utf-8", "surrogateescape")]
        at = edit.end
    helper = java_helper.TEXT.replace("HELPER", tests.helper).replace("PORT", str(PORT))
    made = b"".join([*parts, source[at:], helper.encode()])
    return Rewritten(made.decode("utf-8", "surrogateescape"), tests.values)


def test_file(test: str, texts: Mapping[str, str]) -> str | None:
    """The file of the class of a test `package.Class::method`, or None."""
    name = test.partition("::")[0].partition("$")[0]
    path = f"{name.replace('.', '/')}.java"
    places = [place for place in texts if place == path or place.endswith(f"/{path}")]
    return min(places, key=lambda place: ("test" not in place, place), default=None)


class _Tests:
    """`values`: those that each test asks for, by "package.Class::method"."""

    def __init__(self, source: bytes) -> None:
        self._root = Parser(_JAVA).parse(source).root_node
        self._operands = operands_in(source)
        self._testng = b"org.testng" in source
        self._asked, self._thrown = (_new_name(name, source) for name in ("Asked", "Thrown"))
        # A name that no test runner takes for that of a test class.
        first = next((name_of(node) for node in self._root.named_children if name_of(node)), "")
        self.helper = _new_name(f"{first}Values", source)
        self.values: dict[str, tuple[Value, ...]] = {}

    def edits(self) -> Iterator[Edit]:
        named = Counter[str]()
        for method in _methods(self._root):
            body, expected = method.child_by_field_name("body"), _expected(method)
            if body is not None and expected is not None and self._is_test(method):
                awaited, removed = expected
                name = f"{_full_name(method)}::{name_of(method)}"
                named[name] += 1
                id = f"{name}#{named[name]}" if named[name] > 1 else name
                yield from [*removed, *self._wrapped(id, body, awaited)]

    def _is_test(self, method: Node) -> bool:
        returned, parameters = (method.child_by_field_name(part) for part in ("type", "parameters"))
        if method.has_error or returned is None or returned.type != "void_type":
            return False
        annotations = _annotations(method)
        if annotations & _TESTS:
            return True
        owner = method.parent.parent if method.parent is not None else None
        if owner is None or not any(part.text == b"public" for part in _modifiers(method)):
            return False
        if self._testng and "Test" in _annotations(owner):
            return not annotations
        base = text_of(owner.child_by_field_name("superclass")).partition("<")[0]
        bare = parameters is not None and not parameters.named_children
        return base.endswith("TestCase") and bare and name_of(method).startswith("test")

    def _wrapped(self, id: str, body: Node, awaited: list[str]) -> list[Edit]:
        ours, thrown, values = self._asked, self._thrown, list[Value]()

        def ask(kind: str, right: str, *arguments: str) -> str:
            values.append(Value(kind, right))
            return f"{ours}.{kind}({', '.join([str(len(values) - 1), *arguments])})"

        # Rethrow the same variable: javac then infers the checked exceptions, and accepts the
        # handlers around the statement.
        refused = (
            f" {ours}.held(); }} catch (java.lang.Throwable {thrown}) "
            f"{{ if ({ours}.ends()) throw {thrown}; }}"
        )
        tried: list[Edit] = []
        for statement in _statements(body):
            if edits := asking(statement, self._operands, ask):
                first, last = statement.start_byte, statement.end_byte
                tried += [Edit(first, first, "try { "), *edits, Edit(last, last, refused)]
        self.values[id] = tuple(values)
        start, end = body.start_byte + 1, body.end_byte - 1
        arguments = ", ".join([f'"{id}"', *awaited])
        before = f" final {self.helper} {ours} = {self.helper}.begin({arguments}); try {{"
        after = (
            f"}} catch (java.lang.Throwable {thrown}) {{ if ({ours}.threw({thrown})) "
            f"throw {thrown}; }} finally {{ {ours}.end(); }} "
        )
        return [Edit(start, start, before), *tried, Edit(end, end, after)]


def _statements(node: Node) -> Iterator[Node]:
    """The test's own expression statements, without those whose failure may be caught."""
    catches = any(child.type == "catch_clause" for child in node.named_children)
    for child in node.named_children:
        if child.type == "expression_statement":
            yield child
        elif _BLOCKS.fullmatch(child.type) and not (catches and child.type == "block"):
            yield from _statements(child)


def _new_name(name: str, source: bytes) -> str:
    name = f"assay{name}"
    while name.encode() in source:
        name += "_"
    return name


def _full_name(method: Node) -> str:
    name, root = "", method
    while root.parent is not None:
        root = root.parent
        if root.type.endswith("_declaration") and name_of(root):
            name = f"{name_of(root)}${name}" if name else name_of(root)
    packages = (node for node in root.named_children if node.type == "package_declaration")
    package = next(packages, None)
    return name if package is None else f"{text_of(package.named_children[-1])}.{name}"


def _methods(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "method_declaration":
            yield child
        elif child.type.endswith(("_declaration", "_declarations", "_body")):
            yield from _methods(child)


def _modifiers(declared: Node) -> list[Node]:
    parts = [child for child in declared.named_children if child.type == "modifiers"]
    return parts[0].children if parts else []


def _annotations(declared: Node) -> set[str]:
    return {name_of(part).rpartition(".")[2] for part in _modifiers(declared) if name_of(part)}


def _expected(method: Node) -> tuple[list[str], list[Edit]] | None:
    """The exception classes that an annotation expects, one of which the test must throw, and edits
    that remove them: our class checks for them instead. None if it requires anything else."""
    awaited: list[str] = []
    edits: list[Edit] = []
    for part in _modifiers(method):
        arguments, other_pairs = part.child_by_field_name("arguments"), []
        for pair in arguments.named_children if arguments is not None else ():
            value = pair.child_by_field_name("value")
            key = text_of(pair.child_by_field_name("key"))
            if key == "expectedExceptionsMessageRegExp":
                return None
            if key not in _EXPECTED or value is None:
                other_pairs.append(text_of(pair))
                continue
            classes = value.named_children if value.type.endswith("_initializer") else [value]
            if any(node.type != "class_literal" for node in classes):
                return None
            awaited += map(text_of, classes)
        if arguments is not None and awaited:
            text = f"({', '.join(other_pairs)})"
            edits.append(Edit(arguments.start_byte, arguments.end_byte, text))
    return awaited, edits

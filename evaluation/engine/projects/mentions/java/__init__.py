"""Finds what a Java text mentions that could look at its tests, or at their judge."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tree_sitter import Node

from evaluation.engine.projects.mentions.java.collections import Declared, own_collections
from evaluation.engine.projects.mentions.java.source import (
    all_nodes,
    as_javac_reads,
    syntax_tree,
    text_of,
    unread,
)
from evaluation.engine.projects.mentions.java.texts import literal_texts

_NAMES = frozenset(
    {
        *("getStackTrace", "StackWalker", "getAllStackTraces", "dumpStack", "getClassLoader"),
        *("getContextClassLoader", "getSystemClassLoader", "URLClassLoader", "defineClass"),
        *("ClassLoader", "setAccessible", "trySetAccessible", "MethodHandles", "VarHandle"),
        *("SecurityManager", "getClassContext", "Unsafe", "Instrumentation"),
        *("ManagementFactory", "ProcessHandle", "ProcessBuilder"),
        *("Runtime", "exit", "halt", "addShutdownHook", "getenv", "setOut", "setErr", "setIn"),
        *("getResource", "getResourceAsStream", "loadClass", "loadLibrary", "getProtectionDomain"),
        # With these, a program could read what tests ask their runner.
        *("SocketImpl", "SocketImplFactory", "setSocketImplFactory", "SelectorProvider"),
        *("junit", "testng", "hamcrest", "assertj", "surefire", "JavaCompiler", "ToolProvider"),
        # A serialised or formatted exception holds its stack, a recording those of all threads.
        *("ObjectOutputStream", "XMLEncoder", "jfr", "SealedObject", "SignedObject"),
        *("MarshalledObject", "SimpleFormatter", "XMLFormatter"),
        # An object of any interface, without a class in the text.
        *("newProxyInstance", "MethodHandleProxies"),
        # With these, a collection, an address or an order calls different values equal.
        *("IdentityHashMap", "newIdentityHashSet", "URLStreamHandler", "Collator"),
        "RuleBasedCollator",
    }
)
# With these, a value decides itself what equals it.
_METHODS = ("equals", "hashCode", "compareTo")
_TEXTS = (
    *("surefire", "target/", "test-classes", "TEST-", "junit", "/proc", "src/test", "assay"),
    # Part of the names of test classes.
    "Test",
)


def of_java(text: str, _path: str = "", _paths: Collection[str] = ()) -> Mapping[str, int]:
    """Returns each mention and the line of its first occurrence."""
    found: dict[str, int] = {}
    for mention, line in _mentions(text):
        found.setdefault(mention, line)
    return found


def _mentions(text: str) -> Iterator[tuple[str, int]]:
    plain = as_javac_reads(text)
    root = syntax_tree(plain)
    nodes = all_nodes(root)
    if nodes is None:
        yield "a text that is nested too deep", 1
        return
    declared = Declared(nodes)
    for node in nodes:
        found = own_collections(node, declared) if node.child_count else _in_leaf(node)
        yield from ((mention, node.start_point[0] + 1) for mention in found)
    for literal, first in literal_texts(nodes):
        line = first.start_point[0] + 1
        yield from ((word, line) for word in _TEXTS if word in literal)
    yield from unread(text, plain, root, nodes)


def _in_leaf(node: Node) -> Iterator[str]:
    if not node.type.endswith("identifier"):
        return
    text = text_of(node)
    if text in _NAMES:
        yield text
    if text in _METHODS and _parent_type(node) == "method_declaration":
        yield f"a declaration of {text}"
    if text == "printStackTrace":
        if _parent_type(node) != "method_invocation":
            yield "a reference to printStackTrace"
        elif _has_arguments(node.parent):
            yield "printStackTrace with an argument"


def _parent_type(node: Node) -> str:
    return node.parent.type if node.parent is not None else ""


def _has_arguments(call: Node | None) -> bool:
    arguments = None if call is None else call.child_by_field_name("arguments")
    return arguments is not None and bool(arguments.named_children)

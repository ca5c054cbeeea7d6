"""Whether a generation's statements stay in their place. PYTEST_DONT_REWRITE

The file without the statements that begin on the generation's lines must have the tree of its
skeleton, which has a placeholder there, without the placeholder. They belong to what the
placeholder belongs to, and rebind no other function or class there, except a function that the file
defines below, without decorators: that definition replaces theirs."""

import ast
import sys
import warnings
from typing import Any

KIND = "code outside of the function's place"
UNCOMPILED = "does not compile"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Lines = Any  # the first and the last line of the generation, or of the placeholder


def fault(text: bytes, lines: _Lines, skeleton: bytes, placeholder: _Lines, name: str) -> Any:
    """What is wrong with the text, None if nothing is. `name` is that of the task's function. Text
    that does not parse has no fault: nobody can run it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    try:
        parted = _parted(tree, lines)
        rest = ast.parse(skeleton)
        ((parent, _),) = _parted(rest, placeholder)
        if ast.dump(tree) != ast.dump(rest):
            return "it changes the rest of the file"
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "its file cannot be compared"
    others = {node.name: _dumps(node) for node in _definitions([parent]) if node.name != name}
    for node in ast.iter_child_nodes(parent):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and not node.decorator_list
            and _line(node) > placeholder[1]
        ):
            others.pop(node.name, None)
    for owner, statements in parted:
        if (type(owner), _line(owner)) != (type(parent), _line(parent)):
            return "a statement belongs to another part of the file"
        for rebound in _rebound(statements, others):
            return f"it rebinds {rebound}"
    return None


def stop(text: bytes, skeleton: bytes) -> Any:
    """The version of Python, and the line and the column where its compiler stops, 0 if unknown;
    None if it accepts the text, or refuses the skeleton too."""
    place = None
    for code in (text, skeleton):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(code, "program.py", "exec", dont_inherit=True)
            return place
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            at = (max(getattr(error, name, None) or 0, 0) for name in ("lineno", "offset"))
            place = "{}.{} {} {}".format(*sys.version_info[:2], *at)
    return None


def _parted(tree: Any, lines: _Lines) -> Any:
    """Removes the statements that begin on these lines. Returns them in pairs with their owners."""
    parted, nodes = [], [tree]
    while nodes:
        node = nodes.pop()
        for _, field in ast.iter_fields(node):
            if isinstance(field, list):
                inner = [
                    child
                    for child in field
                    if isinstance(child, ast.stmt) and lines[0] <= _line(child) <= lines[1]
                ]
                if inner:
                    parted.append((node, inner))
                    field[:] = [child for child in field if child not in inner]
        nodes += ast.iter_child_nodes(node)
    return parted


def _line(node: Any) -> int:
    """The line on which a node begins, with its decorators; 0 for a module."""
    decorators = getattr(node, "decorator_list", [])
    return min(part.lineno for part in [node, *decorators]) if hasattr(node, "lineno") else 0


def _definitions(nodes: Any) -> Any:
    """The functions and classes of a scope, also those in its `if` and `try`."""
    for node in nodes:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DEFINITIONS):
                yield child
            elif isinstance(child, (ast.stmt, ast.ExceptHandler)):
                yield from _definitions([child])


def _dumps(definition: Any) -> Any:
    """The definition as text, as it is written and without docstrings."""
    dumps = [ast.dump(definition)]
    for node in ast.walk(definition):
        if isinstance(node, _DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return [*dumps, ast.dump(definition)]


def _rebound(statements: Any, others: Any) -> Any:
    """The names of other definitions that the statements bind, or whose attributes they set.
    Repeating a definition does not count, also without docstrings."""
    nodes = [*statements]
    while nodes:
        node = nodes.pop()
        if isinstance(node, _DEFINITIONS):
            if node.name in others and ast.dump(node) not in others[node.name]:
                yield node.name
            continue
        if isinstance(node, ast.alias):
            names = {(node.asname or node.name).partition(".")[0]}
        elif isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        else:
            names = set()
        yield from sorted(names & others.keys())
        nodes += ast.iter_child_nodes(node)

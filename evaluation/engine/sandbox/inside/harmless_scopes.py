"""The names that nodes of a syntax tree, modules and classes bind."""

import ast
from collections.abc import Iterator

from . import text


def imported_by(node: ast.AST) -> "Iterator[tuple[str, str]]":
    """The names that the node binds as an import, and their meanings."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.split(".")[0]
            yield alias.asname or first, alias.name if alias.asname else first
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def bound_by(node: ast.AST) -> "Iterator[str]":
    """The names that a node binds, except through imports and class statements."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.Global(names=names):
            yield from names


def all_bound_by(node: ast.AST) -> "Iterator[str]":
    yield from bound_by(node)
    if isinstance(node, ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]


def bound_in_module(tree: ast.Module) -> "Iterator[tuple[ast.AST, str]]":
    """The names that the module's own scope binds, and those declared global."""
    shared = (node for node in ast.walk(tree) if isinstance(node, ast.Global))
    for node in (*text.module_scope(tree), *shared):
        if not isinstance(node, ast.arg):
            yield from ((node, name) for name in all_bound_by(node))


def class_scope(kind: ast.ClassDef) -> "Iterator[ast.AST]":
    """Every node that is evaluated in the scope of the class."""
    nodes = text.module_scope(ast.Module(kind.body, []))
    return (node for node in nodes if not isinstance(node, ast.arg))


def is_read(node: "ast.Attribute | ast.Name") -> bool:
    return isinstance(node.ctx, ast.Load)


def is_special(word: str) -> bool:
    return word.startswith("__") and word.endswith("__")


def is_one_of(word: str, names: "set[str]") -> bool:
    """Also if the name of a class precedes the name, as in _Bag__next."""
    return word in names or any(n.startswith("__") and word.endswith(n) for n in names)


def is_literal(node: "ast.expr | None") -> bool:
    """Whether it is a constant or a sequence of constants."""
    items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return all(isinstance(item, ast.Constant) for item in items)


def parameters(function: ast.FunctionDef) -> "list[str]":
    """The positional ones."""
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


def uncalled(node: ast.expr) -> ast.expr:
    """The function of a call: field of field()."""
    return node.func if isinstance(node, ast.Call) else node


def unsubscribed(node: ast.expr) -> ast.expr:
    """The value of a subscript: list of list[int]."""
    return node.value if isinstance(node, ast.Subscript) else node


def last_name(base: ast.expr) -> str:
    """Inner of Outer.Inner[int]."""
    base = unsubscribed(base)
    return getattr(base, "attr", getattr(base, "id", ""))

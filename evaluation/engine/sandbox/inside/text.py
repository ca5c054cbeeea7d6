"""What the text of a program and of its tests tells, without running either."""

import ast
from collections.abc import Iterator

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What a program that gives its function other code, or another place, has to mention.
_REBINDING = {
    *("__code__", "__dict__", "__wrapped__", "__globals__", "__builtins__", "__setattr__"),
    *("co_firstlineno", "exec", "eval", "compile", "globals", "locals", "vars", "setattr"),
    *("linecache", "modules", "FunctionType", "__import__", "import_module", "attrgetter"),
    *("ctypes", "gc", "methodcaller", "__getattribute__", "__loader__", "__spec__", "inspect"),
}


def source_is_plain(program: ast.Module, name: str) -> bool:
    """Whether the text tells what the name is at the end: it is bound by definitions at the
    top alone, the last of which holds, and nothing could put other code behind it."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == name for node in program.body):
        return False
    for node in _module_scope(program):
        if isinstance(node, _DEFINITIONS) and node.name == name and node not in program.body:
            return False
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*"):
            return False
        if isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)) and node.name == name:
            return False
        if isinstance(node, ast.MatchMapping) and node.rest == name:
            return False
    return not any(_rebinds(node, name) for node in ast.walk(program))


def _rebinds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Global(names=names):
            return name in names
        case ast.Call(func=ast.Name(id="getattr"), args=[_, wanted, *_]):
            return not isinstance(wanted, ast.Constant)
        case ast.alias(name="__main__"):
            return True
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
            return word in _REBINDING
    return False


def _module_scope(program: ast.Module) -> "Iterator[ast.AST]":
    """Every node that is evaluated in the module's scope, in the order of the text."""
    todo: list[ast.AST] = list(reversed(program.body))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            todo.extend(reversed(list(ast.iter_child_nodes(node))))


def definition_line(program: ast.Module, name: str) -> "int | None":
    """First line, decorators included, of the last definition of the name at module level."""
    found = None
    for node in _module_scope(program):
        if isinstance(node, _DEFINITIONS) and node.name == name:
            found = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return found


def free_names(tests: ast.Module) -> "set[str]":
    """Names that the tests read and that are neither theirs nor builtins."""
    names = [node for node in ast.walk(tests) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tests)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    own |= {n.name for n in ast.walk(tests) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    own |= {n.arg for n in ast.walk(tests) if isinstance(n, ast.arg)}
    return {n.id for n in names if n.id not in own}


def mentions(tests: ast.Module) -> "set[str]":
    """Every name that the tests read or import, attributes and parts of modules included."""
    found = {n.id for n in ast.walk(tests) if isinstance(n, ast.Name)}
    found |= {n.attr for n in ast.walk(tests) if isinstance(n, ast.Attribute)}
    for node in ast.walk(tests):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {part for alias in node.names for part in alias.name.split(".")}
            found.add(getattr(node, "module", None) or "")
    return found


# What a program may import and still be harmless beside its tests.
_HARMLESS = {
    *("__future__", "abc", "bisect", "collections", "copy", "dataclasses", "datetime", "decimal"),
    *("enum", "fractions", "functools", "heapq", "itertools", "math", "numbers", "random", "re"),
    *("statistics", "string", "typing"),
}
_MEDDLING = _REBINDING | {
    *("open", "input", "breakpoint", "getattr", "delattr", "dir", "memoryview", "type", "super"),
    *("sys", "os", "io", "builtins", "print", "help", "exit", "quit", "object"),
}


def is_harmless(program: ast.Module) -> bool:
    """Whether the text can do nothing to tests that run in its own process but answer them.

    Judged by a short list of what it may import and mention; in doubt it is not.
    """
    return not any(_meddles(node) for node in ast.walk(program))


def _meddles(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(alias.name.split(".")[0] not in _HARMLESS for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return (module or "").split(".")[0] not in _HARMLESS or any(
                alias.name.startswith("_") or alias.name == "*" for alias in names
            )
        case ast.FunctionDef(name=word) | ast.ClassDef(name=word):
            return word.startswith("__") and word != "__init__"
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word in _MEDDLING or (word.startswith("__") and word != "__name__")
    return False

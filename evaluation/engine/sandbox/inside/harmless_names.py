"""Whether a program uses only listed modules, names, attributes and formats."""

import ast
import builtins
import string

from . import text
from .harmless_lists import (
    BUILTINS,
    MEMBERS,
    MODULES,
    OF_CLASSES,
    OF_THE_INTERPRETER,
    OF_TUPLES,
    SPECIAL_METHODS,
    SPECIAL_SETTINGS,
    SPECIAL_TEXTS,
)
from .harmless_program import Found, Program
from .harmless_scopes import is_literal, is_read, is_special

_FORMATS = {"format", "format_map"}


def imports(program: Program) -> Found:
    """Modules and members that are not listed, and modules as values."""
    yield from program.ambiguous
    for node in program.nodes:
        if isinstance(node, ast.Import):
            yield from ((node, a.name) for a in node.names if a.name not in MODULES)
        elif isinstance(node, ast.ImportFrom):
            members = MEMBERS.get(node.module or "", set()) if not node.level else set()
            others = (alias.name for alias in node.names if alias.name not in members)
            yield from ((node, f"{node.module}.{name}") for name in others)
        elif (module := program.module(node)) is not None:
            yield from _of_module(program, node, module)


def _of_module(program: Program, node: ast.AST, module: str) -> Found:
    used = program.parents[node]
    if not isinstance(used, ast.Attribute):
        if isinstance(getattr(node, "ctx", None), ast.Load):
            yield node, f"the module {module} as a value"
    elif not is_read(used) or used.attr not in MEMBERS.get(module, ()):
        yield used, f"{module}.{used.attr}"


def names(program: Program) -> Found:
    """Builtins that are not listed, and identifiers with double underscores in any place."""
    for node in program.nodes:
        if isinstance(node, ast.Name) and _is_other_builtin(node.id):
            yield node, node.id
        if isinstance(node, ast.Constant) and node.value in SPECIAL_TEXTS:
            yield node, f"the name {node.value} as text"
        if isinstance(node, ast.Name) and node.id == "__slots__" and not _is_set(program, node):
            yield node, "__slots__ that are not written out"
        for word in () if isinstance(node, ast.ImportFrom) else text.identifiers(node):
            if is_special(word) and not _is_allowed(program, node, word):
                yield node, word


def _is_other_builtin(word: str) -> bool:
    return hasattr(builtins, word) and word not in BUILTINS and not is_special(word)


def _is_set(program: Program, node: ast.Name) -> bool:
    """Whether __slots__ are written out, so that no text becomes a special name, now or later."""
    match program.parents[node]:
        case ast.Assign(targets=[_], value=value) | ast.AnnAssign(value=value):
            constants = (n.value for n in ast.walk(value or node) if isinstance(n, ast.Constant))
            return is_literal(value) and not any(is_special(str(each)) for each in constants)
    return False


def _is_allowed(program: Program, node: ast.AST, word: str) -> bool:
    match node:
        case ast.FunctionDef():
            return word in SPECIAL_METHODS
        case ast.Name(ctx=ast.Load()):
            return word == "__name__"
        case ast.Name():
            return word in SPECIAL_SETTINGS
        case ast.Attribute(value=ast.Call(func=called)) if word == "__init__" and is_read(node):
            return program.meaning(called) == "builtins.super"
        case ast.Attribute():
            return word == "__name__" and is_read(node)
    return False


def attributes(program: Program) -> Found:
    """Attributes that give classes, frames and code objects, and private attributes of others."""
    functions = (n for n in program.nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    own = {node.attr for node in program.stored} | {node.name for node in functions}
    own |= OF_TUPLES | _assigned_in_classes(program)
    for node in program.nodes:
        if isinstance(node, ast.MatchClass):
            words = node.kwd_attrs
        elif isinstance(node, ast.Attribute) and program.module(node.value) is None:
            words = [node.attr]
        else:
            continue
        for word in words:
            private = word.startswith("_") and not is_special(word) and word not in own
            if private or _is_of_enum(word) or word in OF_CLASSES | OF_THE_INTERPRETER:
                yield node, word


def _assigned_in_classes(program: Program) -> "set[str]":
    statements = (statement for kind in program.classes for statement in kind.body)
    bound = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name))
    return {n.id for n in bound if isinstance(n.ctx, ast.Store)}


def _is_of_enum(word: str) -> bool:
    """Whether it is a name of enum's own, such as _member_map_, except for a member's own names."""
    enclosed = len(word) > 2 and word[0] == word[-1] == "_" and not is_special(word)
    return enclosed and word not in ("_name_", "_value_")


def formats(program: Program) -> Found:
    """Formats whose fields read attributes or items, or that are not literals."""
    for node in program.nodes:
        if isinstance(node, ast.Attribute) and node.attr in _FORMATS:
            pattern = node.value.value if isinstance(node.value, ast.Constant) else None
            if not isinstance(pattern, str) or not _is_simple(pattern):
                yield node, f"{node.attr} with fields that are not simple"
        elif isinstance(node, ast.MatchClass) and _FORMATS & set(node.kwd_attrs):
            yield node, "format by a pattern"


def _is_simple(pattern: str) -> bool:
    try:
        parts = list(string.Formatter().parse(pattern))
    except ValueError:
        return True  # str.format raises for it too
    fields = [(name, spec) for _, name, spec, _ in parts if name is not None]
    return all(
        (not name or name.isidentifier() or name.isdigit()) and _is_simple(spec or "")
        for name, spec in fields
    )

"""Whether a program makes and changes classes in the usual ways only."""

import ast
from abc import ABC
from typing import Generic, Protocol

from .harmless_program import Found, Program
from .harmless_scopes import class_scope, is_one_of, is_read, uncalled, unsubscribed

_ENUMS = {f"enum.{name}" for name in ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum")}
# Subclasses of these compare by methods that the program can define: with __len__ and __iter__ one
# equals every set of its size, with from_float every float.
_COMPARE_BY_METHODS = {
    *("collections.abc.Set", "collections.abc.MutableSet", "fractions.Fraction"),
    *("collections.abc.Mapping", "collections.abc.MutableMapping", "collections.ChainMap"),
    *("typing.Set", "typing.MutableSet", "typing.Mapping", "typing.MutableMapping"),
}
# These change the class or function that they receive, so each may only decorate.
_OF_FUNCTIONS = {"functools.wraps", "abc.abstractmethod"}
_DECORATORS = {"dataclasses.dataclass", "functools.total_ordering", "enum.unique"} | _OF_FUNCTIONS
# These call a method of a subclass for the subclass's own objects only; enum calls _missing_ for a
# value, and __repr__ too.
CALL_FOR_OWN = (object, ABC, Generic, Protocol, BaseException)


def classes(program: Program) -> Found:
    """Metaclasses, enumerations without members, classes with several exceptions as bases."""
    for node in program.classes:
        meanings = {program.meaning(unsubscribed(base)) for base in node.bases}
        for keyword in node.keywords:
            yield node, f"the class {node.name} with {keyword.arg or '**'}"
        if not all(map(program.is_known, node.bases)):
            yield node, f"the class {node.name} with computed bases"
        if meanings & _COMPARE_BY_METHODS:
            yield node, f"the class {node.name} that compares by its methods"
        is_enum = any(program.meaning(base) in _ENUMS for base in node.bases)
        if is_enum and not _has_members(program, node):
            yield node, f"the enumeration {node.name} of an unusual form"
        kinds = program.other_bases(node)
        if len(node.bases) > 1 and any(issubclass(kind, BaseException) for kind in kinds):
            yield node, f"the class {node.name} of several exceptions"


def _has_members(program: Program, node: ast.ClassDef) -> bool:
    """Whether it certainly has a member: calling an enumeration without one makes classes."""
    allowed = (ast.Assign, ast.FunctionDef, ast.Expr, ast.Pass)
    values = [each for each in node.body if isinstance(each, ast.Assign)]
    targets = [target for each in values for target in each.targets]
    public = all(isinstance(t, ast.Name) and not t.id.startswith("_") for t in targets)
    usual = public and all(isinstance(each, allowed) for each in node.body)
    return usual and any(_is_value(program, each.value) for each in values)


def _is_value(program: Program, node: ast.expr) -> bool:
    certain = isinstance(node, (ast.Constant, ast.Tuple, ast.UnaryOp))
    return certain or (isinstance(node, ast.Call) and program.means(node.func, {"enum.auto"}))


def uses(program: Program) -> Found:
    """Listed names in a position where they could make or change classes."""
    for node in program.nodes:
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        meaning = program.meaning(node)
        if meaning is not None and not _is_well_used(program, node, meaning):
            yield node, f"{meaning.removeprefix('builtins.')} other than in its usual form"


def _is_well_used(program: Program, node: ast.AST, meaning: str) -> bool:
    above = program.parents[node]
    if meaning in _ENUMS:
        return isinstance(above, ast.ClassDef) and node in above.bases
    if meaning in _DECORATORS:
        return _decorates(program, node, meaning)
    match meaning:
        case "builtins.super":
            return _is_called(above, node, 0) and program.method(node) is not None
        case "builtins.classmethod":
            return _makes_method(program, node)
        case "builtins.type":
            return _is_called(above, node, 1) and _is_looked_at(program.parents[above])
        case "dataclasses.field":
            return _declares(program, node)
        case "typing.Type":
            return program.is_annotation(node)
    return True


def _is_called(above: ast.AST, node: ast.AST, arguments: int) -> bool:
    """Whether the node is called with this number of arguments, all by position."""
    if not isinstance(above, ast.Call) or above.func is not node or above.keywords:
        return False
    starred = any(isinstance(each, ast.Starred) for each in above.args)
    return len(above.args) == arguments and not starred


def _is_looked_at(above: ast.AST) -> bool:
    """Whether a type is only compared, formatted, or asked for its name: type(int) makes
    classes."""
    named = isinstance(above, ast.Attribute) and above.attr == "__name__"
    return named or isinstance(above, (ast.Compare, ast.FormattedValue))


def _decorates(program: Program, node: ast.AST, meaning: str) -> bool:
    """Whether it is the decorator next to a function, or one of a class's known ones."""
    above = program.parents[node]
    if meaning == "functools.wraps" and not _is_called(above, node, 1):
        return False
    decorator = above if isinstance(above, ast.Call) and above.func is node else node
    decorated = program.parents[decorator]
    decorators = getattr(decorated, "decorator_list", [])
    if isinstance(decorated, ast.ClassDef):
        known = all(returns_its_class(program, each) for each in decorators)
        return decorator in decorators and known and meaning not in _OF_FUNCTIONS
    return decorator in decorators[-1:]


def returns_its_class(program: Program, decorator: ast.expr) -> bool:
    return program.means(uncalled(decorator), _DECORATORS)


def _makes_method(program: Program, node: ast.AST) -> bool:
    """Whether classmethod decorates a method, and nothing else could receive its class."""
    method = program.parents[node]
    if not isinstance(method, ast.FunctionDef) or node not in method.decorator_list:
        return False
    known = {"builtins.classmethod", "abc.abstractmethod"}
    alone = all(program.means(each, known) for each in method.decorator_list)
    return alone and isinstance(program.parents[method], ast.ClassDef)


def _declares(program: Program, node: ast.AST) -> bool:
    """Whether field declares a field of a data class that nothing else can reach: dataclass
    executes the field's name, and keeps its type."""
    called = program.parents[node]
    declared = program.parents[called]
    kind = program.parents.get(declared)
    if not isinstance(called, ast.Call) or called.func is not node:
        return False
    if not isinstance(declared, ast.AnnAssign) or not isinstance(kind, ast.ClassDef):
        return False
    decorators = map(uncalled, kind.decorator_list)
    processed = any(program.meaning(each) == "dataclasses.dataclass" for each in decorators)
    read = {n.id for n in class_scope(kind) if isinstance(n, ast.Name) and is_read(n)}
    name = declared.target.id if isinstance(declared.target, ast.Name) else ""
    kept = any(is_one_of(each, {name}) for each in read)
    return declared.value is called and processed and not kept

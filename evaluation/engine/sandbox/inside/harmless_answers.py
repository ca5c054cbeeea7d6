"""Whether objects of a program's classes could pass for texts, numbers or collections."""

import ast
from itertools import chain

from .harmless_classes import CALL_FOR_OWN
from .harmless_program import Found, Program
from .harmless_scopes import all_bound_by, class_scope, is_literal, is_read

_USUAL = {"__init__", "__repr__", "__str__", "__slots__"}
# A class that has these too can pass for a text or a number.
_OF_TEXTS = {name for kind in (str, bytes, int, float) for name in dir(kind)} - set(dir(list))


def answers(program: Program) -> Found:
    """Finds classes that answer in place of a text, a number or a collection: a Label(str) has its
    own startswith."""
    texts = program.tests.methods & _OF_TEXTS
    for kind in program.classes:
        own = [(one, _members(one)) for one in program.own_bases(kind)]
        others = set().union(*map(_answered_by, program.other_bases(kind)))
        for one, names in own:
            fields = _fields(one) if tuple in program.other_bases(one) else set()
            for name in sorted(names & texts | (names - fields) & others):
                yield kind, f"{name} of {one.name}"
    for node in program.nodes if texts else ():
        tuples = program.meaning(node) in ("collections.namedtuple", "typing.NamedTuple")
        if tuples and not _is_written_out(program, node, texts):
            yield node, "a tuple with names that are not written out"


def _answered_by(base: type) -> "set[str]":
    apart = ("collections.abc", "enum")
    kinds = [each for each in base.__mro__ if each not in CALL_FOR_OWN]
    kinds = [k for k in kinds if k.__module__ not in apart and not issubclass(k, BaseException)]
    return set(chain(*map(vars, kinds))) - _USUAL


def _members(kind: ast.ClassDef) -> "set[str]":
    """Names that the class gives itself and its objects."""
    attributes = (n for n in ast.walk(kind) if isinstance(n, ast.Attribute))
    stored = (n.attr for n in attributes if not is_read(n))
    return {*chain(*map(all_bound_by, class_scope(kind))), *stored}


def _fields(kind: ast.ClassDef) -> "set[str]":
    declared = (n.target for n in kind.body if isinstance(n, ast.AnnAssign))
    return {target.id for target in declared if isinstance(target, ast.Name)}


def _is_written_out(program: Program, node: ast.AST, texts: "set[str]") -> bool:
    above = program.parents[node]
    if isinstance(above, ast.ClassDef):
        return True
    if not isinstance(above, ast.Call) or above.func is not node or len(above.args) != 2:
        return False
    constants = (n for n in ast.walk(above) if isinstance(n, ast.Constant))
    words = {w for n in constants for w in str(n.value).replace(",", " ").split()}
    return all(map(is_literal, above.args)) and not words & texts

"""Holds a parsed Python text with what the rules ask: its names, their owners, its project."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property

from evaluation.engine.projects.mentions.python.answers import Answers
from evaluation.engine.projects.mentions.python.bindings import Bindings
from evaluation.engine.projects.mentions.python.modules import IMPORTING, is_sys
from evaluation.engine.projects.mentions.python.names import Names
from evaluation.engine.projects.mentions.python.nodes import (
    constant,
    is_long,
    joined,
    last_name,
    texts_of,
)
from evaluation.engine.projects.mentions.python.project import (
    is_of_tests,
    test_folders,
    test_modules,
    test_names,
)

# Functions that give an object which tests use, too.
_SHARED = frozenset({"decimal.getcontext"})


class Program:
    def __init__(self, tree: ast.Module, path: str, paths: frozenset[str]) -> None:
        bindings = Bindings(tree)
        answers = Answers(bindings)
        self.nodes = bindings.nodes
        self.values = bindings.values
        self.lost = bindings.lost
        self.names = Names(bindings, answers)
        self.path, self.paths = path, paths
        self.package = path.split("/")[:-1]
        # Tests may use each other.
        others = frozenset() if is_of_tests(path) else paths
        self.test_modules = test_modules(others)
        self.test_names = test_names(others)
        self.test_folders = test_folders(others)
        parts = {part for each in paths for part in each.removesuffix(".py").split("/")[:2]}
        self.project = parts - sys.stdlib_module_names
        self._ask = answers.ask
        self._imported = dict(_imports(self.nodes))
        modules = set(self._imported.values())
        # Whether sys may have another name than that of `import sys`.
        self.other_sys = any(map(is_sys, modules - {"sys"})) or any(map(_gives_sys, self.nodes))
        self.any_sys = self.other_sys or "sys" in modules

    @cached_property
    def parents(self) -> dict[int, ast.AST]:
        return {id(child): node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def text(self, node: ast.AST) -> str:
        """The text of a literal, or that literals are joined to by `+`, or ""; bytes count as
        Latin-1, and a sum within a sum has no text."""
        if isinstance(node, ast.BinOp) and not _is_sum(self.parents[id(node)]):
            return joined(node)
        value = node.value if isinstance(node, ast.Constant) else None
        return value.decode("latin-1") if isinstance(value, bytes) else constant(node)

    def is_called(self, node: ast.expr) -> bool:
        parent = self.parents[id(node)]
        return isinstance(parent, ast.Call) and parent.func is node

    def owner(self, node: ast.expr) -> str:
        """The full name of an imported module, class or attribute of one, or ""."""
        return "" if is_long(node) else self._owner(node)

    def _owner(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                values = self.values(node)
                imported = "" if values and None not in values else self._imported.get(name, "")
                return imported or self._aliased(node)
            case ast.Attribute() if owner := self._owner(node.value):
                return f"{owner}.{node.attr}"
            case ast.Call(func=how, args=[which, *_]) if last_name(how) in IMPORTING:
                return str(which.value) if isinstance(which, ast.Constant) else "a module"
            case ast.Call(
                func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]
            ) if owner := self.owner(value):
                return f"{owner}.{name}"
            case ast.Call(func=ast.Name() | ast.Attribute() as how):
                owner = self._owner(how)
                return f"{owner}()" if owner in _SHARED else ""
        return ""

    def _aliased(self, node: ast.Name) -> str:
        """The full name of an imported object that a local name holds: `other = json.decoder`."""
        values = (each for each in self.values(node) if isinstance(each, ast.expr))
        return self._ask(
            "owner",
            node,
            lambda: next(filter(None, map(self.owner, values)), ""),
            again="",
            lost="a name of a name",
        )


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def _gives_sys(node: ast.AST) -> bool:
    """Whether the node may be sys under another name than that of `import sys`."""
    match node:
        case ast.Attribute(attr=name):
            return is_sys(name)
        case ast.MatchClass(kwd_attrs=names):
            return any(map(is_sys, names))
        case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
            return module.partition(".")[0] in sys.stdlib_module_names
        case ast.Call():
            return any(map(is_sys, texts_of(node)))
    return False


def _imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    top = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (top, top)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for alias in names:
                    yield alias.asname or alias.name, f"{module}.{alias.name}"
            case ast.ImportFrom(names=names):
                yield from (
                    (each.asname or each.name, "sys") for each in names if each.name == "sys"
                )
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=how, args=[which, *_]),
            ) if last_name(how) in IMPORTING:
                yield name, str(which.value) if isinstance(which, ast.Constant) else "a module"

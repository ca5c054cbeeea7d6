"""Finds the expressions that each name of a Python text may hold."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from evaluation.engine.projects.mentions.python.nodes import FUNCTIONS, Function, last_name

# Calls that give a parameter a value, counted for each function of the called name.
_CALLS = 200_000


@dataclass(eq=False)
class _Scope:
    node: ast.AST
    outer: _Scope | None
    # None is a value that the text does not contain.
    values: dict[str, list[ast.AST | None]] = field(default_factory=lambda: defaultdict(list))
    elsewhere: set[str] = field(default_factory=set)

    def holding(self, name: str) -> _Scope | None:
        scope: _Scope | None = self
        while scope is not None and (name not in scope.values or name in scope.elsewhere):
            scope = scope.outer
        return scope

    def bind(self, name: str, value: ast.AST | None) -> None:
        scope = self
        while name in scope.elsewhere and scope.outer is not None:
            scope = scope.outer
        scope.values[name].append(value)


class Bindings:
    def __init__(self, tree: ast.Module) -> None:
        self.nodes = [*ast.walk(tree)]
        self._scopes: dict[int, _Scope] = {}
        # The class around a function or class, by the id of the latter.
        self.outer_class: dict[int, ast.ClassDef] = {}
        # The ids of functions and classes inside functions.
        self.local: set[int] = set()
        # Whether the text has too many calls to follow.
        self.lost = False
        self._place(tree)
        for node in self.nodes:
            self._bind(node)
        functions = [node for node in self.nodes if isinstance(node, FUNCTIONS)]
        self.lost = sum(len(self.calls[each.name]) for each in functions) > _CALLS
        for each in [] if self.lost else functions:
            self._bind_arguments(each)

    def holding(self, name: ast.Name) -> _Scope | None:
        """The scope that has the name, or None."""
        return self._scopes[id(name)].holding(name.id)

    def values(self, name: ast.Name) -> list[ast.AST | None]:
        """The expressions, functions and classes that a name may hold; None for others."""
        scope = self.holding(name)
        return [] if scope is None else scope.values[name.id]

    def _place(self, tree: ast.Module) -> None:
        """Finds the scope of each node. Comprehensions belong to the scope around them."""
        waiting: list[tuple[ast.AST, _Scope]] = [(tree, _Scope(tree, None))]
        while waiting:
            node, scope = waiting.pop()
            self._scopes[id(node)] = scope
            inner = scope
            if isinstance(node, ast.ClassDef | Function):
                function = isinstance(scope.node, ast.ClassDef)
                outer = scope.outer if function and not isinstance(node, ast.ClassDef) else scope
                inner = _Scope(node, outer)
                if isinstance(scope.node, ast.ClassDef):
                    self.outer_class[id(node)] = scope.node
                if isinstance(scope.node, Function):
                    self.local.add(id(node))
            if isinstance(node, ast.Global | ast.Nonlocal):
                scope.elsewhere.update(node.names)
            around = {id(each) for each in _around(node)}
            waiting += [
                (child, scope if id(child) in around else inner)
                for child in ast.iter_child_nodes(node)
            ]

    def _bind(self, node: ast.AST) -> None:
        scope = self._scopes[id(node)]
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                scope.bind(name, node)
                self._bind_parameters(node)
            case ast.Lambda():
                self._bind_parameters(node)
            case ast.ClassDef(name=name):
                scope.bind(name, node)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    scope.bind(alias.asname or alias.name.partition(".")[0], None)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                scope.bind(name, None)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                scope.bind(name, None)
            case _:
                for target, value in stores(node):
                    if isinstance(target, ast.Name):
                        scope.bind(target.id, value)

    def _bind_parameters(self, function: Function) -> None:
        arguments = function.args
        inner = self._scopes[id(arguments)]
        places = [*arguments.posonlyargs, *arguments.args]
        defaults = [*[None] * (len(places) - len(arguments.defaults)), *arguments.defaults]
        for place, default in zip(places, defaults, strict=True):
            inner.bind(place.arg, None)
            if default is not None:
                inner.bind(place.arg, default)
        for place, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            inner.bind(place.arg, default)
        for rest in filter(None, (arguments.vararg, arguments.kwarg)):
            inner.bind(rest.arg, None)

    def _bind_arguments(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Binds parameters to what the text's calls give."""
        inner = self._scopes[id(function.args)]
        places = [*function.args.posonlyargs, *function.args.args]
        for call in self.calls[function.name]:
            made = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
            if isinstance(call.func, ast.Attribute) and not self.names_class(call.func.value):
                continue
            shift = int(made)
            for place, value in zip(places[shift:], call.args, strict=False):
                if self.method(value) is None:
                    inner.bind(place.arg, value)
            for each in call.keywords:
                if each.arg in inner.values:
                    inner.bind(each.arg, each.value)

    @cached_property
    def calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = defaultdict(list)
        for node in self.nodes:
            if isinstance(node, ast.Call):
                found[last_name(node.func)].append(node)
        return found

    @cached_property
    def functions(self) -> set[str]:
        return {node.name for node in self.nodes if isinstance(node, FUNCTIONS)}

    @cached_property
    def methods(self) -> set[str]:
        classes = (node for node in self.nodes if isinstance(node, ast.ClassDef))
        return {name for each in classes for name in self.methods_of(each)}

    def methods_of(self, owner: ast.ClassDef) -> set[str]:
        """The functions of a class that are no properties."""
        functions = (node for node in owner.body if isinstance(node, FUNCTIONS))
        return {
            node.name
            for node in functions
            if not any("property" in last_name(each) for each in node.decorator_list)
        }

    def method(self, name: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The method that has the name as its first parameter, or None."""
        if not isinstance(name, ast.Name):
            return None
        scope = self.holding(name)
        method = scope.node if scope else None
        if not isinstance(method, FUNCTIONS) or id(method) not in self.outer_class:
            return None
        places = [*method.args.posonlyargs, *method.args.args]
        static = any(last_name(each) == "staticmethod" for each in method.decorator_list)
        return method if places and places[0].arg == name.id and not static else None

    def names_class(self, node: ast.expr) -> bool:
        """Whether it is a class of the text, or an object that is made of one."""
        name = node.func if isinstance(node, ast.Call) else node
        return isinstance(name, ast.Name) and any(
            isinstance(each, ast.ClassDef) for each in self.values(name)
        )


def stores(node: ast.AST) -> Iterator[tuple[ast.expr, ast.AST | None]]:
    """Each target of a node that binds, with its value, or None if the text does not show it."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=items) | ast.AsyncFor(target=target, iter=items):
            yield from _each(target, items)
        case ast.comprehension(target=target, iter=items):
            yield from _each(target, items)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from _pairs(target, None)


def _pairs(target: ast.expr, value: ast.AST | None) -> Iterator[tuple[ast.expr, ast.AST | None]]:
    match target, value:
        case (
            (ast.Tuple(elts=parts) | ast.List(elts=parts)),
            (ast.Tuple(elts=values) | ast.List(elts=values)),
        ) if len(parts) == len(values):
            for part, each in zip(parts, values, strict=True):
                yield from _pairs(part, each)
        case ((ast.Tuple(elts=parts) | ast.List(elts=parts)), _):
            for part in parts:
                yield from _pairs(part, None)
        case ast.Starred(value=inner), _:
            yield from _pairs(inner, None)
        case _:
            yield target, value


def _each(target: ast.expr, items: ast.expr) -> Iterator[tuple[ast.expr, ast.AST | None]]:
    match items:
        case ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values):
            for value in values:
                yield from _pairs(target, value)
        case _:
            yield from _pairs(target, None)


def _around(node: ast.AST) -> list[ast.AST]:
    """The children of a function or class that are evaluated outside it."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *filter(None, [node.returns])]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
    return []

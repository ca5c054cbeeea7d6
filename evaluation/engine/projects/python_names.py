"""Tells what the names of a Python text may hold: the text's own objects, its code, or neither.

Reads the text alone. Knows nothing of what the names could be used for.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

# From a name to another one, and in all for a question. A text that needs more hides something.
_DEEPEST = 50
_STEPS = 500
# Calls that give a parameter a value, counted for each function of the called name.
_CALLS = 200_000
T = TypeVar("T")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# Functions that return their argument, or an object that calls it.
_WRAPPERS = frozenset(
    {
        *("partial", "partialmethod", "MethodType", "staticmethod", "classmethod", "property"),
        *("lru_cache", "cache", "cached_property", "singledispatch", "contextmanager", "wraps"),
        *("update_wrapper", "cast", "copy", "deepcopy", "next", "iter", "get", "pop", "setdefault"),
    }
)
# With one of these, a class's object acts where an object of another class is expected.
_ACTING = frozenset({"__call__", "__get__", "__getattr__", "__getattribute__"})


@dataclass(eq=False)
class _Scope:
    node: ast.AST
    outer: _Scope | None
    # A None stands for a value that the text does not show.
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


class Names:
    def __init__(self, tree: ast.Module) -> None:
        self.nodes = [*ast.walk(tree)]
        self._scopes: dict[int, _Scope] = {}
        self._outer_class: dict[int, ast.ClassDef] = {}
        self._local: set[int] = set()
        self._answers: dict[object, object] = {}
        # Whether the text has too many calls to follow.
        self.lost = False
        self._known: dict[object, object] = {}
        self._depth = 0
        self._place(tree)
        for node in self.nodes:
            self._bind(node)
        functions = [node for node in self.nodes if isinstance(node, _FUNCTIONS)]
        self.lost = sum(len(self._calls[each.name]) for each in functions) > _CALLS
        for each in [] if self.lost else functions:
            self._bind_arguments(each)

    def values(self, name: ast.Name) -> list[ast.AST | None]:
        """The expressions, functions and classes that a name may hold; None for others."""
        scope = self._scopes[id(name)].holding(name.id)
        return [] if scope is None else scope.values[name.id]

    @cached_property
    def parents(self) -> dict[int, ast.AST]:
        return {id(child): node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def _place(self, tree: ast.Module) -> None:
        """Finds the scope of each node. Comprehensions belong to the scope around them."""
        waiting: list[tuple[ast.AST, _Scope]] = [(tree, _Scope(tree, None))]
        while waiting:
            node, scope = waiting.pop()
            self._scopes[id(node)] = scope
            inner = scope
            if isinstance(node, ast.ClassDef | _Function):
                function = isinstance(scope.node, ast.ClassDef)
                outer = scope.outer if function and not isinstance(node, ast.ClassDef) else scope
                inner = _Scope(node, outer)
                if isinstance(scope.node, ast.ClassDef):
                    self._outer_class[id(node)] = scope.node
                if isinstance(scope.node, _Function):
                    self._local.add(id(node))
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

    def _bind_parameters(self, function: _Function) -> None:
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
        for call in self._calls[function.name]:
            made = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
            if isinstance(call.func, ast.Attribute) and not self._names_class(call.func.value):
                continue
            shift = int(made)
            for place, value in zip(places[shift:], call.args, strict=False):
                if self._method(value) is None:
                    inner.bind(place.arg, value)
            for each in call.keywords:
                if each.arg in inner.values:
                    inner.bind(each.arg, each.value)

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = defaultdict(list)
        for node in self.nodes:
            if isinstance(node, ast.Call):
                found[_last(node.func)].append(node)
        return found

    @cached_property
    def _functions(self) -> set[str]:
        return {node.name for node in self.nodes if isinstance(node, _FUNCTIONS)}

    @cached_property
    def _methods(self) -> set[str]:
        classes = (node for node in self.nodes if isinstance(node, ast.ClassDef))
        return {name for each in classes for name in self._methods_of(each)}

    def _methods_of(self, owner: ast.ClassDef) -> set[str]:
        """The functions of a class that are no properties."""
        functions = (node for node in owner.body if isinstance(node, _FUNCTIONS))
        return {
            node.name
            for node in functions
            if not any("property" in _last(each) for each in node.decorator_list)
        }

    def ask(self, kind: str, node: ast.AST, answer: Callable[[], T], again: T, lost: T) -> T:
        """The answer to a question about a node. `again` is that within its own answer, `lost` that
        where the way there is too long."""
        holding = self._scopes[id(node)].holding(node.id) if isinstance(node, ast.Name) else None
        key = (kind, (id(holding), node.id) if isinstance(node, ast.Name) else id(node))
        for answers in (self._known, self._answers):
            if key in answers:
                return cast(T, answers[key])
        if self._depth == _DEEPEST or len(self._answers) == _STEPS:
            return lost
        self._answers[key] = again
        self._depth += 1
        found = self._answers[key] = answer()
        self._depth -= 1
        if not self._depth:
            # Answers that were found on the way may rest on `again`.
            self._answers.clear()
            self._known[key] = found
        return found

    def is_own(self, node: ast.AST | None) -> bool:
        """Whether it is surely a function, a class or a new object of the text's own."""
        if node is None:
            return False
        return self.ask("own", node, lambda: self._is_own(node), again=True, lost=False)

    def _is_own(self, node: ast.AST) -> bool:
        match node:
            case ast.Name():
                values = self.values(node)
                return self._is_self(node) or bool(values) and all(map(self.is_own, values))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return not any(map(self._replaces, node.decorator_list))
            case ast.ClassDef():
                kinds = [each.value for each in node.keywords]
                return not any(map(self._replaces, [*node.decorator_list, *kinds]))
            case ast.Attribute(value=value, attr="__class__"):
                return self._is_instance(value)
            case ast.Call(func=ast.Name(id="type"), args=[value]):
                return self._is_instance(value)
            case ast.Call(func=function):
                return self._makes_own(function)
        return False

    def _makes_own(self, function: ast.expr) -> bool:
        if _last(function) == "__new__":
            return True
        if not isinstance(function, ast.Name):
            return _is_class_name(_last(function)) and _last(function) not in self._functions
        values = self.values(function)
        if values and None not in values:
            return self._is_instance_of(function)
        return _is_class_name(function.id) or self._is_self(function)

    def _is_instance(self, node: ast.AST | None) -> bool:
        """Whether it is an object of a class of the text."""
        match node:
            case ast.Name():
                return self.ask(
                    "instance", node, lambda: self._holds_instance(node), again=True, lost=False
                )
            case ast.Call(func=ast.Name() as function):
                return self._is_instance_of(function)
        return False

    def _holds_instance(self, node: ast.Name) -> bool:
        values = self.values(node)
        return self._is_self(node) or bool(values) and all(map(self._is_instance, values))

    def _is_instance_of(self, function: ast.Name) -> bool:
        values = self.values(function)
        return bool(values) and all(
            isinstance(each, ast.ClassDef) and self.is_own(each) and "__new__" not in _defined(each)
            for each in values
        )

    def _is_self(self, name: ast.Name) -> bool:
        """Whether it is the first parameter of a method that is called by an object."""
        method = self._method(name)
        return method is not None and self.ask(
            "self", method, lambda: self._has_own_objects(method), again=True, lost=False
        )

    def _has_own_objects(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        calls = (call for call in self._calls[method.name] if isinstance(call.func, ast.Attribute))
        # A class's method may be given any object.
        return not any(
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and self._names_class(call.func.value)
            and not all(map(self.is_own, call.args[:1]))
            for call in calls
        )

    def _method(self, name: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The method whose first parameter a name is."""
        if not isinstance(name, ast.Name):
            return None
        scope = self._scopes[id(name)].holding(name.id)
        method = scope.node if scope else None
        if not isinstance(method, _FUNCTIONS) or id(method) not in self._outer_class:
            return None
        places = [*method.args.posonlyargs, *method.args.args]
        static = any(_last(each) == "staticmethod" for each in method.decorator_list)
        return method if places and places[0].arg == name.id and not static else None

    def _names_class(self, node: ast.expr) -> bool:
        """Whether it is a class of the text, or an object that is made of one."""
        name = node.func if isinstance(node, ast.Call) else node
        return isinstance(name, ast.Name) and any(
            isinstance(each, ast.ClassDef) for each in self.values(name)
        )

    def _replaces(self, decorator: ast.expr) -> bool:
        """Whether a function of the text decides what a decorated name holds."""
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        return not isinstance(function, ast.Name | ast.Attribute) or self.is_code(function)

    def attributes_of(self, node: ast.AST | None) -> ast.expr | None:
        """The object whose attributes a dictionary has: x for vars(x) and x.__dict__."""
        match node:
            case ast.Attribute(value=place, attr="__dict__"):
                return place
            case ast.Call(func=ast.Name(id="vars"), args=[place]):
                return place
            case ast.Name():
                lost: ast.expr | None = node
                places = map(self.attributes_of, self.values(node))
                return self.ask(
                    "attributes", node, lambda: next(filter(None, places), None), None, lost
                )
        return None

    def is_code(self, node: ast.AST | None) -> bool:
        """Whether it may be a function, a class or an acting object that the text wrote."""
        if node is None:
            return False
        return self.ask("code", node, lambda: self._is_code(node), again=False, lost=True)

    def _is_code(self, node: ast.AST) -> bool:
        match node:
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return True
            case ast.Name():
                return any(map(self.is_code, self.values(node)))
            case ast.IfExp(body=body, orelse=other):
                return self.is_code(body) or self.is_code(other)
            case ast.BoolOp(values=values):
                return any(map(self.is_code, values))
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.is_code(value)
            case ast.Subscript(value=value):
                return self.holds_code(value)
            case ast.Attribute(value=ast.Name() as value, attr=name) if self._is_self(value):
                owner = self._outer_class[id(self._method(value))]
                return name in self._methods_of(owner)
            case ast.Attribute(value=value, attr=name):
                return name in self._methods and (self.is_own(value) or self.is_code(value))
            case ast.Call():
                return self._gives_code(node)
        return False

    def holds_code(self, node: ast.AST | None) -> bool:
        """Whether a collection has code among its elements."""
        match node:
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                return any(map(self.is_code, items))
            case ast.Dict(values=items):
                return any(map(self.is_code, items))
            case ast.Name():
                values = self.values(node)
                return self.ask(
                    "items",
                    node,
                    lambda: any(map(self.holds_code, values)),
                    again=False,
                    lost=True,
                )
        return False

    def _gives_code(self, call: ast.Call) -> bool:
        function = call.func
        given = [*call.args, *(each.value for each in call.keywords)]
        if isinstance(function, ast.Name) and function.id == "type" and len(call.args) == 3:
            return True
        if any(map(self._returns_code, self._called(function))):
            return True
        passes = isinstance(function, ast.Call | ast.Lambda | ast.Subscript)
        return (passes or _last(function) in _WRAPPERS) and any(
            self.is_code(each) or self.holds_code(each) for each in given
        )

    def _called(self, function: ast.AST | None, depth: int = 3) -> Iterator[ast.AST]:
        """The text's functions and classes that an expression may be: `f` and `make()`."""
        match function:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                yield function
            case ast.Name():
                functions = (ast.ClassDef, ast.Lambda, *_FUNCTIONS)
                yield from (e for e in self.values(function) if isinstance(e, functions))
            case ast.Call(func=maker) if depth:
                for each in self._called(maker, depth - 1):
                    for value in _returned(each):
                        yield from self._called(value, depth - 1)

    def _returns_code(self, called: ast.AST | None) -> bool:
        match called:
            case ast.ClassDef():
                return id(called) in self._local or not _ACTING.isdisjoint(_defined(called))
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef():
                values = [*_returned(called)]
                return self.ask(
                    "returned",
                    called,
                    lambda: any(map(self.is_code, values)),
                    again=False,
                    lost=True,
                )
        return False


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


def _returned(function: ast.AST) -> Iterator[ast.AST | None]:
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    waiting = [*ast.iter_child_nodes(function)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return | ast.Yield):
            yield node.value
        if not isinstance(node, ast.ClassDef | _Function):
            waiting += ast.iter_child_nodes(node)


def _defined(each: ast.ClassDef) -> set[str]:
    functions = {node.name for node in each.body if isinstance(node, _FUNCTIONS)}
    targets = (target for node in each.body for target, _ in stores(node))
    return functions | {target.id for target in targets if isinstance(target, ast.Name)}


def _last(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _is_class_name(name: str) -> bool:
    """Judges by the first letter: classes of other modules make new objects, too."""
    return name.lstrip("_")[:1].isupper()

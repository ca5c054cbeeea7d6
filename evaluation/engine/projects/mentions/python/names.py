"""Tells what the names of a Python text may hold: its own objects, its code, or neither."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.answers import Answers
from evaluation.engine.projects.mentions.python.bindings import Bindings, stores
from evaluation.engine.projects.mentions.python.nodes import FUNCTIONS, Function, last_name

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


class Names:
    def __init__(self, bindings: Bindings, answers: Answers) -> None:
        self._bindings = bindings
        self._values = bindings.values
        self._ask = answers.ask

    def is_own(self, node: ast.AST | None) -> bool:
        """Whether it is, judging by names, the text's own function or class, or a new object."""
        if node is None:
            return False
        return self._ask("own", node, lambda: self._is_own(node), again=True, lost=False)

    def _is_own(self, node: ast.AST) -> bool:
        match node:
            case ast.Name():
                values = self._values(node)
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
        if last_name(function) == "__new__":
            return True
        if not isinstance(function, ast.Name):
            name = last_name(function)
            return _is_class_name(name) and name not in self._bindings.functions
        values = self._values(function)
        if values and None not in values:
            return self._is_instance_of(function)
        return _is_class_name(function.id) or self._is_self(function)

    def _is_instance(self, node: ast.AST | None) -> bool:
        """Whether it is an object of a class of the text."""
        match node:
            case ast.Name():
                return self._ask(
                    "instance", node, lambda: self._holds_instance(node), again=True, lost=False
                )
            case ast.Call(func=ast.Name() as function):
                return self._is_instance_of(function)
        return False

    def _holds_instance(self, node: ast.Name) -> bool:
        values = self._values(node)
        return self._is_self(node) or bool(values) and all(map(self._is_instance, values))

    def _is_instance_of(self, function: ast.Name) -> bool:
        values = self._values(function)
        return bool(values) and all(
            isinstance(each, ast.ClassDef) and self.is_own(each) and "__new__" not in _defined(each)
            for each in values
        )

    def _is_self(self, name: ast.Name) -> bool:
        """Whether it is the first parameter of a method that is called by an object."""
        method = self._bindings.method(name)
        return method is not None and self._ask(
            "self", method, lambda: self._has_own_objects(method), again=True, lost=False
        )

    def _has_own_objects(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        # A class's method may be given any object.
        return not any(
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and self._bindings.names_class(call.func.value)
            and not all(map(self.is_own, call.args[:1]))
            for call in self._bindings.calls[method.name]
        )

    def _replaces(self, decorator: ast.expr) -> bool:
        """Whether a function of the text decides what a decorated name holds."""
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        return not isinstance(function, ast.Name | ast.Attribute) or self.is_code(function)

    def attributes_of(self, node: ast.AST | None) -> ast.expr | None:
        """The object that a dictionary of attributes belongs to: x for vars(x) and x.__dict__."""
        match node:
            case ast.Attribute(value=place, attr="__dict__"):
                return place
            case ast.Call(func=ast.Name(id="vars"), args=[place]):
                return place
            case ast.Name():
                lost: ast.expr | None = node
                places = map(self.attributes_of, self._values(node))
                return self._ask(
                    "attributes", node, lambda: next(filter(None, places), None), None, lost
                )
        return None

    def is_code(self, node: ast.AST | None) -> bool:
        """Whether it may be a function, a class or an acting object that the text wrote."""
        if node is None:
            return False
        return self._ask("code", node, lambda: self._is_code(node), again=False, lost=True)

    def _is_code(self, node: ast.AST) -> bool:
        match node:
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return True
            case ast.Name():
                return any(map(self.is_code, self._values(node)))
            case ast.IfExp(body=body, orelse=other):
                return self.is_code(body) or self.is_code(other)
            case ast.BoolOp(values=values):
                return any(map(self.is_code, values))
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.is_code(value)
            case ast.Subscript(value=value):
                return self.holds_code(value)
            case ast.Attribute(value=ast.Name() as value, attr=name) if self._is_self(value):
                owner = self._bindings.outer_class[id(self._bindings.method(value))]
                return name in self._bindings.methods_of(owner)
            case ast.Attribute(value=value, attr=name):
                return name in self._bindings.methods and (
                    self.is_own(value) or self.is_code(value)
                )
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
                values = self._values(node)
                return self._ask(
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
        return (passes or last_name(function) in _WRAPPERS) and any(
            self.is_code(each) or self.holds_code(each) for each in given
        )

    def _called(self, function: ast.AST | None, depth: int = 3) -> Iterator[ast.AST]:
        """The text's functions and classes that an expression may be: `f` and `make()`."""
        match function:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                yield function
            case ast.Name():
                functions = (ast.ClassDef, ast.Lambda, *FUNCTIONS)
                yield from (e for e in self._values(function) if isinstance(e, functions))
            case ast.Call(func=maker) if depth:
                for each in self._called(maker, depth - 1):
                    for value in _returned(each):
                        yield from self._called(value, depth - 1)

    def _returns_code(self, called: ast.AST | None) -> bool:
        match called:
            case ast.ClassDef():
                return id(called) in self._bindings.local or not _ACTING.isdisjoint(
                    _defined(called)
                )
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef():
                values = [*_returned(called)]
                return self._ask(
                    "returned",
                    called,
                    lambda: any(map(self.is_code, values)),
                    again=False,
                    lost=True,
                )
        return False


def _returned(function: ast.AST) -> Iterator[ast.AST | None]:
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    waiting = [*ast.iter_child_nodes(function)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return | ast.Yield):
            yield node.value
        if not isinstance(node, ast.ClassDef | Function):
            waiting += ast.iter_child_nodes(node)


def _defined(each: ast.ClassDef) -> set[str]:
    functions = {node.name for node in each.body if isinstance(node, FUNCTIONS)}
    targets = (target for node in each.body for target, _ in stores(node))
    return functions | {target.id for target in targets if isinstance(target, ast.Name)}


def _is_class_name(name: str) -> bool:
    """Judges by the first letter: classes of other modules make new objects, too."""
    return name.lstrip("_")[:1].isupper()

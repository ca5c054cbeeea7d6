"""Facts about a program and its tests from their text, without running either; and the tests as
they run in a program's own process."""

import ast
import builtins
from typing import Any

# With these a test could execute text that the candidate wrote.
EXECUTES_TEXT = {
    *("exec", "eval", "compile", "doctest", "runpy", "importlib", "subprocess", "code"),
    *("__import__", "pickle", "marshal", "shelve", "timeit", "system", "popen"),
}
# Modules, attributes and functions by which tests look at values, annotations and source text.
_OF_VALUES = {
    *("ast", "collections", "copy", "dataclasses", "datetime", "decimal", "enum", "fractions"),
    *("inspect", "itertools", "json", "math", "mccabe", "numbers", "operator", "pycodestyle"),
    *("radon", "re", "string", "typing"),
}
_OF_FUNCTIONS = {
    *("__annotations__", "__doc__", "__name__", "getdoc", "getsource", "getsourcelines"),
    *("getfullargspec", "signature", "Parameter", "Signature"),
}
# Builtins by which they look at the process.
_OF_PROCESS = {"globals", "id", "input", "open", "print", "vars"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def definition_line(program: ast.Module, name: str) -> "int | None":
    """First line, decorators included, of the last definition of the name at module level."""
    line = None
    # Every node that is evaluated in the module's scope, in the order of the text.
    todo: list[ast.AST] = list(reversed(program.body))
    while todo:
        node = todo.pop()
        if isinstance(node, _DEFINITIONS) and node.name == name:
            line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        # Decorators, defaults and bases are evaluated in the enclosing scope.
        inner = node.body if isinstance(node, (*_DEFINITIONS, ast.Lambda)) else []
        apart = {id(part) for part in (inner if isinstance(inner, list) else [inner])}
        outer = [child for child in ast.iter_child_nodes(node) if id(child) not in apart]
        todo.extend(reversed(outer))
    return line


def free_names(tests: ast.Module) -> "set[str]":
    """Names that the tests read but do not bind; builtins are included."""
    nodes = list(ast.walk(tests))
    names = [n for n in nodes if isinstance(n, ast.Name)]
    bound_names = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    bound_names |= {(n.asname or n.name).split(".")[0] for n in nodes if isinstance(n, ast.alias)}
    bound_names |= {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    bound_names |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    bound_names |= {n.name for n in nodes if isinstance(n, ast.ExceptHandler) and n.name}
    return {n.id for n in names if n.id not in bound_names}


def looks_further(tests: ast.Module, functions: "set[str]") -> bool:
    """Whether the tests may look at more than values, annotations and source text: at what the
    functions do to their process, or at their other attributes."""
    # A check of style writes the source text into a file.
    of_style = {"os", "open"} if "getsource" in mentions(tests) else set()
    for node in ast.walk(tests):
        names = []
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "id", "")
            if owner in functions or owner == "inspect" or node.attr.startswith("__"):
                names = [node.attr]
        elif isinstance(node, ast.ImportFrom) and node.module == "inspect":
            names = [alias.name for alias in node.names]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [getattr(node, "module", None) or alias.name for alias in node.names]
            if not {module.split(".")[0] for module in modules} <= _OF_VALUES | of_style:
                return True
        elif isinstance(node, ast.Name) and node.id in _OF_PROCESS - of_style:
            return True
        if not _OF_FUNCTIONS.issuperset(names):
            return True
    return False


def mentions(tests: ast.Module) -> "set[str]":
    """Every name that the tests read or import, with attributes and the parts of module names."""
    names = {n.id for n in ast.walk(tests) if isinstance(n, ast.Name)}
    names |= {n.attr for n in ast.walk(tests) if isinstance(n, ast.Attribute)}
    for node in ast.walk(tests):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {part for alias in node.names for part in alias.name.split(".")}
            names.add(getattr(node, "module", None) or "")
    return names


# A function of these that raises StopIteration ends the iteration as if no item were left. The
# number is the function's place among the arguments.
_CALLERS = {
    **dict.fromkeys(("map", "filter", "starmap", "takewhile", "dropwhile", "filterfalse"), 0),
    "iter": 0,
    "accumulate": 1,
    "groupby": 1,
}
_GUARD = "guarded function"
_BUILTINS = dict(vars(builtins))


class BesideProgram(ast.NodeTransformer):
    """Changes tests for a run in the program's process. They use the interpreter's own builtins,
    except for those that the task's functions replace. A function that they hand to `map` and the
    like cannot end it (see `_guarded`), unless the tests name StopIteration. No text in them is
    interned, because a program could ask the interpreter for interned texts.

    `names` are what the changed tests use besides; no text can bind them, as they hold spaces."""

    def __init__(self, tests: ast.Module, functions: "set[str]") -> None:
        self._guards = StopIteration.__name__ not in mentions(tests)
        # The compiler treats `super` in a special way.
        self._replaced = free_names(tests) & _BUILTINS.keys() - functions - {"super"}
        self._replaced -= {name for name in self._replaced if name.startswith("_")}
        self.names: dict[str, Any] = {_GUARD: _guarded}
        self.names.update((f"{name} of Python", _BUILTINS[name]) for name in self._replaced)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self._replaced:
            node.id = f"{node.id} of Python"
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        text = node.value
        if type(text) is not str or not text.isascii() or not text.replace("_", "a").isalnum():
            return node
        # Of a constant, the compiler interns what could be a name; a slice is made at run time.
        end = ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1)))
        made = ast.Subscript(ast.Constant(f"{text} "), end, ast.Load())
        return ast.copy_location(made, node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A docstring stays one."""
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """A pattern allows no expression."""
        node.guard = node.guard and self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        for number, part in enumerate(node.values):
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
            elif not isinstance(changed := self.visit(part), ast.Constant):
                node.values[number] = ast.FormattedValue(changed, -1)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        self.generic_visit(node)
        place = _CALLERS.get(name)
        if not self._guards or place is None or (name == "iter" and len(node.args) == 1):
            return node
        for number, argument in enumerate(node.args):
            if number == place:
                node.args[number] = self._guarded(argument)
        for keyword in node.keywords:
            if keyword.arg in ("func", "key"):
                keyword.value = self._guarded(keyword.value)
        return node

    def _guarded(self, function: ast.expr) -> ast.expr:
        if {"next", "__next__"} & mentions(ast.Module([ast.Expr(function)], [])):
            return function
        guard = ast.Name(_GUARD, ast.Load())
        return ast.copy_location(ast.Call(guard, [function], []), function)


def _guarded(function: Any) -> Any:
    """The function, with RuntimeError instead of StopIteration, as in generators (PEP 479)."""

    def call(*positional: Any, **named: Any) -> Any:
        try:
            return function(*positional, **named)
        except StopIteration as stop:
            raise RuntimeError("a function raised StopIteration") from stop

    return call if callable(function) else function

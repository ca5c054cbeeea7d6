"""What the names of a program mean, and in which places its classes and methods are."""

import ast
import builtins
import importlib
from collections.abc import Container, Iterator
from itertools import chain

from . import text
from .harmless_lists import MODULES
from .harmless_scopes import (
    all_bound_by,
    bound_by,
    bound_in_module,
    class_scope,
    imported_by,
    is_read,
    last_name,
    parameters,
    unsubscribed,
)

# Parts of a program, each with what is wrong there.
Found = Iterator[tuple[ast.AST, str]]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Tests:
    """The names that the tests use."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        called = (node.func for node in nodes if isinstance(node, ast.Call))
        self.mentioned = text.mentions(tree)
        self.executed = text.executed_by(tree)
        self.free = text.free_names(tree)
        self.bound = {name for _, name in bound_in_module(tree)}
        self.methods = {func.attr for func in called if isinstance(func, ast.Attribute)}
        self.imported = dict(chain.from_iterable(map(imported_by, nodes)))


class Program:
    """A program's tree, with the meanings of its names and the parent of each node. The text must
    be one that parses."""

    def __init__(self, text: str, tests: ast.Module, functions: "set[str]") -> None:
        # As bytes, like a file: byte order marks and coding lines count.
        self.text = text.encode()
        self.tree = tree = ast.parse(self.text)
        self.tests, self.functions = Tests(tests), functions
        self.nodes = list(ast.walk(tree))
        self.parents = {c: node for node in self.nodes for c in ast.iter_child_nodes(node)}
        self.modules: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.ambiguous: list[tuple[ast.AST, str]] = []
        for node in self.nodes:
            for name, meaning in imported_by(node):
                self._imported(node, name, meaning)
        self.bound = {name for node in self.nodes for name in bound_by(node)}
        self.classes = [node for node in self.nodes if isinstance(node, ast.ClassDef)]
        self.named: dict[str, list[ast.ClassDef]] = {}
        for kind in self.classes:
            self.named.setdefault(kind.name, []).append(kind)
        self.stored = [n for n in self.nodes if isinstance(n, ast.Attribute) and not is_read(n)]
        used = (node for node in self.nodes if self.meaning(node) == "builtins.super")
        changing = (self.method(node) for node in chain(self.stored, used))
        self.changing = {each for each in changing if each is not None}

    def _imported(self, node: ast.AST, name: str, meaning: str) -> None:
        is_module = isinstance(node, ast.Import) or meaning in MODULES
        before = self.modules.get(name, self.members.get(name, meaning))
        (self.modules if is_module else self.members)[name] = meaning
        if before != meaning or name in ("type", "super"):
            self.ambiguous.append((node, f"{name} with several meanings"))

    def module(self, node: "ast.AST | None") -> "str | None":
        """The module, listed or not, that an expression names through its import."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id)
        if isinstance(node, ast.Attribute) and (above := self.module(node.value)) is not None:
            inner = f"{above}.{node.attr}"
            return inner if inner in MODULES else None
        return None

    def meaning(self, node: "ast.AST | None") -> "str | None":
        """The full name of an imported object or a builtin, such as "enum.Enum" or
        "builtins.type"."""
        if isinstance(node, ast.Name):
            own = f"builtins.{node.id}" if hasattr(builtins, node.id) else None
            return self.members.get(node.id, own)
        if isinstance(node, ast.Attribute) and (module := self.module(node.value)) is not None:
            return f"{module}.{node.attr}"
        return None

    def is_certain(self, node: ast.AST) -> bool:
        """Whether the first name of an expression has no other meaning than an import's or a
        builtin's."""
        while isinstance(node, ast.Attribute):
            node = node.value
        name = node.id if isinstance(node, ast.Name) else None
        return name not in self.bound and name not in self.named

    def means(self, node: ast.AST, meanings: Container[str]) -> bool:
        """Whether an expression certainly has one of these meanings."""
        return self.meaning(node) in meanings and self.is_certain(node)

    def is_own(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.named

    def is_known(self, node: ast.expr) -> bool:
        """Whether the name certainly means one class: the program's, an imported or a builtin
        one."""
        if isinstance(node, ast.Subscript):
            # Annotated[X, 1] and Union[X] as a base mean X.
            annotated = self.meaning(node.value) == "typing.Annotated"
            other = not annotated and self.kind(node) is not None
            return (other or self.is_own(node.value)) and self.is_known(node.value)
        if isinstance(node, ast.Name) and node.id in self.bound:
            return False
        return self.is_own(node) or self.meaning(node) is not None

    def is_annotation(self, node: ast.AST) -> bool:
        """Whether it is a part of a type that is only kept as an annotation: table[Bag] could put
        it into a defaultdict, and Colour[Bag] into a KeyError."""
        above = self.parents[node]
        while isinstance(above, (ast.Subscript, ast.Tuple, ast.List, ast.BinOp)):
            if isinstance(above, ast.BinOp) and not isinstance(above.op, ast.BitOr):
                return False
            generic = above.value if isinstance(above, ast.Subscript) else node
            known = self.meaning(generic) is not None and self.is_certain(generic)
            if generic is not node and not known:
                return False
            node, above = above, self.parents[above]
        return node in (getattr(above, "annotation", None), getattr(above, "returns", None))

    def method(self, node: ast.AST) -> "ast.FunctionDef | None":
        """The method of a class whose body, outside of inner functions, contains the node, if its
        name and its first parameter, self, are bound nowhere else."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, _FUNCTIONS):
            node, above = above, self.parents.get(above)
        if not isinstance(above, ast.FunctionDef) or node not in above.body:
            return None
        kind = self.parents[above]
        if not isinstance(kind, ast.ClassDef) or parameters(above)[:1] != ["self"]:
            return None
        inner = chain.from_iterable(map(ast.walk, above.body))
        rebound = any("self" in all_bound_by(each) for each in inner)
        shared = any(isinstance(each, (ast.Global, ast.Nonlocal)) for each in class_scope(kind))
        return None if rebound or shared else above

    def own_bases(self, kind: ast.ClassDef) -> "list[ast.ClassDef]":
        """The class, and the program's classes that it derives from."""
        found, todo = [], [kind]
        while todo:
            one = todo.pop()
            if one not in found:
                found.append(one)
                todo += chain(*(self.named.get(last_name(base), ()) for base in one.bases))
        return found

    def other_bases(self, kind: ast.ClassDef) -> "list[type]":
        """The classes of others that it derives from."""
        found = (self.kind(base) for one in self.own_bases(kind) for base in one.bases)
        return [each for each in found if each is not None]

    def kind(self, base: ast.expr) -> "type | None":
        """The class of others that a base names."""
        module, _, name = (self.meaning(unsubscribed(base)) or "").rpartition(".")
        if (module, name) == ("typing", "NamedTuple"):
            return tuple
        listed = importlib.import_module(module) if module in MODULES else None
        kind = getattr(builtins if module == "builtins" else listed, name, None)
        kind = getattr(kind, "__origin__", kind)
        return kind if isinstance(kind, type) else None

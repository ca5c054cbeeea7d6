"""Splits Python code into functions, classes and outermost statements, without what never runs and
what binds names that nothing reads. The names that the code chose itself do not count."""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator
from typing import Any, TypeAlias
from zlib import crc32

from evaluation.engine.normal_form import PIECE, python_tree

# Begins the word that stands for a definition of the code's own. No word of a language begins so.
OWN = "0d"
# The words and signs of a part of the code; and the parts that an own word stands for.
Part: TypeAlias = list[str]
Parts: TypeAlias = dict[str, list[Part]]
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCOPES = (*_DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
_EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
# Statements that only say where names come from.
_NAMING = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
_BLOCKS = ("body", "orelse", "finalbody")
# Expressions nested deeper do not count: unparsing them could exceed Python's stack.
_DEEPEST = 50


def python_parts(code: str, entry: Collection[str]) -> tuple[list[Part], Parts]:
    """The parts that bind names of `entry`, and those that own words stand for. If there are none,
    the code is a function's body: then its statements, or everything. Raises what parsing
    raises."""
    tree = python_tree(code)
    _leave_out_what_never_runs(tree)
    reader = _Reader(tree)
    named = [home for name in sorted(entry) for home in reader.last_binders(name)]
    outermost = [node for node in tree.body if not isinstance(node, _NAMING)]
    statements = [node for node in outermost if not isinstance(node, _DEFINITIONS)]
    running = [node for node in statements if not _binds_only(node)]
    roots = named or (running if entry else []) or outermost
    live = reader.live(roots)
    if not named:
        roots = [node for node in (statements if running and entry else outermost) if node in live]
    reader.rename()
    left_out = reader.parts | reader.aliases | (reader.holders.keys() - live)
    for node in reversed([*ast.walk(tree)]):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and node is not tree:
                kept = [s for s in block if s not in left_out and not isinstance(s, _NAMING)]
                setattr(node, name, [s for s in kept if not _is_empty(s)])
    homes = {*roots, *(home for part in reader.homes.values() for home in part)} & live
    pieces = {home: PIECE.findall(ast.unparse(home)) for home in homes}
    parts = {
        word: [pieces[home] for home in part if home in homes]
        for word, part in reader.homes.items()
    }
    return [pieces[root] for root in roots], parts


class _Scope:
    """Names bound in a module, class, function or comprehension. `binders`: by name, the
    statements that count only if it is read, or None; `origins`: what imported names stand for."""

    def __init__(self, around: _Scope | None, is_class: bool = False) -> None:
        self.around, self.is_class = around, is_class
        # A function does not see the names of the class around it.
        self.parent = around.around if around and around.is_class else around
        self.binders: dict[str, list[ast.AST | None]] = {}
        self.origins: dict[str, str] = {}
        self.elsewhere: dict[str, _Scope | None] = {}

    def bind(self, name: str, binder: ast.AST | None = None) -> None:
        scope = self.elsewhere.get(name) or self
        scope.binders.setdefault(name, []).append(binder)

    def find(self, name: str) -> _Scope | None:
        scope: _Scope | None = self
        while scope and name not in scope.binders:
            scope = scope.parent
        return scope


class _Reader:
    """What statements bind and read. Outermost statements, definitions, and assignments to names
    are holders: they count only if something reads what they bind. `holders` has the one around
    each; `parts` are functions and classes that are not members of a class."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = _Scope(None)
        self.holders: dict[ast.AST, ast.AST | None] = {}
        self.parts: set[ast.AST] = set()
        self.names: dict[ast.AST, list[tuple[ast.Name, _Scope]]] = defaultdict(list)
        self.attributes: dict[ast.AST, list[str]] = defaultdict(list)
        self.members: dict[str, list[ast.AST]] = defaultdict(list)
        self.stored: list[tuple[ast.Name, _Scope]] = []
        self.calls: list[ast.Call] = []
        # By scope and name, what stands for it; assignments that only give another name; the parts
        # that own words stand for.
        self.words: dict[tuple[_Scope, str], str] = {}
        self.aliases: set[ast.AST] = set()
        self.homes: dict[str, list[ast.AST]] = {}
        waiting: list[tuple[ast.AST, _Scope, ast.AST | None, int]] = []
        waiting += ((node, self.module, None, 0) for node in reversed(tree.body))
        while waiting:
            node, scope, holder, depth = waiting.pop()
            # Special methods count whenever their class does.
            is_special = scope.is_class and getattr(node, "name", "").startswith("__")
            if holder is None or (_binds_only(node) and not is_special):
                self.holders[node], holder = holder, node
            self._read(node, scope, holder)
            inner = scope
            if isinstance(node, _SCOPES):
                inner = _Scope(scope, isinstance(node, ast.ClassDef))
            depth = 0 if isinstance(node, ast.stmt) else depth + isinstance(node, ast.expr)
            for child in reversed([*ast.iter_child_nodes(node)]):
                where = inner
                # Decorators, bases and defaults belong to the scope around.
                if isinstance(child, ast.expr | ast.keyword):
                    if isinstance(node, _DEFINITIONS):
                        where = scope
                    elif isinstance(node, ast.arguments):
                        where = scope.around or scope
                waiting.append((child, where, holder, depth))
            if depth > _DEEPEST:
                for field, value in ast.iter_fields(node):
                    if isinstance(value, ast.expr):
                        setattr(node, field, ast.Name("_", ast.Load()))
                    elif isinstance(value, list):
                        setattr(node, field, [v for v in value if not isinstance(v, ast.expr)])

    def _read(self, node: ast.AST, scope: _Scope, holder: ast.AST) -> None:
        """Takes what one node binds and reads, and leaves out its own name and annotations."""
        binder = None if isinstance(holder, _DEFINITIONS) else holder
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                scope.bind(node.name, node)
                if scope.is_class:
                    self.members[node.name].append(node)
                else:
                    self.parts.add(node)
                node.name = "_"
                if not isinstance(node, ast.ClassDef):
                    node.returns = None
            case ast.Name(name, ast.Load()):
                self.names[holder].append((node, scope))
            case ast.Name(name):
                scope.bind(name, binder)
                self.stored.append((node, scope))
                if scope.is_class and binder:
                    self.members[name].append(binder)
            case ast.arg(name):
                scope.bind(name)
                node.arg, node.annotation = "_", None
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                scope.bind(name)
                node.name = "_"
            case ast.Attribute(attr=name):
                self.attributes[holder].append(name)
            case ast.Call(func=ast.Name()):
                self.calls.append(node)
            case ast.Global(names) | ast.Nonlocal(names):
                outer = self.module if isinstance(node, ast.Global) else scope.parent
                scope.elsewhere |= dict.fromkeys(names, outer or self.module)
            case ast.Constant(str(value)):
                # So that no word in it counts.
                node.value = f"text{crc32(value.encode('utf-8', 'surrogatepass'))}"
            case ast.Import() | ast.ImportFrom():
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                for alias in node.names:
                    name = alias.asname or alias.name
                    # An outermost one replaces what has been defined before.
                    scope.bind(name, node if holder is node else None)
                    # Cut, because a long path could stand for each of many short names.
                    path = f"{module}{alias.name}".split(".")[-3:]
                    scope.origins[name] = ".".join(path)[:100]

    def last_binders(self, name: str) -> list[ast.AST]:
        """The parts that bind an outermost name; only the last one, unless it reads the name."""
        binders = [binder for binder in self.module.binders.get(name, []) if binder]
        if binders and all(node.id != name for node, _scope in self.names[binders[-1]]):
            binders = binders[-1:]
            self.module.binders[name] = [*binders]
        return [self.home(binder) for binder in binders]

    def home(self, node: ast.AST) -> ast.AST:
        """The part that a holder is in."""
        while node not in self.parts and (around := self.holders.get(node)):
            node = around
        return node

    def live(self, roots: Iterable[ast.AST]) -> set[ast.AST]:
        """The holders that count if these do."""
        waiting, live, done = [*roots], set[ast.AST](), set[tuple[_Scope, str]]()
        for node in waiting:  # grows
            if node in live:
                continue
            live.add(node)
            if around := self.holders.get(node):
                waiting.append(around)
            for attribute in self.attributes[node]:
                waiting += self.members.pop(attribute, ())
            for name, scope in self.names[node]:
                bound = scope.find(name.id)
                if bound and (bound, name.id) not in done:
                    done.add((bound, name.id))
                    waiting += filter(None, bound.binders[name.id])
        return live

    def rename(self) -> None:
        """Replaces names by what they stand for."""
        stored = [(node, "_" if scope.find(node.id) else node.id) for node, scope in self.stored]
        read = [
            (node, self._word(node.id, scope))
            for node, scope in itertools.chain(*self.names.values())
        ]
        for node, word in [*stored, *read]:
            node.id = word
        for call in self.calls:
            if isinstance(call.func, ast.Name) and call.func.id.startswith(OWN):
                for keyword in call.keywords:
                    keyword.arg = keyword.arg and "_"

    def _word(self, name: str, scope: _Scope, depth: int = 0) -> str:
        bound = scope.find(name)
        if not bound or (bound, name) in self.words:
            return self.words[bound, name] if bound else name
        binders = [binder for binder in bound.binders[name] if binder]
        is_imported = bool(binders) and isinstance(binders[-1], _NAMING)
        parts = [] if is_imported else [binder for binder in binders if binder in self.parts]
        word = bound.origins.get(name, "_")
        match bound.binders[name]:
            case [ast.Assign([ast.Name()], ast.Constant() as value) as assignment]:
                self.aliases.add(assignment)
                word = ast.unparse(value)[:100]
            case [ast.Assign([ast.Name()], ast.Name(other)) as assignment] if depth < _DEEPEST:
                self.aliases.add(assignment)
                word = self._word(other, self.names[assignment][0][1], depth + 1)
            case _ if parts or (bound is self.module and word == "_"):
                word = f"{OWN}{len(self.words)}"
                self.homes[word] = parts or [self.home(binder) for binder in binders]
        self.words[bound, name] = word
        return word


def _is_empty(node: ast.AST) -> bool:
    is_compound = isinstance(node, _COMPOUND)
    return is_compound and not any(getattr(node, name, None) for name in _BLOCKS)


def _binds_only(node: ast.AST) -> bool:
    """Whether a statement only binds names: a definition, or an assignment to names."""
    targets: list[ast.expr] = []
    match node:
        case ast.Assign():
            targets += node.targets
        case ast.AugAssign():
            targets.append(node.target)
        case _:
            return isinstance(node, _DEFINITIONS)
    for target in targets:  # grows
        if isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif not isinstance(target, ast.Name):
            return False
    return True


def _leave_out_what_never_runs(tree: ast.Module) -> None:
    """Leaves out statements behind the end of a block, branches whose condition is never true,
    expressions without effect, and earlier ones of several definitions of a name."""
    ending = set[ast.AST]()
    for node in reversed([*ast.walk(tree)]):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [*_running(block, ending, isinstance(node, ast.Module))])
        if _ends(node, ending):
            ending.add(node)


def _running(block: list[ast.stmt], ending: set[ast.AST], is_outermost: bool) -> Iterator[ast.stmt]:
    statements: list[ast.stmt] = []
    for statement in block:
        match statement:
            case ast.If(test, body, orelse) if (truth := _truth(test)) is not None:
                statements += body if truth else orelse
            case ast.While(test, orelse=orelse) if _truth(test) is False:
                statements += orelse
            case ast.AnnAssign(value=None):
                pass
            case ast.AnnAssign(target, _, ast.expr() as value):
                statements.append(ast.copy_location(ast.Assign([target], value), statement))
            case ast.Expr(value) if not any(isinstance(n, _EFFECTS) for n in ast.walk(value)):
                pass
            case _:
                statements.append(statement)
    kept: list[ast.stmt] = []
    defined_later = set[str]()
    for statement in reversed(statements):
        reads: list[Any] = [statement] if defined_later else []
        if isinstance(statement, _DEFINITIONS):
            if statement.name in defined_later:
                continue
            defined_later.add(statement.name)
            reads = statement.decorator_list
        kept.append(statement)
        for read in reads:
            defined_later -= {n.id for n in ast.walk(read) if isinstance(n, ast.Name)}
    ended = False
    for statement in reversed(kept):
        # Behind the end of a function's body, definitions follow at the outermost level.
        if not ended or (is_outermost and isinstance(statement, _DEFINITIONS)):
            yield statement
        ended = ended or statement in ending


def _ends(node: ast.AST, ending: Container[ast.AST]) -> bool:
    """Whether what follows a statement never runs; of a handler, whether its body ends so."""

    def block_ends(block: list[Any]) -> bool:
        return bool(block) and block[-1] in ending

    match node:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.ExceptHandler(body=body):
            return block_ends(body)
        case ast.If(_, body, orelse):
            return block_ends(body) and block_ends(orelse)
        case ast.Try(body, handlers, orelse, finalbody):
            runs = block_ends(body) or block_ends(orelse)
            return block_ends(finalbody) or (runs and all(one in ending for one in handlers))
        case ast.While(test):
            return _truth(test) is True and not any(
                isinstance(n, ast.Break) for n in ast.walk(node)
            )
    return False


def _truth(test: ast.expr) -> bool | None:
    """None if it depends on values."""
    match test:
        case ast.Constant(value):
            return bool(value)
        case ast.Tuple(elts) | ast.List(elts) | ast.Set(elts) | ast.Dict(values=elts):
            return bool(elts)
        case ast.UnaryOp(ast.Not(), ast.Constant(value)):
            return not value
        case ast.BoolOp(op, values):
            decides = isinstance(op, ast.Or)
            truths = [_truth(value) for value in values]
            return decides if decides in truths else None
        case ast.Compare(ast.Constant(one), [ast.Eq() | ast.NotEq() as op], [ast.Constant(other)]):
            return (one == other) is isinstance(op, ast.Eq)
    return None

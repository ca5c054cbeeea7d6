"""Facts about a program and its tests from their text, without running either."""

import ast
import builtins
from collections.abc import Iterator

# With these a test could execute text that the candidate wrote.
EXECUTES_TEXT = {
    *("exec", "eval", "compile", "doctest", "runpy", "importlib", "subprocess", "code"),
    *("__import__", "pickle", "marshal", "shelve", "timeit", "system", "popen"),
}
READS_SOURCE = {"getsource", "getsourcelines", "findsource", "getblock", "linecache"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# A program that gives its function other code, or another source line, mentions one of these.
_REBINDING = {
    *("__code__", "__dict__", "__wrapped__", "__globals__", "__builtins__", "__setattr__"),
    *("co_firstlineno", "exec", "eval", "compile", "globals", "locals", "vars", "setattr"),
    *("linecache", "modules", "FunctionType", "__import__", "import_module", "attrgetter"),
    *("ctypes", "gc", "methodcaller", "__getattribute__", "__loader__", "__spec__", "inspect"),
    *("f_globals", "f_locals", "f_builtins", "_getframe", "bltns", "_sys", "_os"),
}


def source_is_plain(program: ast.Module, name: str, *, classes: bool = False) -> bool:
    """Whether the text shows what the name means at the end: a function (or, with `classes`, a
    class) that only top-level definitions bind, of which the last one counts, and whose code
    nothing replaces."""
    kinds = (ast.FunctionDef, ast.ClassDef) if classes else (ast.FunctionDef,)
    if not any(isinstance(node, kinds) and node.name == name for node in program.body):
        return False
    for node in module_scope(program):
        if isinstance(node, _DEFINITIONS) and node.name == name and node not in program.body:
            return False
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*"):
            return False
        if isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)) and node.name == name:
            return False
        if isinstance(node, ast.MatchMapping) and node.rest == name:
            return False
    return not any(_rebinds(node, name) for node in ast.walk(program))


def _rebinds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Global(names=names):
            return name in names
        case ast.Call(func=ast.Name(id="getattr"), args=[_, wanted, *_]):
            return not isinstance(wanted, ast.Constant)
        case ast.alias(name="__main__"):
            return True
        case ast.Attribute(value=ast.Name(id="re"), attr="compile"):
            return False
        case ast.Attribute(attr=word) | ast.alias(name=word) | ast.Constant(value=str(word)):
            return not _REBINDING.isdisjoint(word.split("."))
        case ast.MatchClass(kwd_attrs=words):
            return not _REBINDING.isdisjoint(words)
        case ast.Name(id=word) if hasattr(builtins, word) or word.startswith("__"):
            return word in _REBINDING
    return False


def identifiers(node: ast.AST) -> "Iterator[str]":
    """The names in a node's own fields."""
    if isinstance(node, ast.Constant):
        return
    for _, value in ast.iter_fields(node):
        yield from (w for w in (value if isinstance(value, list) else [value]) if type(w) is str)


def module_scope(program: ast.Module) -> "Iterator[ast.AST]":
    """Every node that is evaluated in the module's scope, in the order of the text."""
    todo: list[ast.AST] = list(reversed(program.body))
    while todo:
        node = todo.pop()
        yield node
        # Decorators, defaults and bases are evaluated in the enclosing scope.
        inner = node.body if isinstance(node, (*_DEFINITIONS, ast.Lambda)) else []
        apart = {id(each) for each in (inner if isinstance(inner, list) else [inner])}
        outer = [each for each in ast.iter_child_nodes(node) if id(each) not in apart]
        todo.extend(reversed(outer))


def definition_line(program: ast.Module, name: str) -> "int | None":
    """First line, decorators included, of the last definition of the name at module level."""
    found = None
    for node in module_scope(program):
        if isinstance(node, _DEFINITIONS) and node.name == name:
            found = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return found


def free_names(tests: ast.Module) -> "set[str]":
    """Names that the tests read but do not bind; builtins are included."""
    names = [node for node in ast.walk(tests) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tests)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    own |= {n.name for n in ast.walk(tests) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    own |= {n.arg for n in ast.walk(tests) if isinstance(n, ast.arg)}
    own |= {n.name for n in ast.walk(tests) if isinstance(n, ast.ExceptHandler) and n.name}
    return {n.id for n in names if n.id not in own}


def mentions(tests: ast.Module) -> "set[str]":
    """Every name that the tests read or import, with attributes and the parts of module names."""
    found = {n.id for n in ast.walk(tests) if isinstance(n, ast.Name)}
    found |= {n.attr for n in ast.walk(tests) if isinstance(n, ast.Attribute)}
    for node in ast.walk(tests):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {part for alias in node.names for part in alias.name.split(".")}
            found.add(getattr(node, "module", None) or "")
    return found


def executed_by(tests: ast.Module) -> "set[str]":
    """Names of EXECUTES_TEXT that the tests use as a builtin, an import or an import's member. An
    attribute of a value, or re.compile, only has the same name."""
    nodes = list(ast.walk(tests))
    imported = {part for n in nodes if isinstance(n, ast.alias) for part in n.name.split(".")}
    imported |= {n.asname for n in nodes if isinstance(n, ast.alias) and n.asname}
    imported |= {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
    found = imported | {n.id for n in nodes if isinstance(n, ast.Name)}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=base), attr=word) if base in imported - {"re"}:
                found.add(word)
    return found & EXECUTES_TEXT

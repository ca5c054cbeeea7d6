"""Whether a program changes attributes of its own objects only, in methods for these objects."""

import ast

from .harmless_classes import CALL_FOR_OWN, returns_its_class
from .harmless_program import Found, Program
from .harmless_scopes import all_bound_by, class_scope, is_one_of, is_read, is_special, parameters


def stores(program: Program) -> Found:
    """Changes of attributes of other objects than the program's own. Only self.x in a method may be
    changed, and nothing may call that method for another object: not its class (Bag.put(Counter)),
    a decorator, or a base."""
    yield from _changes(program)
    for method in program.changing:
        if not all(_keeps(program, method, each) for each in method.decorator_list):
            yield method, f"the method {method.name} with an unusual decorator"
    # No text can read __init__.
    changing = [method for method in program.changing if method.name != "__init__"]
    names = {method.name for method in changing}
    homes = {program.parents[method] for method in changing}
    holding = [kind for kind in program.classes if homes & {*program.own_bases(kind)}]
    for kind in program.classes:
        yield from _methods_as_values(program, kind, names)
    for kind in holding:
        yield from _unusual(program, kind)
    if holding:
        yield from _classes_as_values(program, {kind.name for kind in holding}, names)


def _changes(program: Program) -> Found:
    for node in program.stored:
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if own and program.method(node) and node.attr not in program.tests.methods:
            continue
        if not is_special(node.attr) and program.module(node.value) is None:
            yield node, f"a change of {ast.unparse(node)}"


def _keeps(program: Program, method: ast.FunctionDef, decorator: ast.expr) -> bool:
    """Whether a decorator of a method passes the method to nothing."""
    match decorator:
        case ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter"):
            return name == method.name and _is_property(program, method)
    return program.means(decorator, {"builtins.property", "abc.abstractmethod"})


def _is_property(program: Program, method: ast.FunctionDef) -> bool:
    """Whether the method's name means a property in the class, and nothing else."""
    name, kind = method.name, program.parents[method]
    assert isinstance(kind, ast.ClassDef)
    bound = [each for each in class_scope(kind) if name in all_bound_by(each)]
    known = (["property"], [f"{name}.setter"], [f"{name}.deleter"])
    for each in bound:
        if not isinstance(each, ast.FunctionDef) or each not in kind.body:
            return False
        decorators = [ast.unparse(d) for d in each.decorator_list]
        if decorators not in (known[:1] if each is bound[0] else known[1:]):
            return False
    usual = program.means(ast.Name("property", ast.Load()), {"builtins.property"})
    return usual and not name.startswith("__")


def _methods_as_values(program: Program, kind: ast.ClassDef, names: "set[str]") -> Found:
    read = (n for n in class_scope(kind) if isinstance(n, ast.Name) and is_read(n))
    for node in read:
        if is_one_of(node.id, names) and not _is_of_property(program, node):
            yield node, f"the method {node.id} as a value"


def _is_of_property(program: Program, node: ast.Name) -> bool:
    """Whether it is the name in a decorator such as @area.setter."""
    decorator = program.parents[node]
    method = program.parents.get(decorator)
    if not isinstance(decorator, ast.Attribute) or not isinstance(method, ast.FunctionDef):
        return False
    return decorator in method.decorator_list and _keeps(program, method, decorator)


def _unusual(program: Program, kind: ast.ClassDef) -> Found:
    """Decorators and bases that could call a method of the class for another object, and a name
    that Python changes inside of classes."""
    if not all(returns_its_class(program, each) for each in kind.decorator_list):
        yield kind, f"the class {kind.name} with an unusual decorator"
    if kind.name.startswith("__"):
        yield kind, f"the class {kind.name} with two names"
    for base in program.other_bases(kind):
        usual = base in CALL_FOR_OWN or base.__module__ == "collections.abc"
        if not usual and not issubclass(base, BaseException):
            yield kind, f"the class {kind.name} that changes objects of {base.__name__}"


def _classes_as_values(program: Program, holding: "set[str]", names: "set[str]") -> Found:
    """Classes with methods that change attributes, where they could be asked for these methods."""
    for node in program.nodes:
        match node:
            case ast.Name(id=word, ctx=ast.Load()) | ast.Attribute(attr=word, ctx=ast.Load()):
                if is_one_of(word, holding) and not _is_usual(program, node, names):
                    yield node, f"the class {word} other than in its usual form"
            case ast.MatchClass(kwd_attrs=words):
                yield from ((node, w) for w in words if is_one_of(w, holding))
            case ast.FunctionDef(decorator_list=decorators):
                if any(program.meaning(each) == "builtins.classmethod" for each in decorators):
                    yield from _of_class_as_value(program, node, names)


def _of_class_as_value(program: Program, method: ast.FunctionDef, names: "set[str]") -> Found:
    named = parameters(method)
    if not named or named[0].startswith("__"):
        yield method, f"the method {method.name} without a class"
        return
    read = (n for n in ast.walk(method) if isinstance(n, ast.Name) and is_read(n))
    for node in read:
        if node.id == named[0] and not _is_usual(program, node, names):
            yield node, f"the class {node.id} other than in its usual form"


def _is_usual(program: Program, node: ast.AST, names: "set[str]") -> bool:
    """Whether a class is only called, derived from, asked for other attributes than these, or named
    as a type."""
    if program.is_annotation(node):
        return True
    above = program.parents[node]
    while isinstance(above, ast.Subscript) and above.value is node:
        node, above = above, program.parents[above]
    match above:
        case ast.Attribute(attr=word, ctx=ast.Load()):
            return not isinstance(node, ast.Subscript) and not is_one_of(word, names)
        case ast.Compare(ops=ops):
            return all(isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) for op in ops)
        case ast.ClassDef(bases=bases):
            return node in bases
        case ast.Call(func=func) if func is node:
            return True
        case ast.Raise() | ast.MatchClass():
            return True
    if isinstance(above, ast.Tuple):
        node, above = above, program.parents[above]
    match above:
        case ast.Call(func=func, args=[_, kinds]):
            asks = program.means(func, {"builtins.isinstance", "builtins.issubclass"})
            return kinds is node and asks
    return isinstance(above, ast.ExceptHandler)

"""Whether a program changes what its tests look up, read or execute."""

import ast
import builtins
import symtable

from . import text
from .harmless_program import Found, Program
from .harmless_scopes import bound_in_module, uncalled

_EVALUATES_ANNOTATIONS = {"get_type_hints", "get_annotations", "eval_str"}
# Through these, inspect still finds the function's own source.
_TRANSPARENT = {"functools.cache", "functools.lru_cache"}


def shadows(program: Program) -> Found:
    """Names of builtins that the module binds again and that the tests use."""
    for node, name in bound_in_module(program.tree):
        if hasattr(builtins, name) and name in program.tests.mentioned - program.functions:
            yield node, f"{name} is bound anew"


def annotations(program: Program) -> Found:
    """Text that the tests would evaluate as an annotation."""
    if not program.tests.mentioned & _EVALUATES_ANNOTATIONS:
        return
    for node in program.nodes:
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if annotation is not None and not _is_type(program, annotation):
                yield annotation, f"the annotation {ast.unparse(annotation)[:60]}"


def _is_type(program: Program, node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(written)):
            try:
                return _is_type(program, ast.parse(written.strip(), mode="eval").body)
            except (SyntaxError, ValueError):
                return True  # not an expression, so nothing can evaluate it
        case ast.Constant():
            return True
        case ast.Name() | ast.Attribute():
            return program.is_known(node)
        case ast.Subscript(value=value, slice=inner):
            return _is_type(program, value) and _is_type(program, inner)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return all(_is_type(program, item) for item in items)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(program, left) and _is_type(program, right)
    return False


def sources(program: Program) -> Found:
    """Functions whose source, if the tests read it, may differ from their code."""
    if not program.tests.mentioned & text.READS_SOURCE:
        return
    bound = {name for _, name in bound_in_module(program.tree)}
    for name in sorted(program.tests.free & bound):
        if not text.source_is_plain(program.tree, name, classes=True):
            yield program.tree, f"the source of {name} may be another's"
    functions = (node for node in program.tree.body if isinstance(node, ast.FunctionDef))
    for node in functions:
        for decorator in node.decorator_list if node.name in program.tests.free else ():
            if not program.means(uncalled(decorator), _TRANSPARENT):
                yield decorator, f"the source of {node.name} may be its decorator's"


def global_names(program: Program) -> Found:
    """Names that the program's functions may find among the names of the tests."""
    own = {name for _, name in bound_in_module(program.tree)} | set(dir(builtins))
    try:
        shared, of_classes = _looked_up(program)
    except (SyntaxError, ValueError):
        yield program.tree, "names that cannot be looked up"
        return
    for name in sorted(shared | of_classes):
        meaning = program.modules.get(name, program.members.get(name))
        alike = meaning is not None and name not in program.bound
        alike = alike and meaning == program.tests.imported.get(name)
        if (name in shared - own) or (name in program.tests.bound and not alike):
            read = (n for n in program.nodes if isinstance(n, ast.Name) and n.id == name)
            yield next(read, program.tree), f"{name} may be the tests'"


def _looked_up(program: Program) -> "tuple[set[str], set[str]]":
    """The names that functions and classes look up, or bind, in the module's scope; and those that
    classes bind themselves and read, maybe before that, from the module's scope. Raises SyntaxError
    or ValueError for a text that does not compile."""
    # Typeshed does not know that it takes bytes.
    tables = [symtable.symtable(program.text, "program", "exec")]  # type: ignore[arg-type]
    shared, of_classes = set(), set()
    while tables:
        inner = tables.pop().get_children()
        for one in inner:
            shared |= {s.get_name() for s in one.get_symbols() if _is_shared(s)}
            if one.get_type() == "class":
                of_classes |= {s.get_name() for s in one.get_symbols() if s.is_referenced()}
        tables += inner
    return shared, of_classes


def _is_shared(symbol: symtable.Symbol) -> bool:
    """Whether it is global. Python 3.11 also says so of every local name of a function `top`."""
    return symbol.is_global() and (symbol.is_declared_global() or not symbol.is_local())


def executed(program: Program) -> Found:
    """Tests that execute text, because the program may have made that text."""
    for name in sorted(program.tests.executed):
        yield program.tree, f"the tests use {name}"

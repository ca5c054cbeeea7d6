"""Whether a program's text could interfere with tests that run in its own process.

It lists what is harmless; in doubt a text is not. RULES names each kind of interference that is
looked for. Together they keep a program away from everything but its own classes, plain data and
the listed functions: no value is a module, a frame or a code object, no attribute is named by
text, and no text is executed.
"""

import ast
import builtins
import importlib
import string
import symtable
from collections.abc import Callable, Iterator
from itertools import chain
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    GeneratorType,
    TracebackType,
)
from typing import NamedTuple

from . import text


class Finding(NamedTuple):
    line: int
    words: str


_Found = Iterator[tuple[ast.AST, str]]

# Other members of these modules are rejected, as are other modules and modules used as values.
MODULES = {
    "__future__": "annotations",
    "abc": "ABC abstractmethod",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "collections": "ChainMap Counter OrderedDict abc defaultdict deque namedtuple",
    "collections.abc": "Callable Collection Container Generator Hashable Iterable Iterator Mapping "
    "MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized",
    "contextlib": "closing contextmanager nullcontext suppress",
    "copy": "copy deepcopy",
    "dataclasses": "asdict astuple dataclass field fields replace",
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone",
    "decimal": "Decimal DivisionByZero InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR "
    "ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP",
    "enum": "Enum Flag IntEnum IntFlag StrEnum auto unique",
    "fractions": "Fraction",
    "functools": "cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "itertools": "accumulate chain combinations combinations_with_replacement compress count cycle "
    "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile "
    "tee zip_longest",
    "math": "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist "
    "e erf erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose "
    "isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi "
    "pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp",
    "numbers": "Complex Integral Number Rational Real",
    "operator": "add and_ concat contains countOf eq floordiv ge getitem gt indexOf itemgetter le "
    "lt mod mul ne neg not_ or_ pow sub truediv truth xor",
    "random": "Random betavariate choice choices expovariate gauss getrandbits normalvariate "
    "randint random randrange sample seed shuffle triangular uniform",
    "re": "A ASCII DOTALL I IGNORECASE M MULTILINE Match NOFLAG Pattern S VERBOSE X compile error "
    "escape findall finditer fullmatch match search split sub subn",
    "statistics": "fmean geometric_mean harmonic_mean mean median median_high median_low mode "
    "multimode pstdev pvariance quantiles stdev variance",
    "string": "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits "
    "printable punctuation whitespace",
    "typing": "Annotated Any AnyStr AsyncIterator Awaitable Callable ClassVar Collection Coroutine "
    "Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable Iterator "
    "List Literal Mapping Match MutableMapping MutableSequence NamedTuple Never NewType NoReturn "
    "Optional OrderedDict ParamSpec Pattern Protocol Reversible Self Sequence Set Sized "
    "SupportsFloat SupportsIndex SupportsInt Text Tuple Type TypeAlias TypedDict TypeVar Union "
    "TYPE_CHECKING cast final overload",
}
_MEMBERS = {module: set(members.split()) for module, members in MODULES.items()}
_PLAIN_BUILTINS = (
    "abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict "
    "divmod enumerate filter float format frozenset hasattr hash hex id int isinstance issubclass "
    "iter len list map max min next object oct ord pow print property range repr reversed round "
    "set slice sorted staticmethod str sum super tuple type zip Ellipsis NotImplemented"
)
_BUILTINS = set(_PLAIN_BUILTINS.split())
_BUILTINS |= {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
# With other special methods a class could equal everything, or resolve attributes by a hook.
_METHODS = {"__init__", "__repr__", "__str__", "__len__", "__iter__", "__next__"}
# As text they could become attributes: __slots__ = "__eq__".
_SLOTS = {name for name in dir(type) if name.startswith("__")} - {"__name__"}
_SETTINGS = {"__slots__", "__all__", "__author__", "__version__"}
_OF_TUPLES = {"_replace", "_asdict", "_fields", "_make"}
# Attributes that lead to classes of others, or make a class count as a subclass of another.
_OF_CLASSES = {"mro", "register"}
_KINDS = (GeneratorType, CoroutineType, AsyncGeneratorType, FrameType, CodeType, TracebackType)
_OF_THE_INTERPRETER = {
    name
    for kind in _KINDS
    for name in dir(kind)
    if name.split("_")[0] in ("gi", "cr", "ag", "tb", "co", "f")
}
_EVALUATES_ANNOTATIONS = {"get_type_hints", "get_annotations", "eval_str"}
_ENUMS = {f"enum.{name}" for name in ("Enum", "Flag", "IntEnum", "IntFlag", "StrEnum")}
# Subclasses of these compare by methods that the program can define: with __len__ and __iter__ one
# equals every set of its size, with from_float every float.
_COMPARE_BY_METHODS = {
    *("collections.abc.Set", "collections.abc.MutableSet", "fractions.Fraction"),
    *("collections.abc.Mapping", "collections.abc.MutableMapping", "collections.ChainMap"),
    *("typing.Set", "typing.MutableSet", "typing.Mapping", "typing.MutableMapping"),
}
# Through these, inspect still finds the function's own source.
_TRANSPARENT = {"functools.cache", "functools.lru_cache"}
# These change the class or function that they receive, so each may only decorate.
_DECORATORS = {
    *("dataclasses.dataclass", "functools.total_ordering", "functools.wraps", "enum.unique"),
}


class Program:
    """A program's tree, with the meanings of its names and the parent of each node."""

    def __init__(self, tree: ast.Module, tests: ast.Module, functions: "set[str]") -> None:
        self.tree, self.functions = tree, functions
        self.nodes = list(ast.walk(tree))
        self.parents = {c: node for node in self.nodes for c in ast.iter_child_nodes(node)}
        self.tested = text.mentions(tests)
        self.executed = text.executed_by(tests)
        self.of_tests = {name for _, name in _bound(tests)}
        self.called_by_tests = {
            node.func.attr
            for node in ast.walk(tests)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        self.imported_by_tests = dict(chain.from_iterable(map(_imported_by, ast.walk(tests))))
        self.free = text.free_names(tests)
        self.modules: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.ambiguous: list[tuple[ast.AST, str]] = []
        for node in self.nodes:
            for name, meaning in _imported_by(node):
                self._imported(node, name, meaning)
        self.bound = {name for node in self.nodes for name in _bound_by(node)}
        self.classes: dict[str, list[ast.ClassDef]] = {}
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, []).append(node)

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

    def is_rebound(self, node: ast.AST) -> bool:
        """Whether the first name of an expression may have another meaning too."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and (node.id in self.bound or node.id in self.classes)


def _imported_by(node: ast.AST) -> "Iterator[tuple[str, str]]":
    """The names that the node binds as an import, and their meanings."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.split(".")[0]
            yield alias.asname or first, alias.name if alias.asname else first
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _bound_by(node: ast.AST) -> "Iterator[str]":
    """The names that a node binds, except through imports and class statements."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.Global(names=names):
            yield from names


def _imports(program: Program) -> _Found:
    """Modules and members that are not listed, and modules as values."""
    yield from program.ambiguous
    for node in program.nodes:
        if isinstance(node, ast.Import):
            yield from ((node, a.name) for a in node.names if a.name not in MODULES)
        elif isinstance(node, ast.ImportFrom):
            members = _MEMBERS.get(node.module or "", set()) if not node.level else set()
            yield from (
                (node, f"{node.module}.{a.name}") for a in node.names if a.name not in members
            )
        elif (module := program.module(node)) is not None:
            yield from _of_module(program, node, module)


def _of_module(program: Program, node: ast.AST, module: str) -> _Found:
    used = program.parents[node]
    if not isinstance(used, ast.Attribute):
        if isinstance(getattr(node, "ctx", None), ast.Load):
            yield node, f"the module {module} as a value"
    elif not isinstance(used.ctx, ast.Load) or used.attr not in _MEMBERS.get(module, ()):
        yield used, f"{module}.{used.attr}"


def _names(program: Program) -> _Found:
    """Builtins that are not listed, and identifiers with double underscores in any place."""
    for node in program.nodes:
        if isinstance(node, ast.Name) and _is_other_builtin(node.id):
            yield node, node.id
        if isinstance(node, ast.Constant) and node.value in _SLOTS:
            yield node, f"the name {node.value} as text"
        for word in () if isinstance(node, ast.ImportFrom) else text.identifiers(node):
            if _is_special(word) and not _is_allowed(program, node, word):
                yield node, word


def _is_other_builtin(word: str) -> bool:
    return hasattr(builtins, word) and word not in _BUILTINS and not _is_special(word)


def _is_special(word: str) -> bool:
    return word.startswith("__") and word.endswith("__")


def _is_allowed(program: Program, node: ast.AST, word: str) -> bool:
    match node:
        case ast.FunctionDef():
            return word in _METHODS
        case ast.Name(ctx=ast.Load()):
            return word == "__name__"
        case ast.Name():
            return word in _SETTINGS
        case ast.Attribute(value=ast.Call(func=called)) if word == "__init__":
            return program.meaning(called) == "builtins.super"
        case ast.Attribute():
            return word == "__name__" and _is_read(node)
    return False


def _attributes(program: Program) -> _Found:
    """Attributes that give frames and code objects, and private attributes of others."""
    stored = {n.attr for n in program.nodes if isinstance(n, ast.Attribute) and not _is_read(n)}
    functions = (n for n in program.nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    own = stored | {n.name for n in functions} | _OF_TUPLES | _class_names(program)
    for node in program.nodes:
        if isinstance(node, ast.MatchClass):
            words = node.kwd_attrs
        elif isinstance(node, ast.Attribute) and program.module(node.value) is None:
            words = [node.attr]
        else:
            continue
        for word in words:
            private = word.startswith("_") and not _is_special(word) and word not in own
            if private or word in _OF_CLASSES or word in _OF_THE_INTERPRETER:
                yield node, word
    yield from _stores(program)


def _is_read(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _class_names(program: Program) -> "set[str]":
    """Names that class bodies assign."""
    kinds = (kind for alike in program.classes.values() for kind in alike)
    statements = (s for kind in kinds for s in kind.body)
    bound = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name))
    return {n.id for n in bound if isinstance(n.ctx, ast.Store)}


def _stores(program: Program) -> _Found:
    """Assignments to attributes of imported or builtin objects, as Counter.total = ..., and to
    names of methods that the tests call, maybe of their own objects."""
    for node in program.nodes:
        if not isinstance(node, ast.Attribute) or _is_read(node):
            continue
        if program.meaning(node.value) or node.attr in program.called_by_tests:
            yield node, f"a change of {ast.unparse(node)}"


def _formats(program: Program) -> _Found:
    """Formats whose fields read attributes or items, or that are not literals."""
    for node in program.nodes:
        if isinstance(node, ast.Attribute) and node.attr in ("format", "format_map"):
            pattern = node.value.value if isinstance(node.value, ast.Constant) else None
            if not isinstance(pattern, str) or not _is_simple(pattern):
                yield node, f"{node.attr} with fields that are not simple"
        elif isinstance(node, ast.MatchClass) and {"format", "format_map"} & set(node.kwd_attrs):
            yield node, "format by a pattern"


def _is_simple(pattern: str) -> bool:
    try:
        parts = list(string.Formatter().parse(pattern))
    except ValueError:
        return True  # str.format raises for it too
    fields = [(name, spec) for _, name, spec, _ in parts if name is not None]
    return all(
        (not name or name.isidentifier() or name.isdigit()) and _is_simple(spec or "")
        for name, spec in fields
    )


def _uses(program: Program) -> _Found:
    """Listed names in a position where they could make or change classes."""
    for node in program.nodes:
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        meaning = program.meaning(node)
        if meaning is not None and not _is_well_used(program, node, meaning):
            yield node, f"{meaning.removeprefix('builtins.')} other than in its usual form"


def _is_well_used(program: Program, node: ast.AST, meaning: str) -> bool:
    above = program.parents[node]
    if meaning in _ENUMS:
        return isinstance(above, ast.ClassDef) and node in above.bases
    if meaning in _DECORATORS:
        call = above if isinstance(above, ast.Call) and above.func is node else None
        decorates = call or node
        if meaning == "functools.wraps" and not (call and _has_arguments(call, 1)):
            return False
        decorated = program.parents[decorates]
        decorators = getattr(decorated, "decorator_list", [])
        alike = not isinstance(decorated, ast.ClassDef) or all(
            _is_decorator(program, each) for each in decorators
        )
        return decorates in decorators and alike
    if meaning == "builtins.super":
        return isinstance(above, ast.Call) and above.func is node and _has_arguments(above, 0)
    if meaning == "builtins.type":
        return (
            isinstance(above, ast.Call)
            and above.func is node
            and _has_arguments(above, 1)
            and _is_looked_at(program.parents[above])
        )
    return True


def _is_decorator(program: Program, node: ast.expr) -> bool:
    """Whether the decorator returns the class that it receives."""
    named = node.func if isinstance(node, ast.Call) else node
    return program.meaning(named) in _DECORATORS and not program.is_rebound(named)


def _has_arguments(call: ast.Call, number: int) -> bool:
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return len(call.args) == number and not call.keywords and not starred


def _is_looked_at(above: ast.AST) -> bool:
    """Whether a type is only compared, formatted, or asked for its name: type(int) makes
    classes."""
    named = isinstance(above, ast.Attribute) and above.attr == "__name__"
    return named or isinstance(above, (ast.Compare, ast.FormattedValue))


def _classes(program: Program) -> _Found:
    """Metaclasses, enumerations without members, classes with several exceptions as bases."""
    for node in program.nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        for keyword in node.keywords:
            yield node, f"the class {node.name} with {keyword.arg or '**'}"
        if not all(_is_known(program, base) for base in node.bases):
            yield node, f"the class {node.name} with computed bases"
        if any(program.meaning(base) in _COMPARE_BY_METHODS for base in _unsubscribed(node.bases)):
            yield node, f"the class {node.name} that compares by its methods"
        is_enum = any(program.meaning(base) in _ENUMS for base in node.bases)
        if is_enum and not _has_members(program, node):
            yield node, f"the enumeration {node.name} of an unusual form"
        if len(node.bases) > 1 and any(_raises(program, base, set()) for base in node.bases):
            yield node, f"the class {node.name} of several exceptions"


def _unsubscribed(bases: "list[ast.expr]") -> "Iterator[ast.expr]":
    for base in bases:
        yield base.value if isinstance(base, ast.Subscript) else base


def _is_known(program: Program, node: ast.expr) -> bool:
    """Whether the name certainly means one class: the program's, an imported or a builtin one."""
    if isinstance(node, ast.Subscript):
        return _is_known(program, node.value)
    if isinstance(node, ast.Name) and node.id in program.bound:
        return False
    own = isinstance(node, ast.Name) and node.id in program.classes
    return own or program.meaning(node) is not None


def _has_members(program: Program, node: ast.ClassDef) -> bool:
    """Whether it certainly has a member: calling an enumeration without one makes classes."""
    allowed = (ast.Assign, ast.FunctionDef, ast.Expr, ast.Pass)
    values = [each for each in node.body if isinstance(each, ast.Assign)]
    targets = [target for each in values for target in each.targets]
    public = all(isinstance(t, ast.Name) and not t.id.startswith("_") for t in targets)
    certain = (ast.Constant, ast.Tuple, ast.UnaryOp)
    usual = public and all(isinstance(each, allowed) for each in node.body)
    return usual and any(isinstance(v.value, certain) or _is_auto(program, v.value) for v in values)


def _is_auto(program: Program, value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    return program.meaning(value.func) == "enum.auto" and not program.is_rebound(value.func)


def _raises(program: Program, base: ast.expr, seen: "set[str]") -> bool:
    """Whether a base is an exception, also indirectly through the program's classes."""
    if isinstance(base, ast.Name) and base.id in program.classes and base.id not in seen:
        seen.add(base.id)
        bases = (b for kind in program.classes[base.id] for b in kind.bases)
        if any(_raises(program, each, seen) for each in bases):
            return True
    module, _, name = (program.meaning(base) or "").rpartition(".")
    kind = getattr(importlib.import_module(module), name, None) if module in MODULES else None
    kind = getattr(builtins, name, None) if module == "builtins" else kind
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _shadows(program: Program) -> _Found:
    """Names of builtins that the module binds again and that the tests use."""
    for node, name in _bound(program.tree):
        if hasattr(builtins, name) and name in program.tested - program.functions:
            yield node, f"{name} is bound anew"


def _bound(tree: ast.Module) -> "Iterator[tuple[ast.AST, str]]":
    """The names that the module's own scope binds, and those declared global."""
    shared = (node for node in ast.walk(tree) if isinstance(node, ast.Global))
    for node in (*text.module_scope(tree), *shared):
        if isinstance(node, ast.arg):
            continue
        yield from ((node, name) for name in _bound_by(node))
        if isinstance(node, ast.ClassDef):
            yield node, node.name
        elif isinstance(node, ast.alias):
            yield node, (node.asname or node.name).split(".")[0]


def _annotations(program: Program) -> _Found:
    """Text that the tests would evaluate as an annotation."""
    if not program.tested & _EVALUATES_ANNOTATIONS:
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
            return _is_known(program, node)
        case ast.Subscript(value=value, slice=inner):
            return _is_type(program, value) and _is_type(program, inner)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return all(_is_type(program, item) for item in items)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(program, left) and _is_type(program, right)
    return False


def _sources(program: Program) -> _Found:
    """Functions whose source, if the tests read it, may differ from their code."""
    if not program.tested & text.READS_SOURCE:
        return
    bound = {name for _, name in _bound(program.tree)}
    for name in sorted(program.free & bound):
        if not text.source_is_plain(program.tree, name, classes=True):
            yield program.tree, f"the source of {name} may be another's"
    functions = (node for node in program.tree.body if isinstance(node, ast.FunctionDef))
    for node in functions:
        for decorator in node.decorator_list if node.name in program.free else ():
            named = decorator.func if isinstance(decorator, ast.Call) else decorator
            if program.meaning(named) not in _TRANSPARENT or program.is_rebound(named):
                yield decorator, f"the source of {node.name} may be its decorator's"


def _globals(program: Program) -> _Found:
    """Names that the program's functions may find among the names of the tests."""
    own = {name for _, name in _bound(program.tree)} | set(dir(builtins))
    shared, of_classes = _looked_up(program)
    for name in sorted(shared | of_classes):
        meaning = program.modules.get(name, program.members.get(name))
        alike = meaning is not None and name not in program.bound
        alike = alike and meaning == program.imported_by_tests.get(name)
        if (name in shared - own) or (name in program.of_tests and not alike):
            read = (n for n in program.nodes if isinstance(n, ast.Name) and n.id == name)
            yield next(read, program.tree), f"{name} may be the tests'"


def _looked_up(program: Program) -> "tuple[set[str], set[str]]":
    """The names that functions and classes look up, or bind, in the module's scope; and those that
    classes bind themselves and read, maybe before that, from the module's scope."""
    try:
        tables = [symtable.symtable(ast.unparse(program.tree), "program", "exec")]
    except SyntaxError:
        return set(), set()  # the program does not run
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


def _executed(program: Program) -> _Found:
    """Tests that execute text, because the program may have made that text."""
    for name in sorted(program.executed):
        yield program.tree, f"the tests use {name}"


RULES: "dict[str, Callable[[Program], _Found]]" = {
    "imports": _imports,
    "names": _names,
    "attributes": _attributes,
    "formats": _formats,
    "uses": _uses,
    "classes": _classes,
    "shadows": _shadows,
    "annotations": _annotations,
    "sources": _sources,
    "globals": _globals,
    "executed": _executed,
}


def findings(tree: ast.Module, tests: ast.Module, functions: "set[str]") -> "list[Finding]":
    """Parts of a program that could interfere with its tests, in the order of the text. `functions`
    are the names of the task's own functions, which may equal names of builtins."""
    program = Program(tree, tests, functions)
    found = (each for rule in RULES.values() for each in rule(program))
    return sorted({Finding(getattr(node, "lineno", 1), words) for node, words in found})

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
from abc import ABC
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
from typing import Generic, NamedTuple, Protocol

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
    "dataclasses": "asdict astuple dataclass field replace",
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone",
    "decimal": "Decimal DivisionByZero InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR "
    "ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP",
    "enum": "Enum Flag IntEnum IntFlag StrEnum auto unique",
    "fractions": "Fraction",
    "functools": "cache cmp_to_key lru_cache partial reduce total_ordering wraps",
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
# Attributes that lead to classes (obj of an AttributeError), or make a class count as a subclass of
# another.
_OF_CLASSES = {"mro", "obj", "register", "_dump_registry"}
_OF_CLASSES |= {"_abc_caches_clear", "_abc_impl", "_abc_registry_clear"}
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
_OF_FUNCTIONS = {"functools.wraps", "abc.abstractmethod"}
_DECORATORS = {"dataclasses.dataclass", "functools.total_ordering", "enum.unique"} | _OF_FUNCTIONS
# These call a method of a subclass for the subclass's own objects only; enum calls _missing_ for a
# value, and __repr__ too.
_CALL_FOR_OWN = (object, ABC, Generic, Protocol, BaseException)
_USUAL = {"__init__", "__repr__", "__str__", "__slots__"}
# A class that has these too can pass for a text or a number.
_OF_TEXTS = {name for kind in (str, bytes, int, float) for name in dir(kind)} - set(dir(list))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


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
        stored = (n for n in self.nodes if isinstance(n, ast.Attribute) and not _is_read(n))
        used = (n for n in self.nodes if self.meaning(n) == "builtins.super")
        changing = (self.method(n) for n in chain(stored, used))
        self.changing = {each for each in changing if each is not None}

    def method(self, node: ast.AST) -> "ast.FunctionDef | None":
        """The method of a class whose body, outside of inner functions, contains the node, if its
        name and its first parameter, self, are bound nowhere else."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, _FUNCTIONS):
            node, above = above, self.parents.get(above)
        if not isinstance(above, ast.FunctionDef) or node not in above.body:
            return None
        kind = self.parents[above]
        named = [*above.args.posonlyargs, *above.args.args][:1]
        if not isinstance(kind, ast.ClassDef) or [each.arg for each in named] != ["self"]:
            return None
        inner = chain.from_iterable(map(ast.walk, above.body))
        rebound = any("self" in _all_bound_by(each) for each in inner)
        shared = any(isinstance(each, (ast.Global, ast.Nonlocal)) for each in _scope(kind))
        return None if rebound or shared else above

    def own_bases(self, kind: ast.ClassDef) -> "list[ast.ClassDef]":
        """The class, and the program's classes that it derives from."""
        found, todo = [], [kind]
        while todo:
            one = todo.pop()
            if one not in found:
                found.append(one)
                todo += chain(*(self.classes.get(_last(base), ()) for base in one.bases))
        return found

    def other_bases(self, kind: ast.ClassDef) -> "list[type]":
        """The classes of others that it derives from."""
        found = (self.kind(base) for one in self.own_bases(kind) for base in one.bases)
        return [each for each in found if each is not None]

    def kind(self, base: ast.expr) -> "type | None":
        """The class of others that a base names."""
        base = base.value if isinstance(base, ast.Subscript) else base
        module, _, name = (self.meaning(base) or "").rpartition(".")
        if (module, name) == ("typing", "NamedTuple"):
            return tuple
        listed = importlib.import_module(module) if module in MODULES else None
        kind = getattr(builtins if module == "builtins" else listed, name, None)
        kind = getattr(kind, "__origin__", kind)
        return kind if isinstance(kind, type) else None

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


def _all_bound_by(node: ast.AST) -> "Iterator[str]":
    yield from _bound_by(node)
    if isinstance(node, ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]


def _scope(kind: ast.ClassDef) -> "Iterator[ast.AST]":
    """Every node that is evaluated in the scope of the class."""
    nodes = text.module_scope(ast.Module(kind.body, []))
    return (node for node in nodes if not isinstance(node, ast.arg))


def _last(base: ast.expr) -> str:
    """The last name of a base: Inner of Outer.Inner[int]."""
    base = base.value if isinstance(base, ast.Subscript) else base
    return getattr(base, "attr", getattr(base, "id", ""))


def _is_one_of(word: str, names: "set[str]") -> bool:
    """Also if the name of a class precedes the name, as in _Bag__next."""
    return word in names or any(n.startswith("__") and word.endswith(n) for n in names)


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
        if isinstance(node, ast.Name) and node.id == "__slots__" and not _is_set(program, node):
            yield node, "__slots__ that are not written out"
        for word in () if isinstance(node, ast.ImportFrom) else text.identifiers(node):
            if _is_special(word) and not _is_allowed(program, node, word):
                yield node, word


def _is_set(program: Program, node: ast.Name) -> bool:
    """Whether __slots__ are written out, so that no text becomes a special name, now or later."""
    match program.parents[node]:
        case ast.Assign(targets=[_], value=value) | ast.AnnAssign(value=value):
            constants = (n.value for n in ast.walk(value or node) if isinstance(n, ast.Constant))
            return _is_literal(value) and not any(_is_special(str(each)) for each in constants)
    return False


def _is_literal(node: "ast.expr | None") -> bool:
    """Whether it is a text or a list of texts."""
    items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return all(isinstance(item, ast.Constant) for item in items)


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
        case ast.Attribute(value=ast.Call(func=called)) if word == "__init__" and _is_read(node):
            return program.meaning(called) == "builtins.super"
        case ast.Attribute():
            return word == "__name__" and _is_read(node)
    return False


def _attributes(program: Program) -> _Found:
    """Attributes that give classes, frames and code objects, and private attributes of others."""
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
            if private or _is_of_enum(word) or word in _OF_CLASSES | _OF_THE_INTERPRETER:
                yield node, word


def _is_of_enum(word: str) -> bool:
    """Whether it is a name of enum's own, such as _member_map_, except for a member's own names."""
    enclosed = len(word) > 2 and word[0] == word[-1] == "_" and not _is_special(word)
    return enclosed and word not in ("_name_", "_value_")


def _is_read(node: "ast.Attribute | ast.Name") -> bool:
    return isinstance(node.ctx, ast.Load)


def _class_names(program: Program) -> "set[str]":
    """Names that class bodies assign."""
    kinds = (kind for alike in program.classes.values() for kind in alike)
    statements = (s for kind in kinds for s in kind.body)
    bound = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name))
    return {n.id for n in bound if isinstance(n.ctx, ast.Store)}


def _stores(program: Program) -> _Found:
    """Changes of attributes of other objects than the program's own. Only self.x in a method may be
    changed, and nothing may call that method for another object: not its class (Bag.put(Counter)),
    a decorator, or a base."""
    for node in program.nodes:
        if isinstance(node, ast.Attribute) and not _is_read(node):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            if own and program.method(node) and node.attr not in program.called_by_tests:
                continue
            if not _is_special(node.attr) and program.module(node.value) is None:
                yield node, f"a change of {ast.unparse(node)}"
    for method in program.changing:
        if not all(_keeps(program, method, each) for each in method.decorator_list):
            yield method, f"the method {method.name} with an unusual decorator"
    changing = [method for method in program.changing if method.name != "__init__"]
    names = {method.name for method in changing}
    for kind in chain(*program.classes.values()):
        yield from _methods_as_values(program, kind, names)
    homes = {program.parents[method] for method in changing}
    holding = [k for k in chain(*program.classes.values()) if homes & {*program.own_bases(k)}]
    for kind in holding:
        yield from _unusual(program, kind)
    if holding:
        yield from _classes_as_values(program, {kind.name for kind in holding}, names)


def _keeps(program: Program, method: ast.FunctionDef, decorator: ast.expr) -> bool:
    """Whether a decorator of a method passes the method to nothing."""
    if program.meaning(decorator) in ("builtins.property", "abc.abstractmethod"):
        return not program.is_rebound(decorator)
    match decorator:
        case ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter"):
            return name == method.name and _is_property(program, method)
    return False


def _is_property(program: Program, method: ast.FunctionDef) -> bool:
    """Whether the method's name means a property in the class, and nothing else."""
    name, kind = method.name, program.parents[method]
    assert isinstance(kind, ast.ClassDef)
    bound = [each for each in _scope(kind) if name in _all_bound_by(each)]
    known = (["property"], [f"{name}.setter"], [f"{name}.deleter"])
    for each in bound:
        if not isinstance(each, ast.FunctionDef) or each not in kind.body:
            return False
        decorators = [ast.unparse(d) for d in each.decorator_list]
        if decorators not in (known[:1] if each is bound[0] else known[1:]):
            return False
    named = ast.Name("property", ast.Load())
    usual = program.meaning(named) == "builtins.property" and not program.is_rebound(named)
    return usual and not name.startswith("__")


def _methods_as_values(program: Program, kind: ast.ClassDef, names: "set[str]") -> _Found:
    for node in _scope(kind):
        if isinstance(node, ast.Name) and _is_read(node) and _is_one_of(node.id, names):
            above = program.parents[node]
            decorated = program.parents.get(above)
            if not (
                isinstance(above, ast.Attribute)
                and isinstance(decorated, ast.FunctionDef)
                and above in decorated.decorator_list
                and _keeps(program, decorated, above)
            ):
                yield node, f"the method {node.id} as a value"


def _unusual(program: Program, kind: ast.ClassDef) -> _Found:
    """Decorators and bases that could call a method of the class for another object, and a name
    that Python changes inside of classes."""
    if not all(_is_decorator(program, each) for each in kind.decorator_list):
        yield kind, f"the class {kind.name} with an unusual decorator"
    if kind.name.startswith("__"):
        yield kind, f"the class {kind.name} with two names"
    for base in program.other_bases(kind):
        usual = base in _CALL_FOR_OWN or base.__module__ == "collections.abc"
        if not usual and not issubclass(base, BaseException):
            yield kind, f"the class {kind.name} that changes objects of {base.__name__}"


def _classes_as_values(program: Program, holding: "set[str]", names: "set[str]") -> _Found:
    """Classes with methods that change attributes, where they could be asked for these methods."""
    for node in program.nodes:
        match node:
            case ast.Name(id=word, ctx=ast.Load()) | ast.Attribute(attr=word, ctx=ast.Load()):
                if _is_one_of(word, holding) and not _is_usual(program, node, names):
                    yield node, f"the class {word} other than in its usual form"
            case ast.MatchClass(kwd_attrs=words):
                yield from ((node, w) for w in words if _is_one_of(w, holding))
            case ast.FunctionDef() if _is_of_class(program, node):
                yield from _of_class_as_value(program, node, names)


def _is_of_class(program: Program, node: ast.FunctionDef) -> bool:
    return any(program.meaning(d) == "builtins.classmethod" for d in node.decorator_list)


def _of_class_as_value(program: Program, method: ast.FunctionDef, names: "set[str]") -> _Found:
    parameters = [each.arg for each in (*method.args.posonlyargs, *method.args.args)]
    if not parameters or parameters[0].startswith("__"):
        yield method, f"the method {method.name} without a class"
        return
    read = (n for n in ast.walk(method) if isinstance(n, ast.Name) and _is_read(n))
    for node in read:
        if node.id == parameters[0] and not _is_usual(program, node, names):
            yield node, f"the class {node.id} other than in its usual form"


def _is_usual(program: Program, node: ast.AST, names: "set[str]") -> bool:
    """Whether a class is only called, derived from, asked for other attributes than these, or named
    as a type."""
    if _is_annotation(program, node):
        return True
    above = program.parents[node]
    while isinstance(above, ast.Subscript) and above.value is node:
        node, above = above, program.parents[above]
    match above:
        case ast.Attribute(attr=word, ctx=ast.Load()):
            return not isinstance(node, ast.Subscript) and not _is_one_of(word, names)
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
            asks = program.meaning(func) in ("builtins.isinstance", "builtins.issubclass")
            return kinds is node and asks and not program.is_rebound(func)
    return isinstance(above, ast.ExceptHandler)


def _is_annotation(program: Program, node: ast.AST) -> bool:
    """Whether it is a part of a type that is only kept as an annotation: table[Bag] could put it
    into a defaultdict, and Colour[Bag] into a KeyError."""
    above = program.parents[node]
    while isinstance(above, (ast.Subscript, ast.Tuple, ast.List, ast.BinOp)):
        if isinstance(above, ast.BinOp) and not isinstance(above.op, ast.BitOr):
            return False
        generic = above.value if isinstance(above, ast.Subscript) else node
        known = program.meaning(generic) is not None and not program.is_rebound(generic)
        if generic is not node and not known:
            return False
        node, above = above, program.parents[above]
    return node in (getattr(above, "annotation", None), getattr(above, "returns", None))


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
        if isinstance(decorated, ast.ClassDef):
            alike = all(_is_decorator(program, d) for d in decorators)
            return decorates in decorators and alike and meaning not in _OF_FUNCTIONS
        return decorates in decorators[-1:]
    if meaning == "builtins.super":
        called = isinstance(above, ast.Call) and above.func is node and _has_arguments(above, 0)
        return called and program.method(node) is not None
    if meaning == "builtins.classmethod":
        return _makes_method(program, node)
    if meaning == "dataclasses.field":
        return _declares(program, node)
    if meaning == "typing.Type":
        return _is_annotation(program, node)
    if meaning == "builtins.type":
        return (
            isinstance(above, ast.Call)
            and above.func is node
            and _has_arguments(above, 1)
            and _is_looked_at(program.parents[above])
        )
    return True


def _makes_method(program: Program, node: ast.AST) -> bool:
    """Whether classmethod decorates a method, and nothing else could receive its class."""
    method = program.parents[node]
    if not isinstance(method, ast.FunctionDef) or node not in method.decorator_list:
        return False
    known = ("builtins.classmethod", "abc.abstractmethod")
    if any(program.meaning(d) not in known or program.is_rebound(d) for d in method.decorator_list):
        return False
    return isinstance(program.parents[method], ast.ClassDef)


def _declares(program: Program, node: ast.AST) -> bool:
    """Whether field declares a field of a data class that nothing else can reach: dataclass
    executes the field's name, and keeps its type."""
    called = program.parents[node]
    declared = program.parents[called]
    kind = program.parents.get(declared)
    if not isinstance(called, ast.Call) or called.func is not node:
        return False
    if not isinstance(declared, ast.AnnAssign) or not isinstance(kind, ast.ClassDef):
        return False
    decorators = (d.func if isinstance(d, ast.Call) else d for d in kind.decorator_list)
    processed = any(program.meaning(d) == "dataclasses.dataclass" for d in decorators)
    read = {n.id for n in _scope(kind) if isinstance(n, ast.Name) and _is_read(n)}
    name = declared.target.id if isinstance(declared.target, ast.Name) else ""
    kept = any(_is_one_of(each, {name}) for each in read)
    return declared.value is called and processed and not kept


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
        kinds = program.other_bases(node)
        if len(node.bases) > 1 and any(issubclass(kind, BaseException) for kind in kinds):
            yield node, f"the class {node.name} of several exceptions"


def _unsubscribed(bases: "list[ast.expr]") -> "Iterator[ast.expr]":
    for base in bases:
        yield base.value if isinstance(base, ast.Subscript) else base


def _is_known(program: Program, node: ast.expr) -> bool:
    """Whether the name certainly means one class: the program's, an imported or a builtin one."""
    if isinstance(node, ast.Subscript):
        # Annotated[X, 1] and Union[X] as a base mean X.
        kind = None if program.meaning(node.value) == "typing.Annotated" else program.kind(node)
        own = isinstance(node.value, ast.Name) and node.value.id in program.classes
        return (own or kind is not None) and _is_known(program, node.value)
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


def _answers(program: Program) -> _Found:
    """Classes whose objects could pass for texts, numbers or collections although the class answers
    for them: Label(str) with its own startswith."""
    texts = program.called_by_tests & _OF_TEXTS
    for kind in chain(*program.classes.values()):
        own = [(one, _members(one)) for one in program.own_bases(kind)]
        others = set().union(*map(_answered_by, program.other_bases(kind)))
        for one, names in own:
            fields = _fields(one) if tuple in program.other_bases(one) else set()
            for name in sorted(names & texts | (names - fields) & others):
                yield kind, f"{name} of {one.name}"
    for node in program.nodes if texts else ():
        tuples = program.meaning(node) in ("collections.namedtuple", "typing.NamedTuple")
        if tuples and not _is_written_out(program, node, texts):
            yield node, "a tuple with names that are not written out"


def _answered_by(base: type) -> "set[str]":
    apart = ("collections.abc", "enum")
    kinds = [each for each in base.__mro__ if each not in _CALL_FOR_OWN]
    kinds = [k for k in kinds if k.__module__ not in apart and not issubclass(k, BaseException)]
    return set(chain(*map(vars, kinds))) - _USUAL


def _members(kind: ast.ClassDef) -> "set[str]":
    """Names that the class gives itself and its objects."""
    attributes = (n for n in ast.walk(kind) if isinstance(n, ast.Attribute))
    stored = (n.attr for n in attributes if not _is_read(n))
    return {*chain(*map(_all_bound_by, _scope(kind))), *stored}


def _fields(kind: ast.ClassDef) -> "set[str]":
    declared = (n.target for n in kind.body if isinstance(n, ast.AnnAssign))
    return {target.id for target in declared if isinstance(target, ast.Name)}


def _is_written_out(program: Program, node: ast.AST, texts: "set[str]") -> bool:
    above = program.parents[node]
    if isinstance(above, ast.ClassDef):
        return True
    if not isinstance(above, ast.Call) or above.func is not node or len(above.args) != 2:
        return False
    constants = (n for n in ast.walk(above) if isinstance(n, ast.Constant))
    words = {w for n in constants for w in str(n.value).replace(",", " ").split()}
    return all(map(_is_literal, above.args)) and not words & texts


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
    "stores": _stores,
    "formats": _formats,
    "uses": _uses,
    "classes": _classes,
    "answers": _answers,
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

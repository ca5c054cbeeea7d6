"""The modules, members, builtins and special names that a program may use, and the attributes that
it may not."""

import builtins
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    GeneratorType,
    TracebackType,
)

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
MEMBERS = {module: set(members.split()) for module, members in MODULES.items()}
_PLAIN_BUILTINS = (
    "abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict "
    "divmod enumerate filter float format frozenset hasattr hash hex id int isinstance issubclass "
    "iter len list map max min next object oct ord pow print property range repr reversed round "
    "set slice sorted staticmethod str sum super tuple type zip Ellipsis NotImplemented"
)
BUILTINS = set(_PLAIN_BUILTINS.split())
BUILTINS |= {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
# With other special methods a class could equal everything, or resolve attributes by a hook.
SPECIAL_METHODS = {"__init__", "__repr__", "__str__", "__len__", "__iter__", "__next__"}
# As text they could become attributes: __slots__ = "__eq__".
SPECIAL_TEXTS = {name for name in dir(type) if name.startswith("__")} - {"__name__"}
SPECIAL_SETTINGS = {"__slots__", "__all__", "__author__", "__version__"}
OF_TUPLES = {"_replace", "_asdict", "_fields", "_make"}
# Attributes that lead to classes (obj of an AttributeError), or make a class count as a subclass of
# another.
OF_CLASSES = {"mro", "obj", "register", "_dump_registry"}
OF_CLASSES |= {"_abc_caches_clear", "_abc_impl", "_abc_registry_clear"}
_KINDS = (GeneratorType, CoroutineType, AsyncGeneratorType, FrameType, CodeType, TracebackType)
OF_THE_INTERPRETER = {
    name
    for kind in _KINDS
    for name in dir(kind)
    if name.split("_")[0] in ("gi", "cr", "ag", "tb", "co", "f")
}

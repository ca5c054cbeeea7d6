"""How a test's comparisons are made: as written, or against wrong values. PYTEST_DONT_REWRITE

A test's code holds one of these objects among its constants, so that no name leads to it.
"""

import builtins
import collections
import operator
import threading
from itertools import islice
from typing import Any

from . import values

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

STOPPED, THROUGH = "control: stopped", "control: went through"
# Notes that have the name of a test: it reached its end, or its control found two sides equal.
ENDED, EQUAL = "ended", "equal"
OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in")
_HOW: Any = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda left, right: operator.contains(right, left),
    "not in": lambda left, right: not operator.contains(right, left),
}
# Operations before a comparison through which an object could answer with a plain value.
COMBINING = ("+", "-", "*", "/", "//", "%", "^", "&", "|", "@", "**", "<<", ">>")
_COMBINES: Any = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "^": operator.xor,
    "&": operator.and_,
    "|": operator.or_,
    "@": operator.matmul,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_HASHED = values.kinds_of(set, frozenset, dict, collections.OrderedDict, collections.defaultdict)
_EQUAL = (
    *("Equal", "Equals", "ListEqual", "TupleEqual", "SetEqual", "DictEqual"),
    *("SequenceEqual", "MultiLineEqual", "CountEqual", "ItemsEqual", "AlmostEqual"),
)
# Functions of numpy and pandas.
_CLOSE = (
    *("allclose", "almost_equal", "array_almost_equal", "approx_equal"),
    *("array_almost_equal_nulp", "array_max_ulp"),
)
_ARRAYS = (
    *("equal", "array_equal", "string_equal", "frame_equal", "series_equal", "index_equal"),
    *_CLOSE,
)
# Calls that compare their first two arguments, and the comparison that each makes.
COMPARING = {
    **{"assert" + name: "==" for name in _EQUAL},
    **{"assert_" + name: "==" for name in _ARRAYS},
    "assert_array_less": "<",
    "assertNotEqual": "!=",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assertIs": "is",
    "assertIsNot": "is not",
    "assertIn": "in",
    "assertNotIn": "not in",
}
# Functions and methods that compare their arguments, or an argument with what their object holds.
COMPARERS = (
    *("allclose", "isclose", "array_equal", "array_equiv", "equal", "equals"),
    *("remove", "index", "count"),
)
# Assertions of mocks on what they were called with.
OF_MOCKS = (
    *("assert_called_with", "assert_called_once_with", "assert_any_call", "assert_has_calls"),
    *("assert_awaited_with", "assert_awaited_once_with", "assert_any_await", "assert_has_awaits"),
)
# The keywords of these two arguments.
_NAMES = (
    *(("first", "second"), ("a", "b"), ("x", "y"), ("actual", "desired"), ("left", "right")),
    *(("member", "container"), ("expr1", "expr2"), ("list1", "list2"), ("tuple1", "tuple2")),
    *(("set1", "set2"), ("d1", "d2"), ("seq1", "seq2"), ("a1", "a2")),
)
_FAR = ("assertAlmostEqual", *("assert_" + name for name in _CLOSE))
_PAIRS = (
    *(("True", "False"), ("Is", "IsNot"), ("IsNone", "IsNotNone"), ("In", "NotIn")),
    *(("IsInstance", "NotIsInstance"), ("Greater", "LessEqual"), ("Less", "GreaterEqual")),
    *(("Regex", "NotRegex"), ("AlmostEqual", "NotAlmostEqual")),
)
OPPOSITE = {
    "assert" + name: "assert" + reverse for pair in _PAIRS for name, reverse in (pair, pair[::-1])
}
# How often a value is drawn if the right answer's type is the candidate's own.
_DRAWS = 8
# The values that a part gets after a first wrong one was rejected. The maximum number of parts of a
# side that are made wrong.
_MORE, _MOST_PARTS = (*(values.other,) * 3, *values.AT_AN_END), 24
# Wrong values among which two sides are compared as they are, beyond one for each part.
_MORE_ASKED = 3
# Maximum expected values that are not changed in the code, but only where they are compared.
_MOST_UNALTERED = 50
# How often a test tries a line's comparison.
_MOST_TRIES = 12
_EXCEPTIONS = tuple(
    each
    for each in vars(builtins).values()
    if isinstance(each, type) and issubclass(each, Exception) and each is not AssertionError
)
__unittest = True  # unittest's tracebacks leave this module out
_Failure, _id = AssertionError, id


class Checks:
    """The checks of one test file. note(line, kind, detail) reports a comparison that finds its
    sides equal, or a difference, a quotient and the like, unless the interpreter alone computes it.
    In a first run the kind is "compare", and the detail names the types; in a control it is "held"
    or "refused" for each part of a side that was made wrong. All files share `running`. The
    functions are closures, so that no attribute leads to what they hold."""

    def __init__(self, note: Any, pool: Any, running: Any) -> None:
        by_test = _by_test(note, running)
        self.held, self.called, self.combined = _watching(note)
        self.asked, self.compares = _asking(note)
        self.ended = lambda line, name: note(line, ENDED, name)
        self.refuted, self.failing, self.other = _wrong_ones(by_test, pool)
        self.tried, self.tried_call = _trying(by_test, pool, running)
        self.linked, self.last = _chains()
        self.begins, self.failure = _tests(running)
        self.unrelated = _unrelated

    def __reduce__(self) -> Any:
        """For tests that pickle functions with their code."""
        return _unwatched, ()


def _unwatched() -> Checks:
    return Checks(lambda *_: None, (), [])


def _watching(note: Any) -> Any:
    """How comparisons and assertions are made in a first run."""

    def held(line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        before, sides = _looked_at(left, how, right)
        result = _HOW[how](*sides)
        if before and _found(result, how):
            tell(line, before, _seen(left, how, right))
        return result

    def combined(line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        # No copies: the result may hold parts of its sides.
        before = _seen(left, how, right)
        result = _COMBINES[how](left, right)
        if before:
            tell(line, before, _seen(left, how, right))
        return result

    def called(line: int, name: str, function: Any, *args: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        found, rest, others = _sides(args, named)
        if len(found) < 2:
            return function(*args, **named)
        left, how, right = found[0], COMPARING[name], found[1]
        before, sides = _looked_at(left, how, right)
        if not before:
            return function(*sides, *rest, **others)
        result = function(*args, **named)
        tell(line, before, _seen(left, how, right))
        return result

    def tell(line: int, before: str, after: str) -> None:
        # The comparison may change a side, so that its types differ afterwards.
        for words in filter(None, (before, after)):
            note(line, "compare", words)

    return held, called, combined


def _asking(note: Any) -> Any:
    """How a first run asks a value for the truth that a test wants: a class of a candidate's own
    may answer whatever it is asked."""

    def asked(line: int, name: str, value: Any) -> Any:
        """The value, whose method of this name a test calls for its truth."""
        if name in OF_MOCKS:
            given = _given_to(value)
            if not values.plain(given):
                note(line, "compare", f"{values.label(given)} in {name}")
        elif not values.plain(value):
            note(line, "compare", f"{values.label(value)}.{name}()")
        return value

    def compares(line: int, name: str, holder: Any, function: Any = None) -> Any:
        """One of COMPARERS by itself or by its holder, so that the types that it compares are
        noted."""
        function = function or getattr(holder, name)
        first = () if holder is None or values.scalar(holder) else (holder,)

        def compared(*args: Any, **named: Any) -> Any:
            found, _, _ = _sides(args, named)
            sides = (*first, *found)
            known = not found or all(map(values.plain, sides))
            try:
                return function(*args, **named)
            finally:
                if not (known and all(map(values.plain, sides))):
                    note(line, "compare", f" {name} ".join(map(values.label, sides)))

        return compared

    return asked, compares


def _given_to(mock: Any) -> Any:
    calls = getattr(mock, "mock_calls", None)
    given = calls if isinstance(calls, list) else []
    return [each for _, args, named in given for each in (*args, *named.values())]


def _looked_at(left: Any, how: str, right: Any) -> Any:
    """What `_seen` says, and the sides to compare. Plain ones are copies, since other code could
    change a container between the look and the comparison."""
    if how in ("is", "is not"):
        return "", (left, right)
    sides = (values.snapshot(left), right if _by_hash(how, right) else values.snapshot(right))
    words = _seen(sides[0], how, sides[1])
    return words, (left, right) if words else sides


def _seen(left: Any, how: str, right: Any) -> str:
    """The types of a comparison in which another class than the interpreter's may take part."""
    if values.plain(left) and (_by_hash(how, right) or values.plain(right)):
        return ""
    one, other = values.label(left), values.label(right)
    if one == other and type(left) is not type(right):
        other += " of another class"
    return f"{one} {how} {other}"


def _by_hash(how: str, right: Any) -> bool:
    """A candidate's key in a set or a map is only compared if it has the plain value's hash."""
    return how in ("in", "not in") and _id(type(right)) in _HASHED


def _sides(args: Any, named: Any) -> Any:
    """The two values that an assertion compares, its other arguments, and its other keywords. Fewer
    than two values if the call passes them in an unknown way."""
    found, others = list(args[:2]), dict(named)
    while len(found) < 2:
        name = next((pair[len(found)] for pair in _NAMES if pair[len(found)] in others), None)
        if name is None:
            break
        found.append(others.pop(name))
    return found, args[2:], others


def _chains() -> Any:
    """Links the comparisons of a chain, so that a value between two of them is evaluated once."""
    # Tests may compare in threads.
    links = threading.local()

    def linked(comparing: Any, line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        result = comparing(line, left, how, right)
        if not result:
            return result
        links.__dict__.setdefault("rights", []).append(right)
        return True

    def last() -> Any:
        return links.rights.pop()

    return linked, last


def _wrong_ones(note: Any, pool: Any) -> Any:
    """The same in a control, in which a comparison should fail."""
    unaltered: Any = collections.deque((), _MOST_UNALTERED)

    def refuted(line: int, left: Any, how: str, right: Any, altered: bool = False) -> bool:
        """Whether the comparison holds. With `altered`, one side is wrong already."""
        if altered and not any(each is left or each is right for each in unaltered):
            return _truth(how, left, right) or _truth(how, left, values.Own())
        pairs = _Wrong(left, how, right, pool)
        if how != "==" and not _truth(how, left, right):
            return True
        pairs.tell(note, line, lambda a, b: _truth(how, a, b))
        return pairs.hold(lambda a, b: _truth(how, a, b))

    def failing(line: int, name: str, function: Any, *args: Any, **named: Any) -> None:
        """Makes the call so that it should raise, and raises its exception."""
        __tracebackhide__ = True
        wrong, raised = None, None
        sides, rest, others = _sides(args, named)
        if name in COMPARING and len(sides) > 1:
            wrong = _Wrong(sides[0], COMPARING[name], sides[1], pool, name in _FAR)
            calls = _Calls(function, rest, others)
            wrong.tell(note, line, calls.returns)
            if wrong and wrong.hold(calls.returns):
                return
            raised = calls.raised
        reverse = getattr(getattr(function, "__self__", None), OPPOSITE.get(name, ""), None)
        if reverse is not None or not wrong:
            (reverse or function)(*args, **named)
        elif raised is not None:
            raise raised

    def other(value: Any) -> Any:
        if values.plain(value):
            return _other_or_own(value, pool, False)
        unaltered.append(value)
        return value

    return refuted, failing, other


def _unrelated(expected: Any) -> Any:
    """The exceptions that are neither the expected one nor related to it by inheritance. An
    exception with several bases, which any expectation accepts, is one of these."""
    kinds = expected if type(expected) is tuple else (expected,)
    classes = tuple(kind for kind in kinds if isinstance(kind, type))
    return tuple(
        each
        for each in (*_EXCEPTIONS, *values.exceptions)
        if not issubclass(each, (*classes, AssertionError))
        and not any(issubclass(kind, each) for kind in classes)
    )


def _by_test(note: Any, running: Any) -> Any:
    def noted(line: int, kind: str, detail: str) -> None:
        named = kind == EQUAL and running
        note(line, kind, running[-1].name if named else detail)

    return noted


class _Running:
    """The comparisons that a control's test has reached outside of its own asserts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reached, self.through = False, False
        self._times: Any = {}

    def is_new(self, pool: Any, line: int) -> bool:
        """Whether to try the line's comparison. Only the first few are tried."""
        self.reached = True
        self._times[id(pool), line] = self._times.get((id(pool), line), 0) + 1
        return bool(self._times[id(pool), line] <= _MOST_TRIES)


def _tests(running: Any) -> Any:
    """How a control's test begins, and the failure with which it ends."""

    def begins(name: str) -> int:
        running.append(_Running(name))
        return 0

    def failure(end: str) -> Any:
        test = running.pop()
        if running:  # a test that another one called
            running[-1].reached |= test.reached
            running[-1].through |= test.through
        stopped = (end == STOPPED or (not end and test.reached)) and not test.through
        return _Failure(STOPPED if stopped else THROUGH)

    return begins, failure


def _trying(note: Any, pool: Any, running: Any) -> Any:
    """Makes the comparisons and assertions that a control leaves unchanged: as written. If they
    find two sides equal, wrong values are tried too."""

    def tried(line: int, left: Any, how: str, right: Any) -> Any:
        wrong: Any = None
        if running and running[-1].is_new(pool, line):
            wrong = _Wrong(left, "==" if how == "!=" else how, right, pool)
            wrong.tell(note, line, lambda a, b: alike(how, a, b))
        result = _HOW[how](left, right)
        own = wrong is not None and not wrong.known and _found(result, how)
        if own and wrong.hold(lambda a, b: alike(how, a, b)):
            running[-1].through = True
        return result

    def alike(how: str, left: Any, right: Any) -> bool:
        try:
            result = _HOW[how](left, right)
            # An array has no truth; its elements have.
            every = result.all() if type(result).__name__ == "ndarray" else result
            return bool(every) != (how == "!=")
        except Exception:  # values that cannot be compared are not equal
            return False

    def tried_call(line: int, name: str, function: Any, *args: Any, **named: Any) -> Any:
        sides, rest, others = _sides(args, named)
        if not (running and running[-1].is_new(pool, line) and len(sides) > 1):
            return function(*args, **named)
        wrong = _Wrong(sides[0], COMPARING[name], sides[1], pool, name in _FAR)
        calls = _Calls(function, rest, others)
        wrong.tell(note, line, calls.returns)
        result = function(*args, **named)
        if wrong and wrong.hold(calls.returns):
            running[-1].through = True
        return result

    return tried, tried_call


def _found(result: Any, how: str) -> bool:
    """Whether a comparison found its sides equal. A result of another type may mean either."""
    return type(result) is not bool or result != (how == "!=")


def _truth(how: str, left: Any, right: Any) -> bool:
    try:
        return bool(_HOW[how](left, right))
    except Exception:  # a comparison that raises does not hold
        return False


class _Calls:
    """Whether an assertion returns; and its last exception."""

    def __init__(self, function: Any, rest: Any, named: Any) -> None:
        self._function, self._rest, self._named = function, rest, named
        self.raised: Any = None

    def returns(self, left: Any, right: Any) -> bool:
        try:
            self._function(left, right, *self._rest, **self._named)
        except Exception as error:  # assertions fail with different exceptions
            self.raised = error
            return False
        return True


class _Wrong:
    """Pairs that a right answer does not make equal (or less, or ...). None of the `certain` ones
    may hold. The `drawn` ones compare with a random value of another type: some may hold by chance,
    so only all of them together count."""

    def __init__(self, left: Any, how: str, right: Any, pool: Any, far: bool = False) -> None:
        self.certain: Any = []
        self.drawn: Any = []
        self._sides, self._how, self._pool = (left, right), how, pool
        sides = (left, right, pool, far)
        self.known = values.plain(left) and values.plain(right)
        if how == "==":
            self._not_equal(*sides, known=self.known)
        elif how == "!=":
            self.certain += [(left, left), (right, right)]
        elif how in ("in", "not in"):
            self._not_in(left, how, right)
        elif how in _BEYOND:
            self._beyond(left, how, right)

    def __bool__(self) -> bool:
        return bool(self.certain or self.drawn)

    def hold(self, holds: Any) -> bool:
        if any(holds(left, right) for left, right in self.certain):
            return True
        return bool(self.drawn) and all(holds(left, right) for left, right in self.drawn)

    def tell(self, note: Any, line: int, holds: Any) -> None:
        """Notes, for each plain part of two equal sides that are not both plain, whether they are
        still equal with another value there: "held" or "refused". An object that refuses wrong
        values as a whole may still accept any value in one of its parts. "equal" notes that the
        sides are equal: an object that knows a control could refuse every value."""
        left, right = self._sides
        if self._how != "==":
            return
        if self.known or left is right:
            if left is right or holds(left, right):
                note(line, EQUAL, "")
            return
        if any(map(values.scalar, self._sides)):
            return
        parts = self._pairs(left, right)
        if not parts:
            return
        # The sides with the values that they have, among wrong ones. They are neither first, since
        # an object may equal only the first value that it is compared with, nor recognised by how
        # or where the comparison is made. Some copies do not equal their original.
        wrong = [(path, pair, values.other) for path, pair in parts]
        wrong += [(None, values.one_of(parts)[1], values.other) for _ in range(_MORE_ASKED)]
        right = [(None, pair, _same) for _, pair in parts]
        held, equal = set(), False
        for path, pair, make in [wrong[0], *values.shuffled(wrong[1:] + right)]:
            if _holds_with(pair, holds, make):
                held.add(path)
                equal = equal or make is _same
        if equal:
            note(line, EQUAL, "")
        for path, pair in parts:
            if path in held:
                note(line, "held", path)
            elif not _can_change(pair):
                note(line, "not changed", path)
            elif equal and not any(_holds_with(pair, holds, make) for make in _MORE):
                note(line, "refused", path)

    def _pairs(self, left: Any, right: Any) -> Any:
        """(path, pair) for each part: pair(make) -> the sides with make(part, pool) there. Parts
        that are plain on one side only come first."""
        lefts, rights = (_plain_parts(side, self._pool) for side in (left, right))
        known_left, known_right = ({path for path, _ in parts} for parts in (lefts, rights))
        in_left = [
            (path, lambda make, d=d: (d(make), right))
            for path, d in lefts
            if path not in known_right
        ]
        in_right = [(path, lambda make, d=d: (left, d(make))) for path, d in rights]
        return in_left + sorted(in_right, key=lambda each: each[0] in known_left)

    def _not_equal(self, left: Any, right: Any, pool: Any, far: bool, known: bool) -> None:
        if known:
            self.certain.append((left, _other_or_own(right, pool, far)))
            return
        self.certain += [(left, values.Own()), (values.Own(), right)]
        listed = _listed(right)
        for _ in range(_DRAWS):
            if values.plain(listed) or not values.plain(left):
                self.drawn.append((left, _other_or_own(listed, pool, far)))
            else:
                self.drawn.append((_other_or_own(left, pool, far), right))

    def _not_in(self, left: Any, how: str, right: Any) -> None:
        if how == "not in":
            parts = list(right) if values.plain(right) and right else []
            self.certain += [(values.one_of(parts), right)] if parts else []
            return
        is_text = type(left) is str
        self.certain += [(values.Own(), right)]
        if (is_text or type(left) is int) and not isinstance(right, range):
            drawn = values.unlikely() if is_text else 10**9 + values.below(10**9)
            self.certain.append((drawn, right))

    def _beyond(self, left: Any, how: str, right: Any) -> None:
        numbers = [x for x in (left, right) if _is_number(x) and abs(x) < 1e300]
        step = (1 + values.below(100)) * (1 + max(map(abs, numbers), default=0))
        # The size of an object of another type is unknown.
        step *= 10**30 if len(numbers) < 2 else 1
        if numbers and numbers[-1] is right:
            self.certain.append((left, right + _BEYOND[how] * step))
        elif numbers:
            self.certain.append((left - _BEYOND[how] * step, right))
        elif how in ("<", ">"):
            self.certain.append((right, left))


def _is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


_BEYOND = {"<": -1, "<=": -1, ">": 1, ">=": 1}


def _plain_parts(value: Any, pool: Any) -> Any:
    try:
        return list(islice(values.altered(value, pool), _MOST_PARTS))
    except Exception as error:  # for example a class that hides its objects' attributes
        return [("", _raising(error))]


def _raising(error: Any) -> Any:
    def draw(_make: Any) -> Any:
        raise error

    return draw


def _can_change(pair: Any) -> bool:
    """Whether a part can be replaced. An object may refuse to be copied."""
    try:
        pair(values.other)
    except Exception:
        return False
    return True


def _holds_with(pair: Any, holds: Any, make: Any = values.other) -> bool:
    try:
        return bool(holds(*pair(make)))
    except Exception:  # a part that cannot be changed
        return False


def _same(part: Any, _pool: Any) -> Any:
    return part


def _listed(value: Any) -> Any:
    """An array as lists, which are compared with arrays in the same way."""
    if type(value).__name__ == "ndarray":
        return value.tolist()
    return value


def _other_or_own(value: Any, pool: Any, far: bool) -> Any:
    try:
        return values.other(value, pool, far)
    except values.NoOther:
        return values.Own()

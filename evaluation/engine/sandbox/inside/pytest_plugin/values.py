"""Plain values, others of the same type, and comparisons that no right answer passes.
PYTEST_DONT_REWRITE

Only the interpreter compares plain values; no class of a candidate's is involved.
"""

import builtins
import collections
import datetime
import decimal
import os
import sys
import types
from typing import Any

from . import operations, raw

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

__unittest = True  # unittest's tracebacks leave this module out
_id = id
_SCALARS = (
    *(type(None), bool, int, float, complex, str, bytes, bytearray, type(Ellipsis)),
    *(datetime.date, datetime.timedelta, datetime.timezone),
    decimal.Decimal,
    # These equal only themselves.
    *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type),
)
_MAPS = (dict, collections.OrderedDict)
_MANY = (list, tuple, set, frozenset)
# Types as their ids: a metaclass of a candidate's may make its class equal every type.
_OF_SCALARS = frozenset(map(_id, _SCALARS))
_OF_CONTAINERS = frozenset(map(_id, (*_MANY, *_MAPS, collections.deque, collections.defaultdict)))
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_TRIES = 40
# How often a value is drawn if a class may decide the comparison with it.
_DRAWS = 8
_BEYOND = {"<": -1, "<=": -1, ">": 1, ">=": 1}
_urandom, _modules = os.urandom, sys.modules
# The exceptions of modules before any test ran, by id.
_exceptions: Any = {}


class NoOther(Exception):
    """There is no other value of this type to draw."""


class Own:
    """Equals nothing but itself."""


def below(limit: int) -> int:
    """A random number below the limit. Uses no function that a candidate can replace."""
    return int.from_bytes(_urandom(8), "big") % limit


def one_of(values: Any) -> Any:
    return values[below(len(values))]


def scalar(value: Any) -> bool:
    return _id(type(value)) in _OF_SCALARS


def plain(value: Any) -> bool:
    try:
        return _plain(value)
    except RecursionError:
        return False


def _plain(value: Any) -> bool:
    kind = _id(type(value))
    return kind in _OF_SCALARS or (
        kind in _OF_CONTAINERS and all(map(_plain, raw.elements_of(value)))
    )


def remember_exceptions() -> None:
    """Keeps the exceptions of all modules that are imported now."""
    spaces = [vars(each) for each in list(_modules.values()) if type(each) is types.ModuleType]
    while spaces:
        for each in list(spaces.pop().values()):
            # Not isinstance(), which a class of a candidate's can deceive.
            if issubclass(type(each), type) and _id(each) not in _exceptions:
                _exceptions[_id(each)] = each
                spaces.append(raw.class_dict(each))


def unrelated(expected: Any) -> Any:
    """The exceptions that are neither the expected one nor related to it by inheritance. An
    exception with several bases, which any expectation accepts, is one of these."""
    kinds = expected if type(expected) is tuple else (expected,)
    classes = tuple(kind for kind in kinds if isinstance(kind, type))
    return tuple(
        each
        for each in _exceptions.values()
        if any(kind is Exception for kind in raw.mro_of(each))
        and not issubclass(each, (*classes, AssertionError))
        and not any(issubclass(kind, each) for kind in classes)
    )


def other(value: Any) -> Any:
    """A value that does not equal the plain one. Numbers differ by more than any tolerance. Raises
    NoOther."""
    draw = _DRAWN.get(_id(type(value)))
    for _ in range(_TRIES if draw else 0):
        try:
            made = draw(value)
            if made != value:
                return made
        except (TypeError, ValueError, OverflowError):  # for example a list in a set
            continue
    raise NoOther


def _other_or_own(value: Any) -> Any:
    try:
        return other(value)
    except NoOther:
        return Own()


def _other_number(value: Any) -> Any:
    much = (10 + below(60)) * (1 + abs(value))
    return one_of((value + much, value - much)) if abs(value) < 1e300 else type(value)(below(9))


def _other_text(value: str) -> str:
    at, letter = below(len(value) + 1), one_of(_LETTERS)
    near = (value[:at] + letter + value[at:], value[:at] + letter + value[at + 1 :])
    return str(one_of((*near, value[:at] + value[at + 1 :], unlikely(len(value) or 1))))


def unlikely(size: int = 16) -> str:
    return "".join(one_of(_LETTERS) for _ in range(min(size, 64)))


def _other_bytes(value: Any) -> Any:
    return type(value)(_other_text(bytes(value).decode("latin-1")).encode("latin-1"))


def _other_items(value: Any) -> Any:
    """The container with another item, or one more."""
    is_map = issubclass(type(value), dict)
    items = list(value.items() if is_map else value)
    at = below(len(items) + 1)
    if at == len(items):
        items.insert(below(at + 1), (unlikely(4), below(100)) if is_map else below(10**9))
    else:
        items[at] = (
            (items[at][0], _other_or_own(items[at][1])) if is_map else _other_or_own(items[at])
        )
    return type(value)(items)


_DRAWN: Any = {
    _id(type(None)): lambda _: one_of((0, "", False, -1)),
    _id(bool): lambda value: not value,
    _id(int): _other_number,
    _id(float): _other_number,
    _id(str): _other_text,
    _id(bytes): _other_bytes,
    _id(bytearray): _other_bytes,
    **dict.fromkeys(map(_id, (*_MANY, *_MAPS)), _other_items),
}


def holds(how: str, left: Any, right: Any) -> bool:
    try:
        return bool(operations.HOW[how](left, right))
    except Exception:  # a comparison that raises does not hold
        return False


class Calls:
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


class Wrong:
    """Pairs that no honest comparison accepts. One of the `certain` ones that holds is enough. The
    `drawn` ones are random, and one may hold by chance, so all of them have to hold."""

    def __init__(self, left: Any, how: str, right: Any) -> None:
        self.certain: Any = []
        self.drawn: Any = []
        self.plain = plain(left) and plain(right)
        if how == "==":
            self._not_equal(left, right)
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

    def _not_equal(self, left: Any, right: Any) -> None:
        if self.plain:
            self.certain.append((left, _other_or_own(right)))
            return
        self.certain += [(left, Own()), (Own(), right)]
        # Lists are compared with arrays in the same way as arrays.
        listed = right.tolist() if type(right).__name__ == "ndarray" else right
        for _ in range(_DRAWS):
            if plain(listed) or not plain(left):
                self.drawn.append((left, _other_or_own(listed)))
            else:
                self.drawn.append((_other_or_own(left), right))

    def _not_in(self, left: Any, how: str, right: Any) -> None:
        if how == "not in":
            parts = list(right) if plain(right) and right else []
            self.certain += [(one_of(parts), right)] if parts else []
            return
        is_text = type(left) is str
        self.certain += [(Own(), right)]
        if (is_text or type(left) is int) and not isinstance(right, range):
            self.certain.append((unlikely() if is_text else 10**9 + below(10**9), right))

    def _beyond(self, left: Any, how: str, right: Any) -> None:
        numbers = [
            each for each in (left, right) if type(each) in (int, float) and abs(each) < 1e300
        ]
        step = (1 + below(100)) * (1 + max(map(abs, numbers), default=0))
        # The size of an object of another type is unknown.
        step *= 10**30 if len(numbers) < 2 else 1
        if numbers and numbers[-1] is right:
            self.certain.append((left, right + _BEYOND[how] * step))
        elif numbers:
            self.certain.append((left - _BEYOND[how] * step, right))
        elif how in ("<", ">"):
            self.certain.append((right, left))


# Before any module is imported, tests may expect builtin exceptions.
remember_exceptions()

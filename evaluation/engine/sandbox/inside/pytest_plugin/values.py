"""Objects read without code of their classes; plain values, others of the same type, and
comparisons that no right answer passes. PYTEST_DONT_REWRITE

Only the interpreter compares plain values; no class of a candidate's is involved."""

import builtins
import collections
import datetime
import decimal
import gc
import os
import types
import weakref
from contextlib import suppress
from typing import Any

from . import operations

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

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
# The types that ask objects nothing but to compare, in a comparison with them.
PLAIN = _OF_SCALARS.union(_OF_CONTAINERS, [id(object)])
_flags_of, mro_of, class_dict, name_of = (
    type.__dict__[name].__get__ for name in ("__flags__", "__mro__", "__dict__", "__qualname__")
)
# The flag of classes that were made while a program ran.
_HEAP = 1 << 9
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_VIEWS: Any = (type({}.keys()), type({}.items()))
_BASES = {id(kind): kind for kind in (*_MANY, *_VIEWS, collections.deque, dict)}
# They answer by the methods of an object that nothing else shows.
PROXIES = frozenset(map(_id, weakref.ProxyTypes))
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_TRIES = 40
_urandom, _subclasses, _referents = os.urandom, type.__subclasses__, gc.get_referents


def is_made(kind: Any) -> bool:
    """Whether a program made the class while it ran."""
    return bool(_flags_of(kind) & _HEAP)


def members_of(kind: Any) -> Any:
    """The class's attributes by name. Leaves out a name that is no plain text: it would run code of
    its own in a search."""
    names = class_dict(kind)
    return {n: value for n, value in names.items() if type(n) is str} if is_made(kind) else names


def elements_of(value: Any) -> Any:
    """The elements of a container, the keys and values of a map; none for other objects."""
    if type(value) is types.MappingProxyType:
        return _referents(value)
    base = next((_BASES[id(kind)] for kind in mro_of(type(value)) if id(kind) in _BASES), None)
    if base is dict:
        return [*dict.keys(value), *dict.values(value)]
    return [] if base is None else list(base.__iter__(value))


def attributes_of(value: Any) -> Any:
    """The values of the attributes in the object's memory."""
    attributes = [*dict.values(dict_of(value))]
    for kind in mro_of(type(value)):
        for slot in list(class_dict(kind).values()) if is_made(kind) else ():
            if type(slot) is types.MemberDescriptorType:
                try:
                    attributes.append(slot.__get__(value))
                except AttributeError:  # a slot without a value
                    continue
    return attributes


def dict_of(value: Any) -> Any:
    """The object's attributes; a subclass of dict that a program put there may lie about them."""
    for kind in mro_of(type(value)):
        descriptor = members_of(kind).get("__dict__")
        if type(descriptor) in _DESCRIPTORS:
            return descriptor.__get__(value)
    return {}


def attribute_of(value: Any, name: str) -> Any:
    """(owner, attribute) without running code; the object itself owns what is no class's. Two times
    None if there is no such attribute."""
    for key, attribute in dict.items(dict_of(value)):
        if type(key) is str and key == name:
            return value, attribute
    owners = ((kind, members_of(kind)) for kind in mro_of(type(value)))
    return next(((owner, names[name]) for owner, names in owners if name in names), (None, None))


def has_plain_truth(value: Any) -> bool:
    """Whether it is always true, or true as a plain container: if it has elements, whatever they
    are."""
    kinds = mro_of(type(value))
    names = ("__bool__", "__len__")
    owner = next((kind for name in names for kind in kinds if name in members_of(kind)), None)
    return owner is None or _id(owner) in PLAIN


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
        return scalar(value) or (
            _id(type(value)) in _OF_CONTAINERS and all(map(plain, elements_of(value)))
        )
    except RecursionError:
        return False


def unrelated(expected: Any) -> Any:
    """The exceptions that are neither the expected one nor related to it by inheritance. An
    exception with several bases, which any expectation accepts, is one of these."""
    kinds = expected if type(expected) is tuple else (expected,)
    classes = tuple(kind for kind in kinds if isinstance(kind, type))
    # By id: a metaclass may make a class equal every other.
    exceptions: Any = {}
    queue: Any = [Exception]
    while queue:
        kind = queue.pop()
        if _id(kind) not in exceptions:
            exceptions[_id(kind)] = kind
            queue += _subclasses(kind)
    # By their bases, since a metaclass may answer what is a subclass.
    related = {_id(base) for kind in classes for base in mro_of(kind)}
    expectable = {_id(kind) for kind in (*classes, AssertionError)}
    return tuple(
        kind
        for kind in exceptions.values()
        # A metaclass of a candidate's may fail whatever asks its class.
        if type(kind) is type
        and _id(kind) not in related
        and not expectable.intersection(map(_id, mro_of(kind)))
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
        except (ValueError, OverflowError):
            continue
    raise NoOther


def _other_number(value: Any) -> Any:
    much = (10 + below(60)) * (1 + abs(value))
    return one_of((value + much, value - much)) if abs(value) < 1e300 else type(value)(below(9))


def _other_text(value: str) -> str:
    at, letter = below(len(value) + 1), one_of(_LETTERS)
    near = (value[:at] + letter + value[at:], value[:at] + letter + value[at + 1 :])
    return str(one_of((*near, value[:at] + value[at + 1 :], unlikely(len(value) or 1))))


def unlikely(size: int = 16) -> str:
    return "".join(one_of(_LETTERS) for _ in range(min(size, 64)))


def _other_items(value: Any) -> Any:
    """The container with another item, or another value of a map, in place of one. If there is no
    other, with one more."""
    is_map = issubclass(type(value), dict)
    items = list(value.items() if is_map else value)
    at = below(len(items) + 1)
    try:
        item = items[at]
        items[at] = (item[0], other(item[1])) if is_map else other(item)
    except (IndexError, NoOther):
        items[at:at] = [(unlikely(4), below(10**9)) if is_map else below(10**9)]
    return type(value)(items)


_DRAWN: Any = {
    _id(type(None)): lambda _: one_of((0, "", False, -1)),
    _id(bool): lambda value: not value,
    _id(int): _other_number,
    _id(float): _other_number,
    _id(str): _other_text,
    _id(bytes): lambda value: _other_text(value.decode("latin-1")).encode("latin-1"),
    _id(bytearray): lambda value: bytearray(_other_text(value.decode("latin-1")), "latin-1"),
    **dict.fromkeys(map(_id, (*_MANY, *_MAPS)), _other_items),
}


def _data_of(value: Any, besides: Any) -> Any:
    """The value without what classes of programs add to the plain types. Adds what an object says
    besides to the list: its class, or something that equals nothing if it has attributes. Raises
    NoOther for objects that are of no plain type."""
    for kind in mro_of(type(value)):
        copy = _COPIES.get(_id(kind))
        if copy is not None:
            if is_made(type(value)):
                more = len(attributes_of(value)) > (_id(kind) in _OF_DATA)
                besides.append(Own() if more else _id(type(value)))
            return copy(value, lambda item: _data_of(item, besides))
        if not is_made(kind):
            break
    if plain(value):
        return value
    raise NoOther


# The data of these is an attribute.
_OF_DATA = frozenset((_id(collections.UserDict), _id(collections.UserList)))
_COPIES: Any = {
    **{
        _id(kind): lambda value, _, read=read: read(value)
        for kind, read in ((str, str.__str__), (int, int.__int__), (float, float.__float__))
    },
    _id(dict): lambda value, data: {data(key): data(item) for key, item in dict.items(value)},
    **{_id(k): lambda value, data, k=k: k(map(data, k.__iter__(value))) for k in _MANY},
    **dict.fromkeys(_OF_DATA, lambda value, data: data(dict.get(dict_of(value), "data", Own()))),
}


def of_data(left: Any, how: str, right: Any) -> Any:
    """The comparison's result by the data of plain types alone; None if it is not certain, as where
    the sides differ in what their objects say besides."""
    besides: Any = ([], [])
    try:
        result = operations.HOW[how](*map(_data_of, (left, right), besides))
    except (NoOther, TypeError, RecursionError):
        return None
    return None if all(besides) and len({*besides[0], *besides[1]}) > 1 else result


def holds(left: Any, how: str, right: Any) -> bool:
    try:
        return bool(operations.HOW[how](left, right))
    except Exception:  # a comparison that raises does not hold
        return False


def other_arguments(arguments: Any) -> Any:
    """Changes of arguments by key, each of a plain one to another value."""
    for key, value in arguments.items():
        if plain(value):
            with suppress(NoOther):
                yield {key: other(value)}


def wrong_pairs(left: Any, how: str, right: Any) -> Any:
    """Pairs that no honest comparison accepts; none if there are no certain ones."""
    are_plain = plain(left) and plain(right)
    if how == "==":
        pairs = []
        for side in (right,) if are_plain else filter(plain, (left, right)):
            # Before anything that tells a control: a value may equal all until it has seen that.
            with suppress(NoOther):
                drawn = other(side)
                pairs.append((left, drawn) if side is right else (drawn, right))
        pairs += [] if are_plain else [(left, Own()), (Own(), right)]
        return pairs or [(left, Own())]
    if how == "!=":
        return [(left, left), (right, right)]
    if how == "in":
        return [(unlikely(), right), (Own(), right)]
    if how == "not in":
        return [(one_of(list(right)), right)] if plain(right) and right else []
    if how in ("<", ">") or (how in ("<=", ">=") and are_plain and left != right):
        return [(right, left)]
    return []

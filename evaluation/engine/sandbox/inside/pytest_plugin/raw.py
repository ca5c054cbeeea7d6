"""Objects read and copied without code of their classes. PYTEST_DONT_REWRITE

A class could refuse a copy, recognise it, or change the object meanwhile.
"""

import builtins
import collections
import copy
import enum
import types
from typing import Any

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

_id = id
_flags_of, mro_of, class_dict = (
    type.__dict__[name].__get__ for name in ("__flags__", "__mro__", "__dict__")
)
# The flag of classes that were made while a program ran.
_HEAP = 1 << 9
_ITERATED = (list, tuple, set, frozenset, collections.deque)
_MAPS = (collections.OrderedDict, dict)
_SCALARS = (int, float, complex, str, bytes)
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_KINDS = {_id(kind): kind for kind in (*_ITERATED, *_MAPS, *_SCALARS, object)}
_FILLS: Any = {list: list.extend, set: set.update, dict: dict.update}
_factory: Any = collections.defaultdict.__dict__["default_factory"]
_maxlen: Any = collections.deque.__dict__["maxlen"]


def is_made(kind: Any) -> bool:
    """Whether a program made the class while it ran."""
    return bool(_flags_of(kind) & _HEAP)


def elements_of(value: Any) -> Any:
    """The elements of a container, the items of a map; none for other objects."""
    kind = _kind_of(type(value))
    if kind in _ITERATED:
        return list(kind.__iter__(value))
    if kind is dict:
        return list(dict.items(value))
    if kind is collections.OrderedDict:
        return [(key, dict.__getitem__(value, key)) for key in kind.__iter__(value)]
    return []


def is_map(value: Any) -> bool:
    return _kind_of(type(value)) in _MAPS


def attributes_of(value: Any) -> Any:
    """(name, part, put) of each attribute in the object's memory: put(object, part). Raises
    TypeError if its class hides them."""
    for kind in mro_of(type(value)):
        for name, slot in list(class_dict(kind).items()) if is_made(kind) else ():
            if type(slot) is types.MemberDescriptorType:
                try:
                    yield name, slot.__get__(value), slot.__set__
                except AttributeError:  # a slot without a value
                    continue
    for name, part in list(_dict_of(value).items()):
        yield name, part, _put_in(name)


def _put_in(name: str) -> Any:
    return lambda value, part: dict.__setitem__(_dict_of(value), name, part)


def _dict_of(value: Any) -> Any:
    for kind in mro_of(type(value)):
        found = class_dict(kind).get("__dict__")
        if found is not None:
            if type(found) not in _DESCRIPTORS:
                raise TypeError(kind)
            return found.__get__(value)
    return {}


def copied(value: Any, elements: Any = None) -> Any:
    """A copy with the same attributes, and with the same or the given elements. The object itself
    if it is a member of an enumeration. Raises what the class raises if only that can copy it."""
    kind = type(value)
    known, base = _kind_of(kind), _base_of(kind)
    if issubclass(type(kind), enum.EnumMeta):
        return value
    if known is None:
        return copy.copy(value)
    try:
        made = _made(value, kind, known, base, elements)
    except TypeError:  # the base's memory is that of another type
        return copy.copy(value)
    for _, part, put in attributes_of(value):
        put(made, part)
    return made


def _kind_of(kind: Any) -> Any:
    """The builtin type whose memory objects of the class have; None if it is not known."""
    found = next((_KINDS[_id(each)] for each in mro_of(kind) if _id(each) in _KINDS), None)
    return None if found is object and _base_of(kind) is not object else found


def _base_of(kind: Any) -> Any:
    return next(each for each in mro_of(kind) if not is_made(each))


def _made(value: Any, kind: Any, known: Any, base: Any, elements: Any) -> Any:
    if known in _SCALARS:
        return base.__new__(kind, *known.__getnewargs__(value))
    given = elements_of(value) if elements is None else elements
    if known is tuple or known is frozenset:
        return base.__new__(kind, given)
    made = base.__new__(kind)
    if known is collections.deque:
        known.__init__(made, given, _maxlen.__get__(value))
    elif known is collections.OrderedDict:
        for key, part in given:
            known.__setitem__(made, key, part)
    elif known in _FILLS:
        _FILLS[known](made, given)
    if issubclass(kind, collections.defaultdict):
        _factory.__set__(made, _factory.__get__(value))
    return made

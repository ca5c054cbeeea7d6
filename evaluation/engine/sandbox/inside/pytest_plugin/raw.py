"""Objects read without code of their classes. PYTEST_DONT_REWRITE"""

import builtins
import collections
import types
from typing import Any

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

_flags_of, mro_of, class_dict, name_of = (
    type.__dict__[name].__get__ for name in ("__flags__", "__mro__", "__dict__", "__qualname__")
)
# The flag of classes that were made while a program ran.
_HEAP = 1 << 9
_ITERATED = (list, tuple, set, frozenset, collections.deque)
_BASES = {id(kind): kind for kind in (*_ITERATED, dict)}
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def is_made(kind: Any) -> bool:
    """Whether a program made the class while it ran."""
    return bool(_flags_of(kind) & _HEAP)


def elements_of(value: Any) -> Any:
    """The elements of a container, the keys and values of a map; none for other objects."""
    base = next((_BASES[id(each)] for each in mro_of(type(value)) if id(each) in _BASES), None)
    if base is dict:
        return [*dict.keys(value), *dict.values(value)]
    return [] if base is None else list(base.__iter__(value))


def attributes_of(value: Any) -> Any:
    """The values of the attributes in the object's memory."""
    attributes = [*dict_of(value).values()]
    for kind in mro_of(type(value)):
        for slot in list(class_dict(kind).values()) if is_made(kind) else ():
            if type(slot) is types.MemberDescriptorType:
                try:
                    attributes.append(slot.__get__(value))
                except AttributeError:  # a slot without a value
                    continue
    return attributes


def dict_of(value: Any) -> Any:
    for kind in mro_of(type(value)):
        descriptor = class_dict(kind).get("__dict__")
        if type(descriptor) in _DESCRIPTORS:
            return descriptor.__get__(value)
    return {}

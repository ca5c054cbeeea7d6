"""Plain values: which are, and others of the same type, drawn at random. PYTEST_DONT_REWRITE

A comparison of plain values is made by the interpreter alone: no class of a candidate's takes part.
"""

import collections
import copy
import datetime
import decimal
import os
import types
from functools import partial
from itertools import islice
from typing import Any

SCALARS = (
    *(type(None), bool, int, float, complex, str, bytes, bytearray, range, slice, type(Ellipsis)),
    *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta, datetime.timezone),
    decimal.Decimal,
    # These equal only themselves.
    *(type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType),
)
_MANY = (list, tuple, set, frozenset, collections.deque)
_MAPS = (dict, collections.OrderedDict, collections.defaultdict)
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_TRIES = 40
# Parts of an object, and of each of its parts, that are made wrong; levels of parts.
_MOST_PARTS, _LEVELS = 24, 3
_urandom, _dict_items = os.urandom, dict.items


class NoOther(Exception):
    """There is no other value of this type to draw."""


class Own:
    """Equals nothing but itself."""


def below(limit: int) -> int:
    """At random. No function that a candidate can replace takes part."""
    return int.from_bytes(_urandom(8), "big") % limit


def one_of(values: Any) -> Any:
    return values[below(len(values))]


def plain(value: Any) -> bool:
    try:
        return _plain(value)
    except RecursionError:
        return False


def _plain(value: Any) -> bool:
    kind = type(value)
    if kind in SCALARS:
        return True
    if kind in _MANY:
        return all(map(_plain, value))
    if kind in _MAPS:
        return all(_plain(key) and _plain(each) for key, each in _dict_items(value))
    return False


def label(value: Any) -> str:
    """The name of a value's type."""
    try:
        return str(type.__getattribute__(type(value), "__qualname__"))
    except Exception:  # a candidate's metaclass may do anything
        return "?"


def other(value: Any, pool: Any = (), far: bool = False) -> Any:
    """A value that a plain one does not equal; `pool` has values to choose from. With `far`,
    numbers are further apart than any tolerance. Raises NoOther."""
    for _ in range(_TRIES):
        try:
            made = _drawn(value, pool, far)
            if not _close(made, value, far) and made != value:
                return made
        except (ArithmeticError, TypeError, ValueError):
            continue
    raise NoOther


def _close(made: Any, value: Any, far: bool) -> bool:
    if type(made) is float or (far and type(made) is int):
        return not abs(made - value) >= 1 + abs(value)
    return False


def _drawn(value: Any, pool: Any, far: bool) -> Any:
    kind = type(value)
    known = [each for each in pool if type(each) is kind]
    if known and below(4) == 0:
        return one_of(known)
    draw = _DRAWS.get(kind)
    if draw is None:
        return _altered_fields(value, pool, far)
    return draw(value, pool, far)


def _other_int(value: int, _pool: Any, far: bool) -> int:
    step = 1 + below(9)
    much = (1 + step) * (1 + abs(value))
    near = () if far else (value + step, value - step)
    return int(one_of((value + much, value - much, *near)))


def _other_float(value: float, _pool: Any, _far: bool) -> float:
    much = (1.25 + below(60) / 8) * (1 + abs(value))
    return float(one_of((value + much, value - much))) if abs(value) < 1e300 else 0.0


def _other_text(value: str, _pool: Any, _far: bool) -> str:
    at, letter = below(len(value) + 1), one_of(_LETTERS)
    return str(
        one_of(
            (
                value + letter,
                letter + value,
                value[:-1] + letter,
                value[:at] + letter + value[at:],
                value[:at] + letter + value[at + 1 :],
                value[:at] + value[at + 1 :],
                unlikely(len(value) or 1),
            )
        )
    )


def unlikely(size: int = 16) -> str:
    return "".join(one_of(_LETTERS) for _ in range(min(size, 64)))


def _other_bytes(value: Any, pool: Any, far: bool) -> Any:
    made = _other_text(bytes(value).decode("latin-1"), pool, far)
    return type(value)(made.encode("latin-1"))


def _other_many(value: Any, pool: Any, far: bool) -> Any:
    items = list(value)
    if not items or below(5) == 0:
        items.insert(below(len(items) + 1), one_of(pool) if pool else below(100))
    elif len(items) > 1 and below(5) == 0:
        del items[below(len(items))]
    else:
        at = below(len(items))
        items[at] = _other_part(items[at], pool, far)
    return type(value)(items)


def _other_map(value: Any, pool: Any, far: bool) -> Any:
    made = copy.copy(value)
    keys = list(made)
    if not keys or below(5) == 0:
        made[unlikely(4)] = one_of(pool) if pool else below(100)
    elif below(5) == 0:
        del made[one_of(keys)]
    else:
        key = one_of(keys)
        made[key] = _other_part(made[key], pool, far)
    return made


def _other_part(value: Any, pool: Any, far: bool) -> Any:
    try:
        return other(value, pool, far)
    except NoOther:
        return Own()


def _altered_fields(value: Any, pool: Any, far: bool) -> Any:
    """A data class with another value in one field that its comparison uses. Raises NoOther."""
    fields = getattr(type(value), "__dataclass_fields__", None)
    names = [name for name, field in (fields or {}).items() if field.compare]
    if not names:
        raise NoOther
    made, name = copy.copy(value), one_of(names)
    object.__setattr__(made, name, _other_part(getattr(made, name), pool, far))
    return made


def altered(value: Any, pool: Any = (), levels: int = _LEVELS) -> Any:
    """(path, draw) of the plain parts of an object that is not plain: draw() -> a copy of the
    object with another value there. It raises NoOther, or whatever copying the object raises."""
    for name, part, put in islice(_parts(value), _MOST_PARTS):
        if plain(part):
            yield name, partial(_put_other, put, part, pool)
        elif levels:
            for path, draw in altered(part, pool, levels - 1):
                yield name + path, partial(_put_drawn, put, draw)


def _put_other(put: Any, part: Any, pool: Any) -> Any:
    return put(other(part, pool))


def _put_drawn(put: Any, draw: Any) -> Any:
    return put(draw())


def _parts(value: Any) -> Any:
    """(name, part, put): put(new) -> a copy of the value with another part."""
    kind = type(value)
    if issubclass(kind, (tuple, set, frozenset)):
        items = list(value)
        for at, part in enumerate(items):
            name = f"[{at}]" if issubclass(kind, tuple) else "[]"
            yield name, part, partial(_made_of, kind, items, at)
    elif issubclass(kind, (list, collections.deque)):
        base = list if issubclass(kind, list) else collections.deque
        for at, part in enumerate(list(value)):
            yield "[]", part, partial(_with, value, base.__setitem__, at)
    elif issubclass(kind, dict):
        for key, part in list(_dict_items(value)):
            yield "[]", part, partial(_with, value, dict.__setitem__, key)
    # A copy that is deleted would close what the object still uses.
    for name in () if hasattr(kind, "__del__") else _attributes(value):
        try:
            part = object.__getattribute__(value, name)
        except AttributeError:  # a slot without a value
            continue
        yield f".{name}", part, partial(_with, value, object.__setattr__, name)


def _made_of(kind: Any, items: Any, at: int, new: Any) -> Any:
    parts = [*items[:at], new, *items[at + 1 :]]
    return tuple.__new__(kind, parts) if issubclass(kind, tuple) else kind(parts)


def _with(value: Any, put: Any, name: Any, new: Any) -> Any:
    made = copy.copy(value)
    if made is value:  # a member of an enumeration, for example
        raise NoOther
    put(made, name, new)
    return made


def _attributes(value: Any) -> Any:
    yield from list(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else tuple(slots)


def _other_of(draw: Any) -> Any:
    return lambda value, _pool, _far: draw(value)


_DRAWS: Any = {
    type(None): _other_of(lambda _: one_of((0, "", False, -1))),
    bool: _other_of(lambda value: not value),
    int: _other_int,
    float: _other_float,
    complex: _other_of(lambda value: value + (1 + abs(value)) * complex(1 + below(9), below(9))),
    str: _other_text,
    bytes: _other_bytes,
    bytearray: _other_bytes,
    range: _other_of(lambda value: range(value.start, value.stop + 1 + below(9), value.step)),
    datetime.date: _other_of(lambda value: value - datetime.timedelta(1 + below(300))),
    datetime.datetime: _other_of(lambda value: value - datetime.timedelta(1 + below(300))),
    datetime.timedelta: _other_of(lambda value: value + datetime.timedelta(1 + below(300))),
    decimal.Decimal: _other_of(lambda value: value + (1 + below(9)) * (1 + abs(value))),
    **dict.fromkeys(_MANY, _other_many),
    **dict.fromkeys(_MAPS, _other_map),
}

"""Plain values: which are, and others of the same type, drawn at random. PYTEST_DONT_REWRITE

Only the interpreter compares plain values; no class of a candidate's is involved.
"""

import builtins
import collections
import datetime
import decimal
import os
import sys
import types
from functools import partial
from itertools import islice
from typing import Any

from . import raw

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

_id = id


def kinds_of(*kinds: Any) -> Any:
    """Types as their ids: a metaclass of a candidate's may make its class equal every type."""
    return frozenset(map(_id, kinds))


_SCALARS = (
    *(type(None), bool, int, float, complex, str, bytes, bytearray, type(Ellipsis)),
    *(datetime.date, datetime.timedelta, datetime.timezone),
    decimal.Decimal,
    # These equal only themselves.
    *(type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType),
)
_MANY = (list, tuple, set, frozenset, collections.deque)
_MAPS = (dict, collections.OrderedDict, collections.defaultdict)
_OF_SCALARS, _OF_MANY, _OF_MAPS = kinds_of(*_SCALARS), kinds_of(*_MANY), kinds_of(*_MAPS)
# Types whose comparison compares their parts, or asks their time zone.
_OF_SPANS, _OF_TIMES = kinds_of(range, slice), kinds_of(datetime.time, datetime.datetime)
# Objects of the interpreter's that look into a map.
_OF_VIEWS = kinds_of(type({}.keys()), type({}.values()), type({}.items()))
_OF_CONTAINERS = _OF_MANY | _OF_MAPS
_OF_PARTS = _OF_CONTAINERS | _OF_SPANS | _OF_TIMES | _OF_VIEWS
_FRAMES = ("DataFrame", "Series")
# Elements of a container, and kinds of them, that its label names.
_MOST_LABELLED, _MOST_KINDS = 1000, 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_TRIES = 40
# Maximum parts of an object, and of each of its parts, that are made wrong; levels of parts.
_MOST_PARTS, _LEVELS = 24, 3
_urandom, _modules = os.urandom, sys.modules
_name_of, _module_of = (type.__dict__[name].__get__ for name in ("__qualname__", "__module__"))
# The classes of modules before any test ran, by id. A program may put its own in their place.
_classes: Any = {}
# The exceptions among these.
exceptions: Any = []


class NoOther(Exception):
    """There is no other value of this type to draw."""


class Own:
    """Equals nothing but itself."""


def below(limit: int) -> int:
    """A random number below the limit. Uses no function that a candidate can replace."""
    return int.from_bytes(_urandom(8), "big") % limit


def one_of(values: Any) -> Any:
    return values[below(len(values))]


def shuffled(values: Any) -> Any:
    left = list(values)
    return [left.pop(below(len(left))) for _ in values]


def plain(value: Any) -> bool:
    try:
        return _plain(value)
    except RecursionError:
        return False


def _plain(value: Any) -> bool:
    kind = _id(type(value))
    return kind in _OF_SCALARS or (kind in _OF_PARTS and all(map(_plain, _within(value))))


def _within(value: Any) -> Any:
    """The values that take part in a comparison of the value."""
    kind = _id(type(value))
    if kind in _OF_MANY or kind in _OF_VIEWS:
        return list(value)
    if kind in _OF_MAPS:
        return [each for item in raw.elements_of(value) for each in item]
    if kind in _OF_SPANS:
        return [value.start, value.stop, value.step]
    if kind in _OF_TIMES:
        return [value.tzinfo]
    if type(value).__name__ == "ndarray" and value.dtype.kind == "O":
        return value.ravel().tolist()
    if type(value).__name__ in _FRAMES and value.size <= _MOST_LABELLED:
        return _within(value.values)
    return []


def snapshot(value: Any) -> Any:
    """The value with containers of its own, which no other code can change."""
    try:
        return _copied(value)
    except RecursionError:
        return value


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind is bytearray:
        return bytearray(value)
    if _id(kind) in _OF_MAPS:
        items = [(_copied(key), _copied(each)) for key, each in raw.elements_of(value)]
        return kind(items) if kind is collections.OrderedDict else dict(items)
    if kind is list or kind is tuple or kind is collections.deque:
        return kind(map(_copied, list(value)))
    return value.copy() if kind is set else value


def scalar(value: Any) -> bool:
    return _id(type(value)) in _OF_SCALARS


def remember_classes() -> None:
    """Keeps the classes of all modules that are imported now."""
    for module in list(_modules.values()):
        if type(module) is types.ModuleType:
            _remember(vars(module))


def _remember(names: Any) -> None:
    for each in list(names.values()):
        # Not isinstance(), which a class of a candidate's can deceive.
        if issubclass(type(each), type) and _id(each) not in _classes:
            _classes[_id(each)] = each
            if any(kind is Exception for kind in raw.mro_of(each)):
                exceptions.append(each)
            _remember(raw.class_dict(each))


# Before any other class is known, tests may expect builtin exceptions.
_remember(vars(builtins))


def label(value: Any, levels: int = _LEVELS) -> str:
    """The name of a value's type; "of its own" is added if that name leads to another class, and
    the types of elements that are not plain. Runs no code of a candidate's metaclass."""
    kind = type(value)
    name, module = str(_name_of(kind)), _module_of(kind)
    found: Any = _modules.get(module) if type(module) is str else None
    for part in name.split("."):
        found = _names_of(found).get(part) if isinstance(found, (type, types.ModuleType)) else None
    known = not raw.is_made(kind) or (found is kind and _id(kind) in _classes)
    return f"{name}{'' if known else ' of its own'}{_of_elements(value, levels)}"


def _of_elements(value: Any, levels: int) -> str:
    if not levels:
        return ""
    others = (each for each in islice(_within(value), _MOST_LABELLED) if not plain(each))
    kinds = sorted({label(each, levels - 1) for each in others})
    if type(value).__name__ == "ndarray" and not kinds:
        kinds = [str(value.dtype)]
    return f" of {', '.join(kinds[:_MOST_KINDS])}" if kinds else ""


def _names_of(holder: Any) -> Any:
    return raw.class_dict(holder) if isinstance(holder, type) else vars(holder)


def other(value: Any, pool: Any = (), far: bool = False) -> Any:
    """A value that does not equal the plain one; `pool` has values to choose from. With `far`,
    numbers differ by more than any tolerance. Raises NoOther."""
    for _ in range(_TRIES):
        try:
            made = _drawn(value, pool, far)
            if not _close(made, value, far) and made != value:
                return made
        except Exception:  # noqa: S112  by code of the value's class, for example its comparison
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
    draw = _DRAWS.get(_id(kind))
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


def _other_items(value: Any, pool: Any, far: bool) -> Any:
    count = len(value)
    if not count or below(5) == 0:
        return _changed(value, "more", below(count + 1), pool, far)
    less = (count > 1 or _id(type(value)) in _OF_MAPS) and below(5) == 0
    return _changed(value, "less" if less else "other", below(count), pool, far)


def _changed(value: Any, change: str, at: int, pool: Any, far: bool) -> Any:
    """The container with one item more or less, or with another item, at a place."""
    is_map, items = raw.is_map(value), raw.elements_of(value)
    if change == "more":
        new = one_of(pool) if pool else below(100)
        items.insert(at, (unlikely(4), new) if is_map else new)
    elif change == "less":
        del items[at]
    elif is_map:
        items[at] = (items[at][0], _other_part(items[at][1], pool, far))
    else:
        items[at] = _other_part(items[at], pool, far)
    return raw.copied(value, items)


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
    made, name = raw.copied(value), one_of(names)
    object.__setattr__(made, name, _other_part(getattr(made, name), pool, far))
    return made


def altered(value: Any, pool: Any = (), levels: int = _LEVELS) -> Any:
    """(path, draw) of the plain parts of an object that is not plain: draw(make) -> a copy of the
    object with make(part, pool) there. draw raises NoOther, or what copying the object raises.
    Raises TypeError if a class hides its objects' attributes."""
    for name, part, put in islice(_parts(value), _MOST_PARTS):
        if plain(part):
            yield name, partial(_put_other, put, part, pool)
        elif levels:
            for path, draw in altered(part, pool, levels - 1):
                yield name + path, partial(_put_drawn, put, draw)


def _put_other(put: Any, part: Any, pool: Any, make: Any = other) -> Any:
    return put(make(part, pool))


def _put_drawn(put: Any, draw: Any, make: Any = other) -> Any:
    return put(draw(make))


def _at_an_end(change: str, last: bool, value: Any, pool: Any) -> Any:
    """The container, changed at its first or last place: a comparison may use only the last item,
    and a random change seldom leaves that one alone. Raises NoOther."""
    if _id(type(value)) not in _OF_CONTAINERS or not (value or change == "more"):
        raise NoOther
    end = len(value) if change == "more" else len(value) - 1
    for _ in range(_TRIES):
        made = _changed(value, change, end if last else 0, pool, False)
        if made != value:  # a set may have the new item already
            return made
    raise NoOther


AT_AN_END = tuple(
    partial(_at_an_end, change, last)
    for change in ("more", "less", "other")
    for last in (False, True)
)


def _parts(value: Any) -> Any:
    """(name, part, put) of elements and attributes: put(new) -> a copy of the value with another
    part. Raises TypeError if the value's class hides its attributes."""
    is_map, elements = raw.is_map(value), raw.elements_of(value)
    for at, part in enumerate(elements):
        name = f"[{at}]" if issubclass(type(value), tuple) else "[]"
        yield name, part[1] if is_map else part, partial(_with_element, value, elements, at)
    # When such a copy is deleted, it could close what the object still uses.
    deleted = any("__del__" in raw.class_dict(each) for each in raw.mro_of(type(value)))
    for name, part, put in () if deleted else raw.attributes_of(value):
        yield f".{name}", part, partial(_with_attribute, value, put)


def _with_element(value: Any, elements: Any, at: int, new: Any) -> Any:
    changed = (elements[at][0], new) if raw.is_map(value) else new
    return _copy(value, [*elements[:at], changed, *elements[at + 1 :]])


def _with_attribute(value: Any, put: Any, new: Any) -> Any:
    made = _copy(value)
    put(made, new)
    return made


def _copy(value: Any, elements: Any = None) -> Any:
    made = raw.copied(value, elements)
    if made is value:  # for example a member of an enumeration
        raise NoOther
    return made


def _other_of(draw: Any) -> Any:
    return lambda value, _pool, _far: draw(value)


_BY_TYPE: Any = {
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
    **dict.fromkeys((*_MANY, *_MAPS), _other_items),
}
_DRAWS = {_id(kind): draw for kind, draw in _BY_TYPE.items()}

"""How comparisons are made in a first run: as written, with a look at what decides them.
PYTEST_DONT_REWRITE
"""

import builtins
import collections
from typing import Any

from . import operations, values

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

__unittest = True  # unittest's tracebacks leave this module out
_id = id
_HASHED = values.kinds_of(set, frozenset, dict, collections.OrderedDict, collections.defaultdict)


def watching(note: Any) -> Any:
    """How comparisons and assertions are made in a first run."""

    def held(line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        before, sides = _looked_at(left, how, right)
        result = operations.HOW[how](*sides)
        if before and operations.found(result, how):
            tell(line, before, _seen(left, how, right))
        return result

    def combined(line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        # No copies: the result may hold parts of its sides.
        before = _seen(left, how, right)
        result = operations.COMBINES[how](left, right)
        if before:
            tell(line, before, _seen(left, how, right))
        return result

    def called(line: int, name: str, function: Any, *args: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        found, rest, others = operations.sides(args, named)
        if len(found) < 2:
            return function(*args, **named)
        left, how, right = found[0], operations.COMPARING[name], found[1]
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


def asking(note: Any) -> Any:
    """How a first run asks a value for the truth that a test wants: a class of a candidate's own
    may answer whatever it is asked."""

    def asked(line: int, name: str, value: Any) -> Any:
        """Returns the value. Notes it first if its class may answer dishonestly. The test calls the
        value's method of this name for its truth."""
        if name in operations.OF_MOCKS:
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
            found, _, _ = operations.sides(args, named)
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

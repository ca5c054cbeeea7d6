"""Values that a right answer does not equal, and comparisons with them. PYTEST_DONT_REWRITE"""

import builtins
from itertools import islice
from typing import Any

from . import operations, values

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

__unittest = True  # unittest's tracebacks leave this module out
# The note that the two sides of a comparison are equal.
EQUAL = "equal"
# How often a value is drawn if the right answer's type is the candidate's own.
_DRAWS = 8
# The values that a part gets after a first wrong one was rejected. The maximum number of parts of a
# side that are made wrong.
_MORE, _MOST_PARTS = (*(values.other,) * 3, *values.AT_AN_END), 24
# Wrong values among which two sides are compared as they are, beyond one for each part.
_MORE_ASKED = 3


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


def of_call(name: str, sides: Any, pool: Any) -> Any:
    """For an assertion of this name and its two values."""
    left, right = sides[:2]
    return Wrong(left, operations.COMPARING[name], right, pool, name in operations.FAR)


class Wrong:
    """Pairs that no honest comparison accepts. One of the `certain` ones that holds is enough. The
    `drawn` ones are random, and one may hold by chance, so all of them have to hold."""

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
            self.certain.append((left, other_or_own(right, pool, far)))
            return
        self.certain += [(left, values.Own()), (values.Own(), right)]
        listed = _listed(right)
        for _ in range(_DRAWS):
            if values.plain(listed) or not values.plain(left):
                self.drawn.append((left, other_or_own(listed, pool, far)))
            else:
                self.drawn.append((other_or_own(left, pool, far), right))

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


def other_or_own(value: Any, pool: Any, far: bool) -> Any:
    try:
        return values.other(value, pool, far)
    except values.NoOther:
        return values.Own()

"""How a test's comparisons are made: as written, or against wrong values. PYTEST_DONT_REWRITE

A test's code holds one of these objects among its constants, so that no name leads to it.
"""

import builtins
import collections
import threading
from typing import Any

from . import operations, values, watching, wrong_values

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

STOPPED, THROUGH = "control: stopped", "control: went through"
# Notes that have the name of a test: it reached its end, or its control found two sides equal.
ENDED, EQUAL = "ended", wrong_values.EQUAL
# Maximum expected values that are not changed in the code, but only where they are compared.
_MOST_UNALTERED = 50
# How often a test tries a line's comparison.
_MOST_TRIES = 12
holds = wrong_values.holds
__unittest = True  # unittest's tracebacks leave this module out
_Failure = AssertionError
_get_ident = threading.get_ident


class Checks:
    """The checks of one test file. note(line, kind, detail) reports a result. In a first run the
    kind is "compare" and the detail names the types, if more than the interpreter decided; in a
    control it is "held" or "refused" for each part of a side that was made wrong. All files share
    `running`. The functions are closures, so that no attribute leads to what they hold."""

    def __init__(self, note: Any, pool: Any, running: Any) -> None:
        by_test = _by_test(note, running)
        self.held, self.called, self.combined = watching.watching(note)
        self.asked, self.compares = watching.asking(note)
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
    """The comparisons and assertions of a control, which should fail."""
    unaltered: Any = collections.deque((), _MOST_UNALTERED)

    def refuted(line: int, left: Any, how: str, right: Any, altered: bool = False) -> bool:
        """Whether the comparison holds. With `altered`, one side is wrong already."""
        if altered and not any(each is left or each is right for each in unaltered):
            own = values.Own()
            return holds(how, left, right) or holds(how, left, own) or holds(how, own, right)
        pairs = wrong_values.Wrong(left, how, right, pool)
        if how != "==" and not holds(how, left, right):
            return True
        pairs.tell(note, line, lambda a, b: holds(how, a, b))
        return pairs.hold(lambda a, b: holds(how, a, b))

    def failing(line: int, name: str, function: Any, *args: Any, **named: Any) -> None:
        """Makes the call so that it should raise, and raises its exception."""
        __tracebackhide__ = True
        wrong, raised = None, None
        sides, rest, others = operations.sides(args, named)
        if name in operations.COMPARING and len(sides) > 1:
            wrong = wrong_values.of_call(name, sides, pool)
            calls = wrong_values.Calls(function, rest, others)
            wrong.tell(note, line, calls.returns)
            if wrong and wrong.hold(calls.returns):
                return
            raised = calls.raised
        reverse = getattr(
            getattr(function, "__self__", None), operations.OPPOSITE.get(name, ""), None
        )
        if reverse is not None or not wrong:
            (reverse or function)(*args, **named)
        elif raised is not None:
            raise raised

    def other(value: Any) -> Any:
        if values.plain(value):
            return wrong_values.other_or_own(value, pool, False)
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
        for each in values.exceptions
        if not issubclass(each, (*classes, AssertionError))
        and not any(issubclass(kind, each) for kind in classes)
    )


def _by_test(note: Any, running: Any) -> Any:
    """Notes that two sides are equal have the running test's name. Those of other threads are left
    out, because a thread may compare before or after the test's end."""

    def noted(line: int, kind: str, detail: str) -> None:
        if kind != EQUAL:
            note(line, kind, detail)
        elif running and running[-1].thread == _get_ident():
            note(line, kind, running[-1].name)

    return noted


class _Running:
    """The comparisons that a control's test has reached outside of its own asserts."""

    def __init__(self, name: str) -> None:
        self.name, self.thread = name, _get_ident()
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
            wrong = wrong_values.Wrong(left, "==" if how == "!=" else how, right, pool)
            wrong.tell(note, line, lambda a, b: alike(how, a, b))
        result = operations.HOW[how](left, right)
        own = wrong is not None and not wrong.known and operations.found(result, how)
        if own and wrong.hold(lambda a, b: alike(how, a, b)):
            running[-1].through = True
        return result

    def alike(how: str, left: Any, right: Any) -> bool:
        try:
            result = operations.HOW[how](left, right)
            # An array has no truth; its elements have.
            every = result.all() if type(result).__name__ == "ndarray" else result
            return bool(every) != (how == "!=")
        except Exception:  # values that cannot be compared are not equal
            return False

    def tried_call(line: int, name: str, function: Any, *args: Any, **named: Any) -> Any:
        sides, rest, others = operations.sides(args, named)
        if not (running and running[-1].is_new(pool, line) and len(sides) > 1):
            return function(*args, **named)
        wrong = wrong_values.of_call(name, sides, pool)
        calls = wrong_values.Calls(function, rest, others)
        wrong.tell(note, line, calls.returns)
        result = function(*args, **named)
        if wrong and wrong.hold(calls.returns):
            running[-1].through = True
        return result

    return tried, tried_call

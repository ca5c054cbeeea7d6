"""How a test's comparisons are made: as written, or against wrong values. PYTEST_DONT_REWRITE

A test's code holds one of these objects among its constants, so that no name leads to it.
"""

import builtins
import os
import threading
from typing import Any

from . import operations, values

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

STOPPED, THROUGH = "control: stopped", "control: went through"
# Notes: a test reached its end, which has its name; a method decided a comparison, with its name.
ENDED, COMPARE = "ended", "compare"
# How often a test tries a line's comparison.
_MOST_TRIES = 12
__unittest = True  # unittest's tracebacks leave this module out
_Failure = AssertionError
_get_ident, _getpid, _exit = threading.get_ident, os.getpid, os._exit


def process_check(children: bool) -> Any:
    """Returns a function that ends a process which a test forked, unless there may be some."""
    pid = _getpid()

    def check() -> None:
        if not children and _getpid() != pid:
            _exit(1)

    return check


class Checks:
    """The checks of one test file. note(line, kind, detail) reports a result. All files share
    `running`. Each function first runs `check`. They are closures, so that no attribute leads to
    what they hold."""

    def __init__(self, note: Any, running: Any, deciders: Any, check: Any) -> None:
        def ended(line: int, name: str) -> None:
            check()
            note(line, ENDED, name)

        self.ended = ended
        self.held, self.called, self.looked, self.calling = _first(note, deciders, check)
        self.refuted, self.failing = _wrong_ones(check)
        self.tried, self.tried_call = _trying(running, check)
        self.begins, self.failure = _tests(running, check)
        self.unrelated = values.unrelated

    def __reduce__(self) -> Any:
        """For tests that pickle functions with their code."""
        return _unwatched, ()


class _Nobody:
    """Decides nothing."""

    decider = of_mock = staticmethod(lambda *_: "")
    guarded = staticmethod(lambda function: function)


def _unwatched() -> Checks:
    return Checks(lambda *_: None, [], _Nobody, process_check(True))


def _first(note: Any, deciders: Any, check: Any) -> Any:
    """How a first run compares: as written, with a note of who decides."""

    def held(line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        check()
        decider = "" if how in ("is", "is not") else deciders.decider(left, right)
        result = operations.HOW[how](left, right)
        if decider and operations.equal(result, how):
            note(line, COMPARE, decider)
        return result

    def called(line: int, name: str, function: Any, *args: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        check()
        decider = deciders.decider(*operations.sides(args, named)[0])
        result = function(*args, **named)
        if decider:
            note(line, COMPARE, decider)
        return result

    def looked(line: int, name: str, value: Any) -> Any:
        """Returns the value, which a test asks for its truth or by a method of this name."""
        check()
        look = (
            deciders.of_mock if name in operations.OF_MOCKS else lambda _, it: deciders.decider(it)
        )
        decider = "" if values.scalar(value) else look(name, value)
        if decider:
            note(line, COMPARE, decider)
        return value

    def calling(function: Any) -> Any:
        """Returns the function, or another one if it makes an iterator that calls functions."""
        at = operations.CALLING.get(id(function))
        if at is None:
            return function

        def iterator(*args: Any, **named: Any) -> Any:
            if len(args) > at and callable(args[at]) and (function is not iter or len(args) > 1):
                args = (*args[:at], deciders.guarded(args[at]), *args[at + 1 :])
            return function(*args, **named)

        return iterator

    return held, called, looked, calling


def _wrong_ones(check: Any) -> Any:
    """The comparisons and assertions of a control, which should fail."""

    def refuted(left: Any, how: str, right: Any) -> bool:
        """Whether the comparison holds with wrong values."""
        check()
        if how != "==" and not values.holds(how, left, right):
            return True
        return values.Wrong(left, how, right).hold(lambda a, b: values.holds(how, a, b))

    def failing(name: str, function: Any, *args: Any, **named: Any) -> None:
        """Makes the call so that it should raise, and raises its exception."""
        __tracebackhide__ = True
        check()
        wrong, raised = None, None
        sides, rest, others = operations.sides(args, named)
        if name in operations.COMPARING and len(sides) > 1:
            wrong = values.Wrong(sides[0], operations.COMPARING[name], sides[1])
            calls = values.Calls(function, rest, others)
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

    return refuted, failing


class _Running:
    """The comparisons that a control's test has reached outside of its own asserts."""

    def __init__(self) -> None:
        self.reached, self.through = False, False
        self._times: Any = {}

    def is_new(self, line: Any) -> bool:
        """Whether to try the line's comparison. Only the first few are tried."""
        self.reached = True
        self._times[line] = self._times.get(line, 0) + 1
        return bool(self._times[line] <= _MOST_TRIES)


def _tests(running: Any, check: Any) -> Any:
    """How a control's test begins, and the failure with which it ends."""

    def begins() -> int:
        check()
        running.append(_Running())
        return 0

    def failure(end: str) -> Any:
        check()
        test = running.pop()
        if running:  # a test that another one called
            running[-1].reached |= test.reached
            running[-1].through |= test.through
        stopped = (end == STOPPED or (not end and test.reached)) and not test.through
        return _Failure(STOPPED if stopped else THROUGH)

    return begins, failure


def _trying(running: Any, check: Any) -> Any:
    """Makes the comparisons and assertions that a control leaves unchanged: as written. If they
    find two sides equal, wrong values are tried too."""

    def tried(line: int, left: Any, how: str, right: Any) -> Any:
        check()
        result = operations.HOW[how](left, right)
        if running and running[-1].is_new((running_file, line)) and operations.equal(result, how):
            wrong = values.Wrong(left, "==" if how == "!=" else how, right)
            if not wrong.plain and wrong.hold(lambda a, b: alike(how, a, b)):
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
        check()
        sides, rest, others = operations.sides(args, named)
        if not (running and running[-1].is_new((running_file, line)) and len(sides) > 1):
            return function(*args, **named)
        result = function(*args, **named)
        wrong = values.Wrong(sides[0], operations.COMPARING[name], sides[1])
        if wrong and wrong.hold(values.Calls(function, rest, others).returns):
            running[-1].through = True
        return result

    running_file = object()
    return tried, tried_call

"""How a test's comparisons are made: as written, or against wrong values. PYTEST_DONT_REWRITE

A test's code holds one of these objects among its constants, so that no name leads to it."""

import builtins
import os
from typing import Any

from . import operations, values

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

STOPPED, THROUGH = "control: stopped", "control: went through"
# Notes: a test reached its end, or began again after it had not, with its name; a method decided a
# comparison, with its name; an expected exception did not come.
ENDED, AGAIN, COMPARE, UNRAISED = "ended", "again", "compare", "unraised"
__unittest = True  # unittest's tracebacks leave this module out
_Failure = AssertionError
_getpid, _exit = os.getpid, os._exit


def process_check(children: bool) -> Any:
    """Returns a function that ends a process which a test forked, unless there may be some."""
    pid = _getpid()

    def check() -> None:
        if not children and _getpid() != pid:
            _exit(1)

    return check


class Checks:
    """The checks of one test file. note(line, kind, detail) reports a result. Each function first
    runs `check`. They are closures, so that no attribute leads to what they hold."""

    def __init__(self, note: Any, deciders: Any, check: Any) -> None:
        self.__dict__.update(_of_first_run(note, deciders, check), **_of_control(check))

    def __reduce__(self) -> Any:
        """For tests that pickle functions with their code. Evaluated, because this module is none
        that pickle finds."""
        return eval, (f"__import__({__name__!r}, fromlist=['']).unwatched()",)


class _Nobody:
    """Decides nothing."""

    decider = of_function = of_mock = operation_of = is_own_attribute = staticmethod(lambda *_: "")
    guarded = staticmethod(lambda function: function)


def unwatched() -> Checks:
    return Checks(lambda *_: None, _Nobody, process_check(True))


def _of_first_run(note: Any, deciders: Any, check: Any) -> Any:
    """How a first run compares: as written, with a note of who decides."""
    running: Any = set()

    def begins(line: int, name: str) -> None:
        check()
        if name in running:
            note(line, AGAIN, name)
        running.add(name)

    def ended(line: int, name: str) -> None:
        check()
        running.discard(name)
        note(line, ENDED, name)

    def unraised(line: int, name: str) -> None:
        check()
        note(line, UNRAISED, name)

    def held(line: int, left: Any, how: str, right: Any) -> Any:
        __tracebackhide__ = True
        check()
        decider = "" if how in ("is", "is not") else deciders.decider(how, left, right)
        # If the data alone gives the same result, no method has decided it.
        by_data = values.of_data(left, how, right) if decider else None
        result = operations.HOW[how](left, right)
        # A result of another type may mean either.
        if decider and result is not by_data and result is not (how == "!="):
            note(line, COMPARE, decider)
        return result

    def called(line: int, function: Any, *args: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        check()
        arguments: Any = {**dict(enumerate(args)), **named}
        compared = [arguments[key] for key in operations.sides(arguments)]
        how = deciders.operation_of(function)
        decider = deciders.decider(how, *compared)
        if decider and how and len(compared) == 2 and values.of_data(compared[0], how, compared[1]):
            decider = ""
        decider = deciders.of_function(function) or decider
        result = function(*args, **named)
        if decider:
            note(line, COMPARE, decider)
        return result

    def looked(line: int, name: str, value: Any) -> Any:
        """Returns the value, which a test asks for its truth or by a method of this name, or
        calculates with, for "+"."""
        check()
        if name == "__bool__":
            plain = values.has_plain_truth(value)
        else:
            listed = name == "+" and type(value) in (list, tuple)  # which asks no element
            data = name in operations.ASKING and deciders.is_own_attribute(value, name)
            plain = values.scalar(value) or listed or data
        if not plain:
            of_mock = name in operations.OF_MOCKS
            decider = deciders.of_mock(name, value) if of_mock else deciders.decider("", value)
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

    return {f.__name__: f for f in (begins, ended, unraised, held, called, looked, calling)}


def _of_control(check: Any) -> Any:
    """The comparisons and assertions of a control, which should fail, and the end of its tests."""

    def refuted(left: Any, how: str, right: Any) -> bool:
        """Whether the comparison holds with wrong values; if there are none, whether it fails."""
        check()
        pairs = values.wrong_pairs(left, how, right)
        if not pairs:
            return not values.holds(left, how, right)
        return any(values.holds(first, how, second) for first, second in pairs)

    def failing(name: str, function: Any, *args: Any, **named: Any) -> None:
        """Makes the call so that it should raise, and raises its exception."""
        __tracebackhide__ = True
        check()
        arguments: Any = {**dict(enumerate(args)), **named}
        sides, how = operations.sides(arguments), operations.COMPARING.get(name)
        changes: Any = []
        if name in operations.OF_MOCKS:
            changes = values.other_arguments(arguments)
        elif how is not None and len(sides) == 2:
            pairs = values.wrong_pairs(arguments[sides[0]], how, arguments[sides[1]])
            changes = [{sides[0]: first, sides[1]: second} for first, second in pairs]
        raised = failure("") if name in operations.OF_MOCKS else None
        for change in changes:
            wrong = {**arguments, **change}
            try:
                function(*[wrong.pop(at) for at in range(len(args))], **wrong)
            except Exception as error:  # assertions fail with different exceptions
                raised = error
            else:
                return
        if raised is not None:
            raise raised
        test, opposite = getattr(function, "__self__", None), operations.OPPOSITE.get(name, "")
        getattr(test, opposite, function)(*args, **named)

    def unrelated(expected: Any) -> Any:
        check()
        return values.unrelated(expected)

    def failure(end: str) -> Any:
        check()
        return _Failure(end)

    return {f.__name__: f for f in (refuted, failing, unrelated, failure)}

"""The operations by which tests compare: operators, assertions, other calls. PYTEST_DONT_REWRITE"""

import builtins
import operator
from typing import Any

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

HOW: Any = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda left, right: operator.contains(right, left),
    "not in": lambda left, right: not operator.contains(right, left),
}
# Operations before a comparison through which an object could answer with a plain value.
COMBINES: Any = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "^": operator.xor,
    "&": operator.and_,
    "|": operator.or_,
    "@": operator.matmul,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_EQUAL = (
    *("Equal", "Equals", "ListEqual", "TupleEqual", "SetEqual", "DictEqual"),
    *("SequenceEqual", "MultiLineEqual", "CountEqual", "ItemsEqual", "AlmostEqual"),
)
# Functions of numpy and pandas.
_CLOSE = (
    *("allclose", "almost_equal", "array_almost_equal", "approx_equal"),
    *("array_almost_equal_nulp", "array_max_ulp"),
)
_ARRAYS = (
    *("equal", "array_equal", "string_equal", "frame_equal", "series_equal", "index_equal"),
    *_CLOSE,
)
# Calls that compare their first two arguments, and the comparison that each makes.
COMPARING = {
    **{"assert" + name: "==" for name in _EQUAL},
    **{"assert_" + name: "==" for name in _ARRAYS},
    "assert_array_less": "<",
    "assertNotEqual": "!=",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assertIs": "is",
    "assertIsNot": "is not",
    "assertIn": "in",
    "assertNotIn": "not in",
}
# Functions and methods that compare their arguments, or an argument with what their object holds.
COMPARERS = (
    *("allclose", "isclose", "array_equal", "array_equiv", "equal", "equals"),
    *("remove", "index", "count"),
)
# Assertions of mocks on what they were called with.
OF_MOCKS = (
    *("assert_called_with", "assert_called_once_with", "assert_any_call", "assert_has_calls"),
    *("assert_awaited_with", "assert_awaited_once_with", "assert_any_await", "assert_has_awaits"),
)
# The keywords of these two arguments.
_NAMES = (
    *(("first", "second"), ("a", "b"), ("x", "y"), ("actual", "desired"), ("left", "right")),
    *(("member", "container"), ("expr1", "expr2"), ("list1", "list2"), ("tuple1", "tuple2")),
    *(("set1", "set2"), ("d1", "d2"), ("seq1", "seq2"), ("a1", "a2")),
)
FAR = ("assertAlmostEqual", *("assert_" + name for name in _CLOSE))
_PAIRS = (
    *(("True", "False"), ("Is", "IsNot"), ("IsNone", "IsNotNone"), ("In", "NotIn")),
    *(("IsInstance", "NotIsInstance"), ("Greater", "LessEqual"), ("Less", "GreaterEqual")),
    *(("Regex", "NotRegex"), ("AlmostEqual", "NotAlmostEqual")),
)
OPPOSITE = {
    "assert" + name: "assert" + reverse for pair in _PAIRS for name, reverse in (pair, pair[::-1])
}


def sides(args: Any, named: Any) -> Any:
    """The two values that an assertion compares, its other arguments, and its other keywords. Fewer
    than two values if the call passes them in an unknown way."""
    found, others = list(args[:2]), dict(named)
    while len(found) < 2:
        name = next((pair[len(found)] for pair in _NAMES if pair[len(found)] in others), None)
        if name is None:
            break
        found.append(others.pop(name))
    return found, args[2:], others


def found(result: Any, how: str) -> bool:
    """Whether a comparison found its sides equal. A result of another type may mean either."""
    return type(result) is not bool or result != (how == "!=")

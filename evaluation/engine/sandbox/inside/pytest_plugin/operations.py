"""The operations by which tests compare: operators, assertions, other calls. PYTEST_DONT_REWRITE"""

import builtins
import itertools
import operator
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

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
_EQUAL = (
    *("Equal", "Equals", "ListEqual", "TupleEqual", "SetEqual", "DictEqual"),
    *("SequenceEqual", "MultiLineEqual", "CountEqual", "ItemsEqual", "AlmostEqual"),
)
# Functions of numpy and pandas.
_ARRAYS = (
    *("equal", "array_equal", "string_equal", "frame_equal", "series_equal", "index_equal"),
    *("allclose", "almost_equal", "array_almost_equal", "approx_equal"),
    *("array_almost_equal_nulp", "array_max_ulp"),
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
# Calls and methods that ask one of their two sides.
ASKING = ("allclose", "isclose", "array_equal", "array_equiv", "equals", "index", "count", "remove")
# Assertions of mocks on what they were called with.
OF_MOCKS = (
    *("assert_called_with", "assert_called_once_with", "assert_any_call", "assert_has_calls"),
    *("assert_called", "assert_called_once", "assert_not_called", "assert_not_awaited"),
    *("assert_awaited", "assert_awaited_once", "assert_awaited_with", "assert_any_await"),
    *("assert_awaited_once_with", "assert_has_awaits"),
)
# The keywords of these two arguments.
_OPERANDS = (
    *(("first", "second"), ("a", "b"), ("x", "y"), ("actual", "desired"), ("left", "right")),
    *(("member", "container"), ("expr1", "expr2"), ("list1", "list2"), ("tuple1", "tuple2")),
    *(("set1", "set2"), ("d1", "d2"), ("seq1", "seq2"), ("a1", "a2")),
)
_PAIRS = (
    *(("True", "False"), ("Is", "IsNot"), ("IsNone", "IsNotNone"), ("In", "NotIn")),
    *(("IsInstance", "NotIsInstance"), ("Greater", "LessEqual"), ("Less", "GreaterEqual")),
    *(("Regex", "NotRegex"), ("AlmostEqual", "NotAlmostEqual")),
)
OPPOSITE = {
    "assert" + name: "assert" + reverse for pair in _PAIRS for name, reverse in (pair, pair[::-1])
}
# Functions that expect an exception of a call, or of a `with` statement's body.
RAISING = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
_ITERATORS = ("starmap", "takewhile", "dropwhile", "filterfalse", "accumulate", "groupby")
# Iterators that call a function, by id, and the function's place among the arguments. They end at a
# StopIteration that the function raises.
CALLING = {id(map): 0, id(filter): 0, id(iter): 0}
for _name in _ITERATORS:
    CALLING[id(getattr(itertools, _name))] = int(_name in ("accumulate", "groupby"))
NAMES_OF_CALLING = ("map", "filter", "iter", *_ITERATORS)


def sides(arguments: Any) -> Any:
    """The keys of the two values that an assertion compares, among its arguments by place or name.
    Fewer than two if the call passes them in an unknown way."""
    keys: Any = [key for key in (0, 1) if key in arguments]
    while len(keys) < 2:
        names = [pair[len(keys)] for pair in _OPERANDS if pair[len(keys)] in arguments]
        if not names:
            break
        keys.append(names[0])
    return keys

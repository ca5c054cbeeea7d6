"""Controls for a pass that was judged in the candidate's own process.

Each control is the tests with one expectation made wrong in a way that looks like
any other test: an honest program fails it, and whoever deceives the test, the
reporter or the comparison passes it too and so gives itself away.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

MOST = 12


def altered_tests(tests: str) -> list[str]:
    """The tests once for every assertion whose expectation can be altered, up to MOST.

    Where there is none, the tests with a failure at their end.
    """
    tree = ast.parse(tests)
    count = sum(1 for node in ast.walk(tree) if _expectation(node) is not None)
    controls = [ast.unparse(_altered(tree, number)) for number in range(min(count, MOST))]
    return controls or [f"try:\n{_indented(tests)}\nfinally:\n    assert not True"]


def _indented(tests: str) -> str:
    tree = ast.parse(tests)
    return "\n".join("    " + line for line in ast.unparse(tree).split("\n"))


def _altered(tree: ast.Module, number: int) -> ast.Module:
    """A copy in which the number-th alterable assertion expects something else."""
    copied = copy.deepcopy(tree)
    found = [node for node in ast.walk(copied) if _expectation(node) is not None]
    compare, position = _expectation(found[number]) or (None, 0)
    assert compare is not None
    expected = ast.literal_eval(compare.comparators[position])
    compare.comparators[position] = ast.copy_location(
        ast.parse(repr(_another(expected)), mode="eval").body, compare.comparators[position]
    )
    return ast.fix_missing_locations(copied)


def _expectation(node: ast.AST) -> tuple[ast.Compare, int] | None:
    """The comparison with a literal that an assertion consists of, and where it stands."""
    if not isinstance(node, ast.Assert) or not isinstance(node.test, ast.Compare):
        return None
    if not all(isinstance(op, (ast.Eq, ast.Is)) for op in node.test.ops):
        return None
    position = len(node.test.comparators) - 1
    try:
        ast.literal_eval(node.test.comparators[position])
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return node.test, position


def _another(value: Any) -> Any:
    """A value of the same kind that is not equal."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if value:
            return value[:-1] + ("a" if value[-1] != "a" else "e")
        case str():
            return "a"
        case bytes():
            return value + b"a"
        case list() if value:
            return [*value[:-1], _another(value[-1])]
        case tuple() if value:
            return (*value[:-1], _another(value[-1]))
        case dict() if value:
            last = next(reversed(value))
            return {**value, last: _another(value[last])}
        case set() if value:
            return {*value, _another(max(value, key=repr))} ^ {max(value, key=repr)}
        case _:
            return 1 if value is None else [1]

"""Python's own parser, for one thread at a time.

CPython 3.11 counts for all threads in one place how deep in a tree it is (python/cpython#106905).
Where another thread begins to parse meanwhile, which a finalizer is enough for, it raises
SystemError: "AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
import threading
from typing import Any

_ALONE = threading.Lock()


def parse(source: str | bytes) -> ast.Module:
    """As ast.parse(), and raises what that raises."""
    with _ALONE:
        return ast.parse(source)


def literal_eval(text: str) -> Any:
    """As ast.literal_eval(), and raises what that raises."""
    with _ALONE:
        return ast.literal_eval(text)

"""Python's own parser, for one thread at a time.

CPython 3.11 shares one recursion counter for AST construction among all threads
(python/cpython#106905). If a second thread parses meanwhile, even in a finalizer, it raises
SystemError: "AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
import threading
from typing import Any

_ALONE = threading.Lock()


def parse(source: str | bytes) -> ast.Module:
    """Like ast.parse(), with the same exceptions."""
    with _ALONE:
        return ast.parse(source)


def literal_eval(text: str) -> Any:
    """Like ast.literal_eval(), with the same exceptions."""
    with _ALONE:
        return ast.literal_eval(text)

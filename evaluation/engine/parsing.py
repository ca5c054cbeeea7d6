"""Python's own parser, for one thread at a time: CPython 3.11 shares a recursion counter among
threads and raises SystemError if a second thread parses meanwhile (python/cpython#106905)."""

import ast
import symtable
import threading
from typing import Any

_ALONE = threading.Lock()


def parse(source: str | bytes) -> ast.Module:
    """Raises what ast.parse raises."""
    with _ALONE:
        return ast.parse(source)


def literal_eval(text: str) -> Any:
    """Raises what ast.literal_eval raises."""
    with _ALONE:
        return ast.literal_eval(text)


def bound_names(module: str) -> set[str]:
    """The names that a module binds itself. Raises what ast.parse raises."""
    with _ALONE:
        symbols = symtable.symtable(module, "", "exec").get_symbols()
    return {symbol.get_name() for symbol in symbols if symbol.is_local()}

"""Whether a program's text could interfere with tests that run in its own process.

A text is harmless if it uses only what is listed. RULES names each kind of interference that is
looked for. Together they keep a program away from everything but its own classes, plain data and
the listed functions: no value is a module, a frame or a code object, no attribute is named by
text, and no text is executed.
"""

import ast
from collections.abc import Callable
from typing import NamedTuple

from . import harmless_answers, harmless_classes, harmless_names, harmless_shared, harmless_stores
from .harmless_program import Found, Program

RULES: "dict[str, Callable[[Program], Found]]" = {
    "imports": harmless_names.imports,
    "names": harmless_names.names,
    "attributes": harmless_names.attributes,
    "formats": harmless_names.formats,
    "uses": harmless_classes.uses,
    "classes": harmless_classes.classes,
    "stores": harmless_stores.stores,
    "answers": harmless_answers.answers,
    "shadows": harmless_shared.shadows,
    "annotations": harmless_shared.annotations,
    "sources": harmless_shared.sources,
    "globals": harmless_shared.global_names,
    "executed": harmless_shared.executed,
}


class Finding(NamedTuple):
    line: int
    words: str


def findings(text: str, tests: ast.Module, functions: "set[str]") -> "list[Finding]":
    """Parts of a program that could interfere with its tests, in the order of the text. `functions`
    are the names of the task's own functions, which may equal names of builtins."""
    program = Program(text, tests, functions)
    found = (each for rule in RULES.values() for each in rule(program))
    return sorted({Finding(getattr(node, "lineno", 1), words) for node, words in found})

"""Remembers answers to questions about nodes, and ends questions that lead on without end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar, cast

from evaluation.engine.projects.mentions.python.bindings import Bindings

# From a name to another one, and in all for a question. A text that needs more hides something.
_DEEPEST = 50
_STEPS = 500
T = TypeVar("T")


class Answers:
    def __init__(self, bindings: Bindings) -> None:
        self._holding = bindings.holding
        self._known: dict[object, object] = {}
        self._answers: dict[object, object] = {}
        self._depth = 0

    def ask(self, kind: str, node: ast.AST, answer: Callable[[], T], again: T, lost: T) -> T:
        """The answer to a question about a node. `again` answers a question that is asked while it
        is being answered; `lost`, one that leads too far."""
        key = (kind, (id(self._holding(node)), node.id) if isinstance(node, ast.Name) else id(node))
        for answers in (self._known, self._answers):
            if key in answers:
                return cast(T, answers[key])
        if self._depth == _DEEPEST or len(self._answers) == _STEPS:
            return lost
        self._answers[key] = again
        self._depth += 1
        found = self._answers[key] = answer()
        self._depth -= 1
        if not self._depth:
            # Answers that were found on the way may rest on `again`.
            self._answers.clear()
            self._known[key] = found
        return found

"""Switches defences off, to show that what names them needs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from evaluation.engine.sandbox import messages
from evaluation.engine.sandbox.inside import harmless

# Of stand-ins: what is replaced in a module that a container receives.
DEFENCES = {name: ("harmless", f'    "{name}": _{name},\n', "") for name in harmless.RULES} | {
    "exceptions": ("serve", "if len(nearest) > 1:", "if False:")
}


def without(defence: str) -> AbstractContextManager[None]:
    """Containers that are opened meanwhile lack the defence."""
    return replaced([DEFENCES[defence]])


@contextmanager
def replaced(pieces: Iterable[tuple[str, str, str]]) -> Iterator[None]:
    """(module, text, other text) of what containers receive meanwhile."""
    real = messages._source

    def source(name: str) -> str:
        text = real(name)
        for module, written, instead in pieces:
            if name == module:
                assert text.count(written) == 1, "the defence has another text"
                text = text.replace(written, instead)
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "_source", source)
        yield

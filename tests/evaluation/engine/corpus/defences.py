"""Switches a defence of stand-ins off, to show that cases that name it need it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from evaluation.engine.sandbox import messages
from evaluation.engine.sandbox.inside import harmless

# What is replaced in a module that a container receives.
DEFENCES = {name: ("harmless", f'    "{name}": _{name},\n', "") for name in harmless.RULES} | {
    "exceptions": ("serve", "if len(nearest) > 1:", "if False:")
}


@contextmanager
def without(defence: str) -> Iterator[None]:
    """Containers that are opened meanwhile lack the defence."""
    module, written, instead = DEFENCES[defence]
    real = messages._source

    def source(name: str) -> str:
        text = real(name)
        assert name != module or text.count(written) == 1, "the defence has another text"
        return text.replace(written, instead) if name == module else text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "_source", source)
        yield

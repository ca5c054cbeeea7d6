"""One build of each project for all hosts, in the operator's registry (Options.registry)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.engine.records import Prepared


@dataclass(frozen=True, slots=True)
class Builds:
    """How hosts agree on one build of a project.

    known(key): the record of the agreed build, None if there is none.
    agree(record): stores the record unless the project has one.
    """

    known: Callable[[str], Mapping[str, Any] | None]
    agree: Callable[[Mapping[str, Any]], None]

    def are_of(self, prepared: Prepared) -> bool:
        """Whether this host's build is the agreed one."""
        record = self.known(prepared.key)
        return record is not None and record["shared"] == prepared.shared

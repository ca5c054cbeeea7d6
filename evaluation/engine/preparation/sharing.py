"""One build of each project for all hosts, in the operator's registry (Options.registry)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import Prepared
from evaluation.engine.sandbox import project_images


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


def offer(
    prepared: Prepared, options: Options, builds: Builds, stopped: Callable[[], bool]
) -> None:
    """Pushes this host's build and proposes it to the others. Raises SandboxError."""
    # Named by the digest too: builds of one project differ, and a registry may delete an image that
    # loses its name.
    name = f"{_repository(options)}:{prepared.key}-{prepared.digest[-12:]}"
    shared = project_images.push(prepared.digest, name, stopped)
    builds.agree(store.note_shared(options, prepared.key, shared))


def take(
    key: str,
    texts: Mapping[str, str],
    options: Options,
    builds: Builds,
    stopped: Callable[[], bool],
) -> Prepared:
    """Pulls the agreed build, which replaces this host's own. `texts`: as in Prepared. Raises
    SandboxError."""
    record = builds.known(key)
    assert record is not None, "hosts agreed on a build"
    name = store.finished(key)
    digest = project_images.pull(_repository(options), record["shared"], name, stopped)
    prepared = replace(store.prepared(record), image=name, digest=digest, texts=texts)
    store.save(options, prepared, bytes_=record["bytes"], seconds=record["seconds"])
    return prepared


def _repository(options: Options) -> str:
    return f"{options.registry}/{project_images.NAME}"

"""A caller's settings for judging, and for preparing the projects that it needs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.pipeline import PATIENCE_SECONDS
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import DryRun, Limits, Prepared, Project, Task
from evaluation.engine.sandbox.slots import Slots

# Returns the times of a project; if nobody has measured them, it calls the function to do so.
Agreed: TypeAlias = Callable[[Prepared, Callable[[], DryRun | None]], DryRun | None]


@dataclass(frozen=True, slots=True)
class Builds:
    """How hosts agree on one build of a project, which they share through the operator's registry
    (Options.registry).

    known(key): the record of the agreed build, None if there is none.
    agree(record): stores the record unless the project has one."""

    known: Callable[[str], Mapping[str, Any] | None]
    agree: Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """options: called for benchmarks with projects only.
    workers: sandboxes of each workplace at the same time.
    patience: seconds to wait for Docker.
    stopped: ends what is running, builds included, with a SandboxError.
    retry: build projects again that could not be built.
    unready(project, tasks, error): called for a project that cannot be prepared, which is then
        skipped; None raises the error.
    builds: how hosts agree on one build of a project; used with a registry.
    dry_run(prepared, measure): the times of a project's dry run, measured here or elsewhere."""

    limits: Limits
    slots: Slots
    options: Callable[[], Options]
    runtime: str | None = None
    workers: int = 1
    labels: Mapping[str, str] = field(default_factory=dict)
    patience: float = PATIENCE_SECONDS
    say: Callable[[str], None] = lambda _: None
    stopped: Callable[[], bool] = lambda: False
    retry: bool = False
    unready: Callable[[Project, Sequence[Task], BenchmarkError], None] | None = None
    builds: Builds | None = None
    dry_run: Agreed = lambda _prepared, measure: measure()

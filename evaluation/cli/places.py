"""Where the command line judges, with what it judges there."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import HostSlots
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.places import Place, Way, open_places
from evaluation.engine.records import Case, Limits, Task


class Wanted(Protocol):
    """What `intake.Given` says of what is to be judged."""

    @property
    def tasks(self) -> Sequence[Task]: ...
    @property
    def all_tasks(self) -> Sequence[Task]: ...
    def cases(self) -> Iterable[Case]: ...
    def kit(self) -> bytes: ...


class Filled(NamedTuple):
    """A place, and the cases that are judged there."""

    place: Place
    cases: Sequence[Case]


def way(limits: Limits, slots: HostSlots, *, runtime: str | None, workers: int) -> Way:
    """How commands open places, saying on standard error what is made."""
    return Way(
        limits,
        slots,
        lambda: Options.from_environment(),
        runtime=runtime,
        workers=workers,
        say=say,
        # Whoever types the command again has mended what kept it from being built.
        retry=True,
    )


@contextmanager
def places(found: Wanted, judged: ByExecution, how: Way) -> Iterator[list[Filled]]:
    """What is to be judged, place by place. Raises BenchmarkError, SandboxError."""
    cases = list(found.cases())
    with open_places(judged, found.tasks, found.all_tasks, how, kit=found.kit()) as opened:
        yield [
            Filled(place, [place.filled(case) for case in cases if case.task.id in place.tasks])
            for place in opened
        ]


def say(text: str) -> None:
    """What goes on meanwhile, beside what a command prints."""
    print(text, file=sys.stderr, flush=True)

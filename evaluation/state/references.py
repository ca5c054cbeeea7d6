"""References as rows: verdicts on the untouched project, the reference solution and stubs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Avg, QuerySet

from evaluation.engine import ENGINE_VERSION, records
from evaluation.models import BASE_CHARACTERS, ReferenceHidden, ReferenceVerdict
from leaderboard.benchmarks.models import Revision
from leaderboard.text import storable

# The reference name for a project that could not be prepared.
BUILD = "build"
# Characters kept of a reference's output: its end, where the error is.
OUTPUT_CHARACTERS = 4096
_SAME = ("task", "name", "image_digest", "engine_version")
_TOLD = (
    "status",
    "tests_passed",
    "tests_total",
    "duration_ms",
    "cpu_seconds",
    "unsound",
    "base",
    "remains",
    "seen",
)
_HIDDEN = ("passed", "facts", "output")
_BATCH = 200
# A generation takes about as long as these two: its own run, then a control if it passes.
_TIMED = ("oracle", "control")


def keep_references(
    *, prepared: records.Prepared, found: Mapping[int, Mapping[str, records.Reference]]
) -> None:
    """Stores references by the tasks' primary keys. Replaces earlier rows of the same ones."""
    image = _Image(
        prepared.digest,
        storable(prepared.base)[:BASE_CHARACTERS],
        [storable(name) for name in prepared.remains],
    )
    _keep(image, found)


def keep_failure(*, tasks: Iterable[int], cause: str) -> None:
    """Stores that the tasks' project cannot be prepared, which makes them unsound."""
    failed = records.Reference(BUILD, records.Status.RUNTIME_ERROR, unsound=cause)
    _keep(_Image(), {task: {BUILD: failed} for task in tasks})


class _Image(NamedTuple):
    digest: str = ""
    base: str = ""
    remains: Sequence[str] = ()


@transaction.atomic
def _keep(image: _Image, found: Mapping[int, Mapping[str, records.Reference]]) -> None:
    # All writers use one order (by task, then in the order of runs): two writers of the same rows
    # wait for each other but cannot deadlock.
    told = [(task, reference) for task in sorted(found) for reference in found[task].values()]
    rows = ReferenceVerdict.objects.bulk_create(
        [_row(task, reference, image) for task, reference in told],
        update_conflicts=True,
        unique_fields=_SAME,
        update_fields=_TOLD,
        batch_size=_BATCH,
    )
    ReferenceHidden.objects.bulk_create(
        [_hidden(row, reference) for row, (_, reference) in zip(rows, told, strict=True)],
        update_conflicts=True,
        unique_fields=["reference"],
        update_fields=_HIDDEN,
        batch_size=_BATCH,
    )


def _row(task: int, reference: records.Reference, image: _Image) -> ReferenceVerdict:
    return ReferenceVerdict(
        task_id=task,
        name=reference.name,
        image_digest=image.digest,
        engine_version=ENGINE_VERSION,
        status=reference.status.value,
        tests_passed=len(reference.passed),
        tests_total=reference.tests,
        duration_ms=reference.duration_ms,
        cpu_seconds=reference.cpu_seconds,
        unsound=storable(reference.unsound),
        base=image.base,
        remains=list(image.remains),
    )


def _hidden(row: ReferenceVerdict, reference: records.Reference) -> ReferenceHidden:
    # The columns take any JSON, which the type checker does not know.
    passed: Any = list(reference.passed)
    facts: Any = dict(reference.facts)
    return ReferenceHidden(
        reference=row,
        passed=passed,
        facts=facts,
        output=reference.output[-OUTPUT_CHARACTERS:],
    )


def reference_records(
    revision: Revision, engine_version: str
) -> dict[int, dict[str, records.Reference]]:
    """The newest references by the tasks' primary keys and the references' names. One query."""
    rows = newest(
        ReferenceVerdict.objects.filter(
            task__revision=revision, engine_version=engine_version
        ).select_related("hidden_facts")
    )
    return {
        task: {name: _record(row) for name, row in by_name.items()}
        for task, by_name in rows.items()
    }


def newest(rows: QuerySet[ReferenceVerdict]) -> dict[int, dict[str, ReferenceVerdict]]:
    """By task and name, the rows of the image that was seen last, in the order of the runs."""
    found: dict[int, dict[str, ReferenceVerdict]] = {}
    for row in rows.order_by("task", "-seen", "-pk"):
        by_name = found.setdefault(row.task_id, {})
        first = next(iter(by_name.values()), row)
        if (first.image_digest, first.engine_version) == (row.image_digest, row.engine_version):
            by_name[row.name] = row
    return {
        task: dict(sorted(by_name.items(), key=lambda item: item[1].pk))
        for task, by_name in found.items()
    }


def _record(row: ReferenceVerdict) -> records.Reference:
    rest = row.hidden_facts
    return records.Reference(
        name=row.name,
        status=records.Status(row.status),
        passed=tuple(rest.passed),
        tests=row.tests_total,
        cpu_seconds=row.cpu_seconds,
        duration_ms=row.duration_ms,
        facts=rest.facts,
        unsound=row.unsound,
        output=rest.output,
    )


def seconds_by_project(revision: Revision) -> dict[str, float]:
    """Average seconds that the reference solution and its control take together; estimates a
    generation. Projects without references are missing."""
    times = (
        ReferenceVerdict.objects.filter(
            task__revision=revision, engine_version=ENGINE_VERSION, name__in=_TIMED
        )
        .values_list("task__project", "name")
        .annotate(Avg("duration_ms"))
        .order_by()
    )
    found: dict[str, float] = defaultdict(float)
    for project, _name, milliseconds in times:
        found[project] += milliseconds / 1000
    return found

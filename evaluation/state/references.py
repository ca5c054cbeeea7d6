"""References as rows: verdicts on the untouched project, the reference solution and stubs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

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
_BATCH = 200
# A generation takes about as long as these two: its own run, then a control if it passes.
_TIMED = ("oracle", "control")


def keep_references(
    *, prepared: records.Prepared, found: Mapping[int, Mapping[str, records.Reference]]
) -> None:
    """Stores references by the tasks' primary keys. Replaces earlier rows of the same ones."""
    image = {
        "image_digest": prepared.digest,
        "base": storable(prepared.base)[:BASE_CHARACTERS],
        "remains": [storable(name) for name in prepared.remains],
    }
    _keep(image, found)


def keep_failure(*, tasks: Iterable[int], cause: str) -> None:
    """Stores that the tasks' project cannot be prepared, which makes them unsound."""
    failed = records.Reference(BUILD, records.Status.RUNTIME_ERROR, unsound=cause)
    _keep({}, {task: {BUILD: failed} for task in tasks})


@transaction.atomic
def _keep(image: Mapping[str, Any], found: Mapping[int, Mapping[str, records.Reference]]) -> None:
    # All writers use one order (by task, then in the order of runs): two writers of the same rows
    # wait for each other but cannot deadlock.
    references = [(task, reference) for task in sorted(found) for reference in found[task].values()]
    rows = ReferenceVerdict.objects.bulk_create(
        (
            ReferenceVerdict(
                task_id=task,
                name=reference.name,
                engine_version=ENGINE_VERSION,
                status=reference.status.value,
                tests_passed=len(reference.passed),
                tests_total=reference.tests,
                duration_ms=reference.duration_ms,
                cpu_seconds=reference.cpu_seconds,
                unsound=storable(reference.unsound),
                **image,
            )
            for task, reference in references
        ),
        update_conflicts=True,
        unique_fields=["task", "name", "image_digest", "engine_version"],
        update_fields=[
            *("status", "tests_passed", "tests_total", "duration_ms", "cpu_seconds"),
            *("unsound", "base", "remains", "seen"),
        ],
        batch_size=_BATCH,
    )
    # The columns take any JSON, which the type checker does not know.
    hidden: list[dict[str, Any]] = [
        {
            "passed": list(reference.passed),
            "facts": dict(reference.facts),
            "output": reference.output[-OUTPUT_CHARACTERS:],
        }
        for _task, reference in references
    ]
    ReferenceHidden.objects.bulk_create(
        (ReferenceHidden(reference=row, **part) for row, part in zip(rows, hidden, strict=True)),
        update_conflicts=True,
        unique_fields=["reference"],
        update_fields=["passed", "facts", "output"],
        batch_size=_BATCH,
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
        task: {
            name: records.Reference(
                name=row.name,
                status=records.Status(row.status),
                passed=tuple(row.hidden_facts.passed),
                tests=row.tests_total,
                cpu_seconds=row.cpu_seconds,
                duration_ms=row.duration_ms,
                facts=row.hidden_facts.facts,
                unsound=row.unsound,
                output=row.hidden_facts.output,
            )
            for name, row in by_name.items()
        }
        for task, by_name in rows.items()
    }


def newest(rows: QuerySet[ReferenceVerdict]) -> dict[int, dict[str, ReferenceVerdict]]:
    """By task and name, the rows of the image that was seen last, in the order of the runs."""
    by_task: dict[int, dict[str, ReferenceVerdict]] = defaultdict(dict)
    for row in rows.order_by("task", "-seen", "-pk"):
        by_name = by_task[row.task_id]
        first = next(iter(by_name.values()), row)
        if (first.image_digest, first.engine_version) == (row.image_digest, row.engine_version):
            by_name[row.name] = row
    return {
        task: dict(sorted(by_name.items(), key=lambda item: item[1].pk))
        for task, by_name in by_task.items()
    }


def seconds_by_project(revision: Revision) -> dict[str, float]:
    """Average seconds that the reference solution and its control take together; estimates a
    generation. Projects without references are missing."""
    timed = ReferenceVerdict.objects.filter(
        task__revision=revision, engine_version=ENGINE_VERSION, name__in=_TIMED
    )
    seconds: dict[str, float] = defaultdict(float)
    for project, _name, milliseconds in (
        timed.values_list("task__project", "name").annotate(Avg("duration_ms")).order_by()
    ):
        seconds[project] += milliseconds / 1000
    return seconds

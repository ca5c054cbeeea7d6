"""How this site prepares projects: the engine's options from the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from django.conf import settings

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import project_key
from evaluation.engine.preparation.sharing import Builds
from evaluation.engine.records import DryRun, Prepared, Project
from evaluation.models import ProjectBuild, ProjectTimes
from leaderboard.benchmarks.importing import project_name
from leaderboard.text import storable


def options() -> Options:
    """Raises BenchmarkError if a setting is invalid."""
    given = Options.from_environment(settings.PROJECTS)
    trees = given.source_trees or settings.DATA_DIR / "source-trees"
    return replace(given, source_trees=trees)


def agreed_dry_run(prepared: Prepared, measure: Callable[[], DryRun | None]) -> DryRun | None:
    """The times that the first host measured, so that all hosts use the same ones."""
    row = ProjectTimes.objects.filter(key=prepared.key).first()
    if row is None:
        found = measure()
        if found is None:
            return None
        told = {"project": storable(project_name(prepared.project)), **asdict(found)}
        row, _ = ProjectTimes.objects.get_or_create(key=prepared.key, defaults=told)
    return DryRun(row.cpu_seconds, row.wall_seconds, row.pause_seconds)


def _known_build(key: str) -> Mapping[str, Any] | None:
    row = ProjectBuild.objects.filter(key=key).first()
    return None if row is None else row.record


def _agree_on_build(record: Mapping[str, Any]) -> None:
    project = storable(project_name(store.prepared(record).project))
    told = {"project": project, "digest": record["shared"], "record": dict(record)}
    ProjectBuild.objects.get_or_create(key=record["key"], defaults=told)


BUILDS = Builds(_known_build, _agree_on_build)


def is_known_to_fail(project: Project) -> bool:
    """False if only the project's sources could not be fetched."""
    known = options()
    try:
        return store.failure(known, project_key(project, known)) is not None
    except BenchmarkError:
        return False

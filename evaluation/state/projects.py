"""How this site prepares projects: the engine's options from the settings."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from django.conf import settings

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import project_key
from evaluation.engine.preparation.setup import Builds
from evaluation.engine.records import DryRun, Prepared, Project
from evaluation.models import ProjectBuild, ProjectTimes
from leaderboard.benchmarks.importing import project_name
from leaderboard.text import storable


def options() -> Options:
    """Raises BenchmarkError if a setting is invalid."""
    named = Options.from_environment(settings.PROJECTS)
    return replace(named, source_trees=named.source_trees or settings.DATA_DIR / "source-trees")


def agreed_dry_run(prepared: Prepared, measure: Callable[[], DryRun | None]) -> DryRun | None:
    """The times that the first host measured, so that all hosts use the same ones."""
    row = ProjectTimes.objects.filter(key=prepared.key).first()
    if row is None:
        times = measure()
        if times is None:
            return None
        columns = {"project": storable(project_name(prepared.project)), **asdict(times)}
        row, _ = ProjectTimes.objects.get_or_create(key=prepared.key, defaults=columns)
    return DryRun(row.cpu_seconds, row.wall_seconds, row.pause_seconds)


def _agree_on_build(record: Mapping[str, Any]) -> None:
    project = storable(project_name(store.prepared(record).project))
    columns = {"project": project, "digest": record["shared"], "record": dict(record)}
    ProjectBuild.objects.get_or_create(key=record["key"], defaults=columns)


BUILDS = Builds(
    lambda key: getattr(ProjectBuild.objects.filter(key=key).first(), "record", None),
    _agree_on_build,
)


def is_known_to_fail(project: Project) -> bool:
    """False if only the project's sources could not be fetched."""
    site = options()
    try:
        return store.failure(site, project_key(project, site)) is not None
    except BenchmarkError:
        return False

"""How this site prepares projects: the engine's options from the settings."""

from __future__ import annotations

from django.conf import settings

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import project_key
from evaluation.engine.records import Project


def options() -> Options:
    """Raises BenchmarkError if a setting is invalid."""
    return Options.from_environment(settings.PROJECTS)


def is_known_to_fail(project: Project) -> bool:
    """False if only the project's sources could not be fetched."""
    known = options()
    try:
        return store.failure(known, project_key(project, known)) is not None
    except BenchmarkError:
        return False

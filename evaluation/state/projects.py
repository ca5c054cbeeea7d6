"""How this site prepares projects: the engine's options as the settings have them."""

from __future__ import annotations

from django.conf import settings

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import project_key
from evaluation.engine.records import Project


def options() -> Options:
    """Raises BenchmarkError where a setting cannot be understood."""
    return Options.from_environment(settings.PROJECTS)


def is_known_to_fail(project: Project) -> bool:
    """Whether it was tried here and the project itself does not build, or passes no test.

    Sources that cannot be had say nothing about it.
    """
    known = options()
    try:
        return store.failure(known, project_key(project, known)) is not None
    except BenchmarkError:
        return False

"""Real repositories for acceptance tests, if ASSAY_REPOSITORIES has them, and the removal of
everything that tests make of projects."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker
import docker.errors
import pytest

from evaluation.engine import registry
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined, project_key
from evaluation.engine.preparation.workplaces import required
from evaluation.engine.records import Reference, TaskId
from evaluation.engine.sandbox.project_images import PROJECT

TEMPLATES = os.environ.get("ASSAY_REPOSITORIES", "").split()


def needs(repository: str, commit: str) -> pytest.MarkDecorator:
    """Skips the marked test if the repository is not available."""
    reason = f"no place in ASSAY_REPOSITORIES has {repository}"
    return pytest.mark.skipif(place(repository, commit) is None, reason=reason)


def place(repository: str, commit: str) -> str | None:
    """The first place that has the repository. A place on another machine is assumed to have it."""
    owner, _, name = repository.partition("/")
    for template in TEMPLATES:
        found = template.format(repository=repository, owner=owner, name=name)
        if "://" in found or _holds(found, commit):
            return found
    return None


def _holds(folder: str, commit: str) -> bool:
    if not Path(folder).is_dir():
        return False
    asked = ["git", "-C", folder, "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(asked, check=False, capture_output=True).returncode == 0


@contextmanager
def projects_kept_in(folder: Path) -> Iterator[Path]:
    """Keeps prepared projects in the folder and removes their images at the end. If
    ASSAY_PROJECTS_DIR is already set, it is used, and everything is kept."""
    if kept := os.environ.get("ASSAY_PROJECTS_DIR"):
        yield Path(kept)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_PROJECTS_DIR", str(folder))
        yield folder
    client = docker.from_env()
    for image in images_of(client, folder):
        client.images.remove(image["Id"], force=True)
    client.close()


def kept_of(
    slug: str, tasks_file: Path, answers: Path | None = None, *, of: TaskId | None = None
) -> tuple[store.StoredImage, dict[TaskId, dict[str, Reference]]]:
    """What runs stored on this host for these tasks' only project, or for that of the task `of`:
    its record, and the references of its tasks."""
    family, options = registry.family(slug), Options.from_environment(os.environ)
    assert isinstance(family.judged, ByExecution)
    every = joined(family.load_tasks(tasks_file, answers), required(family.judged))
    groups = [
        (project_key(project, options), tasks)
        for project, tasks in every.items()
        if of is None or of in {task.id for task in tasks}
    ]
    ((key, tasks),) = groups
    (kept,) = (each for each in store.listed(options) if each.prepared.key == key)
    references = {t.id: store.load_references(options, kept.prepared, t) or {} for t in tasks}
    return kept, references


def images_of(client: docker.DockerClient, folder: Path) -> list[dict[str, Any]]:
    """All images of the projects that are, or were to be, kept in the folder."""
    keys = [each.name for each in folder.glob("*") if each.name != "references"]
    listed = [client.api.images(filters={"label": f"{PROJECT}={key}"}) for key in keys]
    return [image for images in listed for image in images]

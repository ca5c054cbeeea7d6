"""The place of the projects that acceptance tests prepare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repositories import projects_kept_in


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of prepared projects, for commands too."""
    with projects_kept_in(tmp_path_factory.mktemp("projects")) as folder:
        yield folder

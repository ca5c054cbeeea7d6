"""The marker of all tests here, which `make test` does not even collect, and the directory of their
prepared projects."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repositories import projects_kept_in


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.acceptance)


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory of prepared projects, which commands use too."""
    with projects_kept_in(tmp_path_factory.mktemp("projects")) as folder:
        yield folder

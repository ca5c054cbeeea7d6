"""The marked site, and whoever visits it."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from pytest_django.fixtures import Settings

from tests.leaderboard.addresses.marked import Site
from tests.support.cast import Cast


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Charts and attempts outlive a test's database."""
    cache.clear()


@pytest.fixture
def site(cast: Cast, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Site:
    settings.ENDPOINT_RUNS = 1
    settings.MEDIA_ROOT = tmp_path_factory.mktemp("uploads")
    # A queue that refuses at once: nothing here waits for a worker.
    settings.RQ_QUEUES = {
        name: {**config, "URL": "unix:///nonexistent/valkey.sock"}
        for name, config in settings.RQ_QUEUES.items()
    }
    return Site(cast)

"""The marked site, and walks through it."""

import pytest
from django.core.cache import cache
from pytest_django.fixtures import Settings

from tests.leaderboard.addresses.marked import OWNER, STAFF, STRANGER, Site
from tests.leaderboard.addresses.walking import Walk
from tests.support.cast import Cast
from tests.support.snapshots import made_once


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Empties the cache, because charts and attempts outlive a test's database."""
    cache.clear()


@pytest.fixture
def site(cast: Cast, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Site:
    settings.ENDPOINT_RUNS = 1
    settings.MEDIA_ROOT = media = tmp_path_factory.mktemp("uploads")
    # A queue that refuses connections at once: nothing here waits for a worker.
    settings.RQ_QUEUES = {
        name: {**config, "URL": "unix:///nonexistent/valkey.sock"}
        for name, config in settings.RQ_QUEUES.items()
    }
    made = made_once(cast, "marked site", lambda: Site(cast), media)
    made.cast = cast
    return made


@pytest.fixture(scope="session")
def walks() -> dict[str, Walk]:
    """The walks by role."""
    return {}


@pytest.fixture
def walk(db: None, role: str, walks: dict[str, Walk], request: pytest.FixtureRequest) -> Walk:
    """The walk of the test's role. Only the first test that reads a part of it makes a site."""
    # Together these three may read every page.
    language = "ru" if role in (STRANGER, OWNER, STAFF) else "en"
    found = walks.setdefault(role, Walk(role, language))
    found.site = lambda: request.getfixturevalue("site")
    return found

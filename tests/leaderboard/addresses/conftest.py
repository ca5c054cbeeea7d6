"""The marked site, and walks through it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django.fixtures import Settings

from tests.leaderboard.addresses.marked import Site
from tests.leaderboard.addresses.walking import Walk
from tests.support.cast import Cast
from tests.support.snapshots import Snapshot, taken


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Empties the cache, because charts and attempts outlive a test's database."""
    cache.clear()


@pytest.fixture(scope="session")
def kept_sites() -> list[Snapshot[Site]]:
    """The snapshots of this session, the newest one last."""
    return []


@pytest.fixture
def site(
    cast: Cast,
    settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
    kept_sites: list[Snapshot[Site]],
) -> Site:
    settings.ENDPOINT_RUNS = 1
    settings.MEDIA_ROOT = media = tmp_path_factory.mktemp("uploads")
    # A queue that refuses connections at once: nothing here waits for a worker.
    settings.RQ_QUEUES = {
        name: {**config, "URL": "unix:///nonexistent/valkey.sock"}
        for name, config in settings.RQ_QUEUES.items()
    }
    if kept_sites and kept_sites[-1].fresh:
        return _again(kept_sites[-1], cast, media)
    keep = tmp_path_factory.mktemp("kept")
    made, snapshot = taken(lambda: Site(cast), media=media, keep=keep)
    kept_sites.append(snapshot)
    return made


def _again(kept: Snapshot[Site], cast: Cast, media: Path) -> Site:
    """The site from its snapshot, with the cast that the test may have requested itself."""
    found = kept.restored(media=media)
    vars(cast).update(vars(found.cast))
    found.cast = cast
    return found


@pytest.fixture(scope="session")
def walks() -> dict[str, Walk]:
    """The walks by role."""
    return {}


@pytest.fixture
def walk(db: None, role: str, walks: dict[str, Walk], request: pytest.FixtureRequest) -> Walk:
    """The walk of the test's role. Only the first test that reads a part of it makes a site."""
    found = walks.setdefault(role, Walk(role))
    found.site = lambda: request.getfixturevalue("site")
    return found

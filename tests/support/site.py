"""Fixtures for conftest.py, shared by tests of the site's pages and of its queue's parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import caches
from pytest_django.fixtures import Settings

from tests.support.cast import Cast


def plain_static(settings: Settings) -> None:
    """Static files under their own names: nothing is collected before these tests."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}
    Path(settings.STATIC_ROOT).mkdir(exist_ok=True)


@pytest.fixture
def quick(settings: Settings) -> None:
    """Without what costs time in production and says nothing in a test: names of static files
    with their hashes, slow hashes of passwords."""
    plain_static(settings)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def own_caches(settings: Settings) -> None:
    """Empties this process's caches: no queue runs during these tests, and keys repeat. No page is
    cached, since a database that is rolled back repeats its public changes."""
    local = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    names = ("shared", "pages")
    settings.CACHES = {"default": local} | {name: {**local, "LOCATION": name} for name in names}
    settings.CACHED_PAGES = 0
    for cache in caches.all(initialized_only=False):
        cache.clear()


@pytest.fixture
def cast(db: None) -> Cast:
    """People, teams and benchmarks, made when first asked for."""
    return Cast()

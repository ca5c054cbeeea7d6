"""Fixtures of the web application's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import caches
from pytest_django.fixtures import Settings

from tests.support.cast import Cast


@pytest.fixture(autouse=True)
def quick(settings: Settings) -> None:
    """What costs time in production and says nothing in a test: hashed names of static files,
    slow hashes of passwords."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}
    Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def cast(db: None) -> Cast:
    """People, teams and benchmarks, made when first asked for."""
    return Cast()


@pytest.fixture(autouse=True)
def own_caches(settings: Settings) -> None:
    """Empty ones of this process: no queue runs beside these tests, and keys come again."""
    local = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    settings.CACHES = {"default": local, "shared": {**local, "LOCATION": "shared"}}
    for cache in caches.all(initialized_only=False):
        cache.clear()

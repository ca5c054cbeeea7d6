"""Fixtures of the web application's tests."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from tests.support.cast import Cast


@pytest.fixture(autouse=True)
def quick(settings: Settings) -> None:
    """What costs time in production and says nothing in a test: hashed names of static files,
    slow hashes of passwords."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def cast(db: None) -> Cast:
    """People, teams and benchmarks, made when first asked for."""
    return Cast()

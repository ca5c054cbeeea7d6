"""Fixtures for conftest.py, shared by the tests of the site's pages and of its queue."""

from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.cache import caches
from pytest_django.fixtures import Settings

from evaluation import jobs
from tests.support.cast import Cast


def plain_static(settings: Settings) -> None:
    """Serves static files under their own names, because these tests do not collect them."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}
    Path(settings.STATIC_ROOT).mkdir(exist_ok=True)


@pytest.fixture
def quick(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns off what takes time in production and makes no difference in a test: hashes in the
    names of static files, slow hashes of passwords. Uploads take no turns: other threads would not
    see what a test has not committed."""
    plain_static(settings)
    monkeypatch.setattr(jobs, "SHARE_SECONDS", 3600.0)
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
    """People, teams and benchmarks, made when first asked for. Django reads content types once in a
    process: here, so that the number of a page's queries does not depend on earlier tests."""
    ContentType.objects.get_for_models(*apps.get_models())
    return Cast()

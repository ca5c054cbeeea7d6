"""A pytest plugin: where the tests keep what they store, and which database they meet.

Loaded with `-p`, so that it comes before pytest-django, which reads the settings before any
conftest.py is read. Django's tests run on SQLite unless DATABASE_URL names a PostgreSQL.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch

import pytest

from tests.support.postgres import Cluster, cluster

# An installation's settings that must not reach the tests, which would work on its queue or be
# answered differently. DATABASE_URL may: pytest-django makes databases of its own there.
FORGOTTEN = (
    "ASSAY_ALLOWED_HOSTS",
    "ASSAY_DEBUG",
    "ASSAY_EMBEDDED",
    "ASSAY_HTTPS",
    "ASSAY_SECRET_KEY",
    "ASSAY_VALKEY_URL",
)
# Fixtures that are a database, or a server that stores in one.
DATABASES = frozenset({"db", "django_db_setup", "live_server", "postgres", "transactional_db"})
# The tests of pages: what they read is asked by other tests as well, `test_every_address.py` among
# them, which asks for every address as everyone.
PAGES = (
    "test_chart*.py",
    "test_markers.py",
    "test_queue_pages.py",
    "test_requests.py",
    "test_texts.py",
    "test_views_*.py",
)
WITHOUT_POSTGRESQL = "runs on PostgreSQL: python -m tests.support.postgres -- python -m pytest ..."


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """State goes to a directory of this process alone, never to an installation's."""
    for name in FORGOTTEN:
        os.environ.pop(name, None)
    directory = tempfile.TemporaryDirectory(prefix="assay-tests-", ignore_cleanup_errors=True)
    os.environ["ASSAY_DATA_DIR"] = directory.name
    early_config.add_cleanup(directory.cleanup)


def on_postgresql() -> bool:
    """True where DATABASE_URL names a PostgreSQL for Django's tests."""
    return os.environ.get("DATABASE_URL", "").startswith("postgres")


@pytest.hookimpl(tryfirst=True)  # markers are looked at by another one
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is marked `postgresql` is skipped on SQLite; what meets no database, which comes to
    the same on both, is left out on PostgreSQL. Tests of pages are marked as such."""
    for item in items:
        if any(fnmatch(item.path.name, pattern) for pattern in PAGES):
            item.add_marker(pytest.mark.pages)
    if on_postgresql():
        _leave_out(config, items, [item for item in items if not meets_database(item)])
        return
    for item in items:
        if item.get_closest_marker("postgresql"):
            item.add_marker(pytest.mark.skip(reason=WITHOUT_POSTGRESQL))


def _leave_out(
    config: pytest.Config, items: list[pytest.Item], left_out: list[pytest.Item]
) -> None:
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]
    config.hook.pytest_deselected(items=left_out)


def meets_database(item: pytest.Item) -> bool:
    """Whether it asks for a database: what does not gets an error from pytest-django for the
    first query, so that nothing which stores or reads can be missed."""
    if item.get_closest_marker("django_db") or item.get_closest_marker("postgresql"):
        return True
    return _is_of_django(item) or not DATABASES.isdisjoint(getattr(item, "fixturenames", ()))


def _is_of_django(item: pytest.Item) -> bool:
    """Whether it is a method of Django's own kind of test, which has a database unmarked."""
    # Django reads its settings when it is imported, which are not to be had yet above.
    from django.test import TransactionTestCase

    kind = getattr(item, "cls", None)
    return kind is not None and issubclass(kind, TransactionTestCase)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL for tests that start Assay as processes of its own, on whichever database.

    `postgres.create("name")` makes an empty database and gives its URL. Each worker of xdist
    that asks has a server of its own: few do, it starts in two seconds, and so none must know
    when the last of the others is done.
    """
    with cluster() as server:
        yield server

"""A pytest plugin: where the tests store data, and which database they use.

Loaded with `-p`, so that it comes before pytest-django, which reads the settings before any
conftest.py is read. Django's tests run on SQLite unless DATABASE_URL names a PostgreSQL."""

import fcntl
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scripts.environment import ROOT
from tests.support.postgres import Cluster, cluster

# An installation's settings that must not reach the tests: the tests would use its queue or get
# other answers. DATABASE_URL may reach them, because pytest-django makes separate databases there.
FORGOTTEN = (
    "ASSAY_ALLOWED_HOSTS",
    "ASSAY_DEBUG",
    "ASSAY_EMBEDDED",
    "ASSAY_HTTPS",
    "ASSAY_SECRET_KEY",
    "ASSAY_VALKEY_URL",
)
# Fixtures that provide a database, or a server that stores in one.
DATABASES = frozenset({"db", "django_db_setup", "live_server", "postgres", "transactional_db"})
WITHOUT_POSTGRESQL = "runs on PostgreSQL: python -m tests.support.postgres -- python -m pytest ..."


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Keeps state in a directory of this process alone, never in an installation's."""
    for name in FORGOTTEN:
        os.environ.pop(name, None)
    directory = tempfile.TemporaryDirectory(prefix="assay-tests-", ignore_cleanup_errors=True)
    os.environ["ASSAY_DATA_DIR"] = directory.name
    early_config.add_cleanup(directory.cleanup)


def on_postgresql() -> bool:
    """True if DATABASE_URL names a PostgreSQL for Django's tests."""
    return os.environ.get("DATABASE_URL", "").startswith("postgres")


@pytest.hookimpl(tryfirst=True)  # another hook reads the markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On SQLite, skips tests marked `postgresql`. On PostgreSQL, leaves out tests without a
    database: they would only repeat themselves."""
    if on_postgresql():
        without = {item for item in items if not meets_database(item)}
        items[:] = [item for item in items if item not in without]
        config.hook.pytest_deselected(items=list(without))
        return
    for item in items:
        if item.get_closest_marker("postgresql"):
            item.add_marker(pytest.mark.skip(reason=WITHOUT_POSTGRESQL))


def meets_database(item: pytest.Item) -> bool:
    """Whether the test asks for a database. Any other test gets an error from pytest-django at its
    first query, so that no test that stores or reads is missed."""
    if item.get_closest_marker("django_db") or item.get_closest_marker("postgresql"):
        return True
    return _is_of_django(item) or not DATABASES.isdisjoint(getattr(item, "fixturenames", ()))


def _is_of_django(item: pytest.Item) -> bool:
    """Whether it is a method of a Django test case, which has a database without a marker."""
    # Django reads its settings when it is imported; they are not available earlier.
    from django.test import TransactionTestCase

    kind = getattr(item, "cls", None)
    return kind is not None and issubclass(kind, TransactionTestCase)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL for tests that start Assay in separate processes, whichever database the tests
    use.

    `postgres.create("name")` makes an empty database and returns its URL. Each worker of xdist that
    asks has a separate server: few ask, a server starts in two seconds, and no worker must know
    when the others are done."""
    with cluster() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_once(request: pytest.FixtureRequest) -> Iterator[pytest.MonkeyPatch]:
    """Until it is undone, `migrate` fills SQLite's databases with a copy of one that the same code
    has migrated, if there is one. All processes of a run share the copy."""
    from django.core.management.commands.migrate import Command
    from django.db import connections

    kept, migrate = _kept(request.config), Command.handle

    def handle(command: Command, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        with kept.with_name("lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if connection.vendor == "sqlite" and kept.exists():
                connection.ensure_connection()
                with closing(sqlite3.connect(kept)) as source:
                    source.backup(connection.connection)
                return
            migrate(command, *args, **options)
            if connection.vendor == "sqlite":
                _keep(connection.connection, kept)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Command, "handle", handle)
        yield patch


@pytest.fixture(scope="session")
def quick_flush() -> Iterator[None]:
    """Makes Django only delete rows after a test with its own transactions. Django's flush makes
    content types and permissions again, and PostgreSQL's TRUNCATE makes several files for every
    table."""
    from django.test import TransactionTestCase

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _test: _delete_rows())
        yield


def _delete_rows() -> None:
    from django.contrib.auth.models import Permission
    from django.contrib.contenttypes.models import ContentType
    from django.db import connection, transaction

    from leaderboard.pages.models import PublicChange

    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    # On SQLite, triggers add rows to PublicChange's table while the others are emptied.
    names.sort(key=PublicChange._meta.db_table.__eq__)
    kept = {ContentType._meta.db_table, Permission._meta.db_table}
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Turns off the checks of foreign keys, and triggers.
            cursor.execute("SET LOCAL session_replication_role = replica")
        for name in names:
            if name not in kept:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")


@pytest.fixture(scope="session")
def migrated(django_db_setup: None, request: pytest.FixtureRequest) -> Path | None:
    """A migrated SQLite database to copy; None if the tests use PostgreSQL, or if no selected test
    uses a database."""
    kept = _kept(request.config)
    return None if on_postgresql() or not kept.exists() else kept


def _kept(config: pytest.Config) -> Path:
    folder: Path = config.cache.mkdir("migrated")
    return folder / f"{_code()}.sqlite3"


def _keep(database: sqlite3.Connection, place: Path) -> None:
    """Stores the database in place of those that other code has migrated."""
    for other in place.parent.glob("*.sqlite3"):
        other.unlink()
    part = place.with_suffix(".part")
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part)) as kept:
        database.backup(kept)
    part.rename(place)


def _code() -> str:
    """A digest of everything that decides what a migrated database holds."""
    found = hashlib.sha256(sqlite3.sqlite_version.encode())
    modules = (
        path for name in ("evaluation", "leaderboard") for path in (ROOT / name).rglob("*.py")
    )
    for path in (*sorted(modules), ROOT / "requirements.lock"):
        found.update(bytes(path) + path.read_bytes())
    return found.hexdigest()[:16]

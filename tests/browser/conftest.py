"""The browser that these tests drive."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections
from playwright.sync_api import Browser, expect

from tests.support.browser import browser
from tests.support.databases import on_postgresql
from tests.support.site import own_caches, quick

__all__ = ["chromium", "own_caches", "quick"]

# Other tests share the processors: a page may take its time.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """On SQLite a file, as in an installation. A database in memory is one connection's for all
    threads of the server: what comes at the same time fails there, and waits for no lock."""
    if not on_postgresql():
        place = tmp_path_factory.mktemp("database") / "pages.sqlite3"
        connections["default"].settings_dict["TEST"]["NAME"] = str(place)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running

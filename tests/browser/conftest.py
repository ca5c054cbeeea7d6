"""The browser that these tests drive."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import browser
from tests.support.site import own_caches, quick

__all__ = ["chromium", "own_caches", "quick"]

# Other tests share the processors: a page may take its time.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running

"""Fixtures of the tests of the site's pages."""

import pytest
from django.utils import translation

from tests.support.panel import panel, shared_database
from tests.support.site import cast, own_caches, quick

__all__ = ["cast", "own_caches", "panel", "quick", "shared_database"]


@pytest.fixture(autouse=True)
def as_a_test(quick: None, own_caches: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every test quick, gives it its own caches, starts it in English, since a request in
    another language leaves that language active, and in one window of the limits on requests."""
    translation.deactivate()
    monkeypatch.setattr("leaderboard.limits.time", lambda: 1_800_000_000.0)

"""Fixtures of the tests of the site's pages."""

import pytest
from django.utils import translation

from tests.support.panel import panel, shared_database
from tests.support.site import cast, own_caches, quick

__all__ = ["cast", "own_caches", "panel", "quick", "shared_database"]


@pytest.fixture(autouse=True)
def as_a_test(quick: None, own_caches: None) -> None:
    """Makes every test quick, gives it its own caches, and starts it in English: a request in
    another language leaves that language active."""
    translation.deactivate()

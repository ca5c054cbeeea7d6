import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Charts, means and comparisons are cached and outlive a test's database."""
    cache.clear()

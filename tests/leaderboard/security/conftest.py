"""The marked site, with a queue that is away."""

from tests.leaderboard.addresses.conftest import empty_cache, site

__all__ = ["empty_cache", "site"]

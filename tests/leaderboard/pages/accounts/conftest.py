"""What tests of accounts share."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast


@pytest.fixture
def as_person(cast: Cast) -> Callable[[str], Client]:
    """Makes a client of a member of the cast; Northwood and Fenland exist."""
    assert cast.northwood and cast.fenland
    return lambda name: visitor(getattr(cast, name))

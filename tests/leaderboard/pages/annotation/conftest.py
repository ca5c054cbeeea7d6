import pytest
from django.test import Client

from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast


@pytest.fixture
def dora(cast: Cast) -> Client:
    """The browser of an organiser."""
    return visitor(cast.dora)

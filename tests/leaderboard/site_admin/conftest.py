import pytest
from django.test import Client

from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast


@pytest.fixture
def staff(cast: Cast) -> Client:
    return visitor(cast.dora)

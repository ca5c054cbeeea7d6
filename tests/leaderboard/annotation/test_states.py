"""Tests that the page of states has a row for every state, and names only functions that exist."""

import pytest
from django.db.models import TextChoices

from leaderboard.annotation.models import AssignmentState, CampaignState, RaterState
from tests.setup.test_docs import DOCS, first_cells, section

PAGE = DOCS / "contributors/states.md"
STATES: dict[str, type[TextChoices]] = {
    "Campaign": CampaignState,
    "Rater": RaterState,
    "Assignment": AssignmentState,
}


@pytest.mark.parametrize("what", STATES)
def test_every_state_has_its_row(what: str) -> None:
    assert sorted(first_cells(section(PAGE, what))) == sorted(STATES[what].values)

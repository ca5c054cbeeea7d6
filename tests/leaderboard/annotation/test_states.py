"""Tests that the page of states has a row for every state, and names only functions that exist."""

import re
from importlib import import_module

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


def test_the_functions_that_move_states_exist() -> None:
    named = re.findall(r"`annotation\.(\w+)\.(\w+)`", PAGE.read_text("utf-8"))
    missing = [
        f"{module}.{name}"
        for module, name in set(named)
        if not hasattr(import_module(f"leaderboard.annotation.{module}"), name)
    ]
    assert len(set(named)) > 12
    assert missing == []

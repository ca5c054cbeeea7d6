"""The names and addresses of teams and entrants."""

import re

import pytest
from django.core.exceptions import ValidationError

from leaderboard.accounts.models import Entrant, Team
from leaderboard.accounts.teams import free_slug, tidy_name
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Larch Coder 32B", "larch-coder-32b"),
        ("Café Édition", "cafe-edition"),
        ("  a -- b  ", "a-b"),
        ("x" * 80, "x" * 80),
    ],
)
def test_a_latin_name_reads_the_same_in_its_address(db: None, name: str, slug: str) -> None:
    assert free_slug(Entrant, name) == slug


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("通义千问", r"entrant-\w{5}"),
        ("Сова 7B", r"7b-\w{5}"),
        ("x", r"x-\w{5}"),
        ("new", r"new-\w{5}"),
    ],
)
def test_other_names_get_an_address_of_their_own(db: None, name: str, pattern: str) -> None:
    slugs = {free_slug(Entrant, name) for _ in range(5)}
    assert len(slugs) == 5
    assert all(re.fullmatch(pattern, slug) for slug in slugs)


def test_a_taken_address_is_told_apart(cast: Cast) -> None:
    assert cast.northwood.slug == "northwood"
    assert re.fullmatch(r"northwood-\w{5}", free_slug(Team, "Northwood"))


@pytest.mark.parametrize(
    "name", ["Admin", "HUMAN", "human  baseline", "a\u200bb", "a\x07b", "a\u2800b"]
)
def test_some_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        tidy_name(name)


def test_names_are_tidied() -> None:
    assert tidy_name(" Larch \t Coder\u3000e\u0301 ") == "Larch Coder \u00e9"

"""Tests of teams: who sees them, who is in them, who may change them."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts.models import Membership, Team, User
from leaderboard.accounts.teams import LastOwner, remove_member, set_role
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

TEAM = "/teams/northwood/"


As = Callable[[str | None], Client]


def membership(name: str) -> Membership:
    return Membership.objects.get(user__username=name, team__slug="northwood")


def test_a_member_removes_nobody_but_may_leave(as_person: As) -> None:
    client = as_person("bob")
    alice, bob = membership("alice").pk, membership("bob").pk
    assert client.post(f"{TEAM}members/{alice}/remove/").status_code == 403
    answer = client.post(f"{TEAM}members/{bob}/remove/", follow=True)
    assert answer.redirect_chain == [("/account/", 302)]
    assert not Membership.objects.filter(user__username="bob").exists()


@pytest.mark.parametrize("step", ["remove/", "role/"])
def test_the_last_owner_stays(as_person: As, step: str) -> None:
    address = f"{TEAM}members/{membership('alice').pk}/{step}"
    page = as_person("alice").post(address, {"role": "member"}, follow=True)
    assert "A team needs an owner." in page.content.decode()
    assert membership("alice").role == "owner"


def test_one_of_two_owners_may_leave(as_person: As) -> None:
    client = as_person("alice")
    client.post(f"{TEAM}members/{membership('bob').pk}/role/", {"role": "owner"})
    client.post(f"{TEAM}members/{membership('alice').pk}/remove/")
    with pytest.raises(LastOwner):
        remove_member(membership=membership("bob"))
    with pytest.raises(LastOwner):
        set_role(membership=membership("bob"), role=Membership.Role.MEMBER)


def test_a_team_is_renamed_and_keeps_its_address(as_person: As) -> None:
    page = as_person("alice").post(TEAM + "name/", {"name": "Southwood"}, follow=True)
    assert "The team is now called Southwood." in page.content.decode()
    assert Team.objects.get(slug="northwood").name == "Southwood"


@pytest.mark.parametrize("name", ["fenland", "Admin", ""])
def test_a_name_that_is_taken_or_kept_is_refused(as_person: As, name: str) -> None:
    page = as_person("alice").post(TEAM + "name/", {"name": name})
    assert (page.status_code, "<h1>Northwood</h1>" in page.content.decode()) == (422, True)


def test_who_makes_a_team_owns_it(as_person: As) -> None:
    page = as_person("bob").post("/teams/new/", {"name": "Лаборатория"})
    team = Team.objects.get(name="Лаборатория")
    assert page.headers["Location"] == f"/teams/{team.slug}/"
    assert list(team.memberships.values_list("user__username", "role")) == [("bob", "owner")]


def test_only_owners_are_shown_what_only_owners_may_do(as_person: As) -> None:
    owner, member, staff = (
        as_person(name).get(TEAM).content.decode() for name in ("alice", "bob", "dora")
    )
    assert all(text in owner for text in ("Invite a member", "Rename the team", "Make an owner"))
    assert not any(text in member for text in ("Invite a member", "Rename", "Make a", "Remove"))
    assert "Leave" in member
    assert not any(text in staff for text in ("Invite a member", "Rename", "Remove", "Leave"))


def test_a_team_of_many_takes_as_many_queries_as_one_of_few(as_person: As, cast: Cast) -> None:
    client = as_person("alice")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(TEAM).status_code == 200
        return len(captured)

    cast.entrant("Larch 0")
    few = queries()
    for number in range(1, 28):
        person = User.objects.create(username=f"p{number}", email=f"p{number}@example.org")
        Membership.objects.create(team=cast.northwood, user=person)
        cast.entrant(f"Larch {number}")
    assert queries() == few

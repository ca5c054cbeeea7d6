"""Tests of teams: who sees them, who is in them, who may change them."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts.models import Membership, User
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

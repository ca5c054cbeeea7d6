"""Tests of two owners, and of an owner and an invited person, who act at once."""

from functools import partial

import pytest

from evaluation.work.leaving import delete_account
from leaderboard.accounts import teams
from leaderboard.accounts.models import Invitation, Membership, Team, User
from leaderboard.accounts.teams import LastOwner
from tests.evaluation.web.conftest import at_once
from tests.support.cast import Cast

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shared_database")]


def invited(team: Team, user: User) -> partial[bool]:
    """How the person accepts the team's invitation."""
    row, _addresses = teams.invite(team=team, typed=user.username, role="member")
    return partial(teams.accept, invitation=row, user=user)


def left(user: User) -> bool:
    try:
        delete_account(user=user, successors={})
    except LastOwner:
        return False
    return True


def test_of_two_owners_who_delete_their_accounts_one_stays(cast: Cast) -> None:
    Membership.objects.create(team=cast.northwood, user=cast.charlie, role="owner")
    went = at_once(partial(left, cast.alice), partial(left, cast.charlie))
    assert sorted(went) == [False, True]
    roles = cast.northwood.memberships.order_by("role").values_list("role", flat=True)
    assert list(roles) == ["member", "owner"]


def test_an_invitation_is_accepted_or_taken_back(cast: Cast) -> None:
    accepting = invited(cast.northwood, cast.charlie)
    accepted, taken_back = at_once(accepting, lambda: bool(Invitation.objects.all().delete()[0]))
    assert accepted == (not taken_back)
    assert Membership.objects.filter(user=cast.charlie).exists() == accepted


def test_two_tabs_that_accept_make_one_membership(cast: Cast) -> None:
    accepting = invited(cast.northwood, cast.charlie)
    assert sorted(at_once(accepting, accepting)) == [False, True]
    assert Membership.objects.filter(user=cast.charlie).count() == 1


def test_nobody_joins_a_team_whose_last_member_leaves(cast: Cast) -> None:
    fenland = cast.fenland
    accepting = invited(fenland, cast.alice)
    accepted, went = at_once(accepting, partial(left, cast.charlie))
    assert accepted != went
    assert Team.objects.filter(pk=fenland.pk).exists() == accepted

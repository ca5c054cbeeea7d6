"""Tests of invitations: a membership needs the consent of the person."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.accounts import teams
from leaderboard.accounts.models import Invitation, Membership, User
from leaderboard.accounts.teams import forget_invitations
from leaderboard.annotation import assigning, campaigns, rating
from leaderboard.annotation.models import Rater
from leaderboard.submissions.models import Submission
from tests.support.cast import PASSWORD, Cast

pytestmark = pytest.mark.any_database

TEAM = "/teams/northwood/"
As = Callable[[str], Client]


def invited(as_person: As, typed: str, role: str = "member") -> Invitation:
    page = as_person("alice").post(TEAM + "members/", {"person": typed, "role": role}, follow=True)
    assert f"{typed} is invited." in page.text
    return Invitation.objects.get(typed=typed)


def answered(client: Client, invitation: Invitation, answer: str) -> Any:
    return client.post(f"/account/invitations/{invitation.pk}/", {"answer": answer}, follow=True)


def is_member(name: str) -> bool:
    return Membership.objects.filter(user__username=name, team__slug="northwood").exists()


def shown(client: Client) -> bool:
    return "Invitation to Northwood (northwood)" in client.get("/account/").text


# --- What an owner could do to others ---------------------------------------------------


def test_a_rater_whom_an_owner_invites_keeps_the_items_of_the_team(
    as_person: As, cast: Cast
) -> None:
    published = cast.judged_submission(cast.entrant())
    campaign = campaigns.create_campaign(
        revision=published.revision, title="Helpfulness", user=cast.dora, family_slug="aixbench_nl"
    )
    rows = Submission.objects.filter(pk=published.pk)
    campaigns.add_submissions(campaign=campaign, submissions=rows)
    campaigns.open_campaign(campaign=campaign)
    rater = campaigns.add_rater(campaign=campaign, user=cast.charlie)
    assignment = assigning.take_next(rater=rater, owner="a test")
    before = assigning.items_left(Rater.objects.get(pk=rater.pk)).count()
    assert assignment is not None and before > 0

    as_person("alice").post(TEAM + "members/", {"person": "charlie", "role": "member"})
    assert assigning.items_left(Rater.objects.get(pk=rater.pk)).count() == before
    marks = {criterion.name: 1 for criterion in campaign.criteria}
    rating.save_ratings(assignment=assignment, marks=marks, comments={})


def test_a_namesake_team_does_not_reach_the_forms_of_an_invited_person(
    as_person: As, cast: Cast
) -> None:
    assert cast.rucodeeval
    cast.entrant("Heron 14B", cast.fenland)
    namesake = cast.team("Fenlаnd", owner=cast.alice)  # with a Cyrillic letter
    cast.entrant("Heron 14 B", namesake)
    data = {"person": "charlie", "role": "member"}
    as_person("alice").post(f"/teams/{namesake.slug}/members/", data)
    charlie = as_person("charlie")
    form = charlie.get("/submit/").text
    assert "Heron 14B (Fenland, fenland)" in form
    assert "Heron 14 B" not in form
    assert charlie.get(f"/teams/{namesake.slug}/").status_code == 404
    # The invitation tells the two apart.
    assert f"Invitation to Fenlаnd ({namesake.slug})" in charlie.get("/account/").text
    assert namesake.slug != "fenland"


# --- Who is invited ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed", ["charlie", "Charlie", "charlie@example.org", "Charlie@EXAMPLE.org"]
)
@pytest.mark.parametrize("role", ["member", "owner"])
def test_who_accepts_an_invitation_by_name_or_e_mail_is_in_the_team(
    as_person: As, typed: str, role: str
) -> None:
    invitation = invited(as_person, typed, role)
    assert typed in as_person("alice").get(TEAM).text
    charlie = as_person("charlie")
    assert shown(charlie) and not is_member("charlie")
    page = answered(charlie, invitation, "accept")
    assert page.redirect_chain == [(TEAM, 302)]
    assert Membership.objects.get(user__username="charlie", team__slug="northwood").role == role
    assert not Invitation.objects.exists()
    assert answered(charlie, invitation, "accept").status_code == 404


@pytest.mark.parametrize("step", ["accept", "decline", "remove"])
def test_no_further_invitation_of_the_team_is_left_for_the_person(
    as_person: As, cast: Cast, step: str
) -> None:
    invitation = invited(as_person, "charlie")
    for typed in ("CHARLIE", "charlie@example.org"):
        invited(as_person, typed, "owner")
    for typed in ("dora", "other@example.org"):
        invited(as_person, typed)
    charlie = as_person("charlie")
    if step == "remove":
        member = Membership.objects.create(team=cast.northwood, user=cast.charlie)
        as_person("alice").post(f"{TEAM}members/{member.pk}/remove/")
    else:
        answered(charlie, invitation, step)
    left = Invitation.objects.values_list("typed", flat=True)
    assert set(left) == {"dora", "other@example.org"}
    assert is_member("charlie") is (step == "accept") and not shown(charlie)


def test_inviting_takes_a_confirmed_address(as_person: As, cast: Cast) -> None:
    EmailAddress.objects.filter(user=cast.alice).update(verified=False)
    data = {"person": "charlie@example.org", "role": "member"}
    page = as_person("alice").post(TEAM + "members/", data, follow=True)
    assert page.redirect_chain == [("/account/e-mail/", 302)]
    assert not Invitation.objects.exists()


def test_who_declines_is_not_invited_any_more(as_person: As) -> None:
    invitation = invited(as_person, "charlie")
    charlie = as_person("charlie")
    assert "The invitation is deleted." in answered(charlie, invitation, "decline").text
    assert not shown(charlie) and not is_member("charlie")
    assert "charlie" not in as_person("alice").get(TEAM).text


def test_a_stranger_accepts_after_signing_up_and_confirming_the_address(as_person: As) -> None:
    invitation = invited(as_person, "New.Person@example.org")
    squatter = User.objects.create_user("new.person", "squatter@example.org", PASSWORD)
    EmailAddress.objects.create(user=squatter, email="new.person@example.org", verified=False)
    person = Client()
    person.force_login(squatter)
    assert not shown(person)
    assert answered(person, invitation, "accept").status_code == 404
    EmailAddress.objects.filter(user=squatter).update(verified=True)
    assert shown(person)
    answered(person, invitation, "accept")
    assert is_member("new.person")


def test_who_takes_an_invited_username_later_is_not_invited(as_person: As) -> None:
    invitation = invited(as_person, "erin")
    squatter = User.objects.create_user("erin", "erin@example.org", PASSWORD)
    EmailAddress.objects.create(user=squatter, email="erin@example.org", verified=True)
    client = Client()
    client.force_login(squatter)
    assert not shown(client)
    for answer in ("accept", "decline"):
        assert answered(client, invitation, answer).status_code == 404
    assert Invitation.objects.count() == 1


def test_accepting_takes_a_confirmed_address(as_person: As, cast: Cast) -> None:
    invitation = invited(as_person, "charlie")
    EmailAddress.objects.filter(user=cast.charlie).update(verified=False)
    page = answered(as_person("charlie"), invitation, "accept")
    assert "Confirm your e-mail address, then accept the invitation." in page.text
    assert not is_member("charlie")
    assert Invitation.objects.exists()


def test_an_owner_takes_an_invitation_back(as_person: As) -> None:
    """addresses/table.py: nobody else does."""
    invitation = invited(as_person, "invited@example.org")
    page = answered(as_person("alice"), invitation, "")
    assert page.redirect_chain == [(TEAM, 302)]
    assert not Invitation.objects.exists()


def test_an_owner_does_not_accept_for_the_invited_person(as_person: As) -> None:
    invitation = invited(as_person, "charlie")
    assert answered(as_person("alice"), invitation, "accept").status_code == 404
    assert Invitation.objects.exists() and not is_member("charlie")


def test_an_invitation_that_an_owner_has_taken_back_is_not_accepted(
    as_person: As, cast: Cast
) -> None:
    """The second of two steps at once: charlie's page was loaded before an owner took it back."""
    invitation = invited(as_person, "charlie")
    Invitation.objects.all().delete()
    assert not teams.accept(invitation=invitation, user=cast.charlie)
    assert not is_member("charlie")


def test_an_invitation_ends_after_thirty_days(as_person: As) -> None:
    invitation = invited(as_person, "charlie")
    rows, charlie = Invitation.objects.all(), as_person("charlie")
    rows.update(created=timezone.now() - timedelta(days=30, minutes=-1))
    forget_invitations()
    assert shown(charlie)
    rows.update(created=timezone.now() - timedelta(days=30, minutes=1))
    assert not shown(charlie)
    assert "charlie" not in as_person("alice").get(TEAM).text
    assert answered(charlie, invitation, "accept").status_code == 404
    # Sent again, it has thirty days more.
    assert invited(as_person, "charlie", "owner").pk == invitation.pk
    assert shown(charlie)
    rows.update(created=timezone.now() - timedelta(days=31))
    forget_invitations()
    assert not rows.exists()


# --- What sending tells -----------------------------------------------------------------


def without(text: str, typed: str) -> str:
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)
    return text.replace(typed, "").replace(typed.lower(), "")


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        ("charlie", "nobody1"),
        ("charlie@example.org", "nobody1@example.org"),
        ("bob", "nobody1"),  # in the team
        ("bob@example.org", "nobody1@example.org"),
    ],
)
def test_sending_is_the_same_whether_or_not_there_is_an_account(
    as_person: As, known: str, unknown: str, mailoutbox: list[Any]
) -> None:
    client, answers, queries = as_person("alice"), [], []
    numbers = re.compile(r"/invitations/\d+/")
    for typed in (known, unknown):
        with CaptureQueriesContext(connection) as captured:
            sent = client.post(TEAM + "members/", {"person": typed, "role": "member"})
        queries.append([query["sql"].split()[0] for query in captured])
        # A member's own row is on the page in both cases.
        page = client.get(TEAM).text.split("Invite a member")[1]
        answers.append((sent.status_code, numbers.sub("", without(page, typed))))
        Invitation.objects.all().delete()
    assert answers[0] == answers[1]
    assert queries[0] == queries[1]


def test_the_mail_goes_to_the_typed_or_the_confirmed_address(
    as_person: As, cast: Cast, mailoutbox: list[Any]
) -> None:
    for typed in ("new@example.org", "charlie", "nobody1"):
        invited(as_person, typed)
    EmailAddress.objects.filter(user=cast.charlie).update(verified=False)
    invited(as_person, "charlie")
    assert [mail.to for mail in mailoutbox] == [["new@example.org"], ["charlie@example.org"]]
    text = mailoutbox[0].body
    assert "Northwood (northwood)" in text
    assert "http://testserver/account/" in text
    assert "Northwood" not in mailoutbox[0].subject  # any name would reach any mailbox


@pytest.mark.parametrize("typed", ["", "@", "two@@example.org", "x" * 255])
def test_what_is_no_name_and_no_address_is_refused(as_person: As, typed: str) -> None:
    page = as_person("alice").post(TEAM + "members/", {"person": typed, "role": "member"})
    assert (page.status_code, list(page.context["add"].errors)) == (422, ["person"])
    assert not Invitation.objects.exists()

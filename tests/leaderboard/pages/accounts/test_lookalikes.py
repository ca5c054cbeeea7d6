"""Tests of names that readers could take for another team's, and of confirmed organisations."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from evaluation.work import actions
from leaderboard.accounts.models import Entrant, Membership, OrganisationDomain, Team
from leaderboard.accounts.names import mark_entrants
from leaderboard.accounts.teams import create_entrant, free_entrant_name
from leaderboard.pages.accounts.forms import free_team_name
from leaderboard.submissions.models import Submission
from leaderboard.submissions.publishing import NotPublishable
from tests.support.cast import Cast, confirmed_user

pytestmark = pytest.mark.any_database

LOOKALIKE = "В\u0456rch"  # Cyrillic


@pytest.fixture
def birch(cast: Cast) -> Entrant:
    """A published entrant of Fenland."""
    entrant = cast.entrant("Birch", cast.fenland)
    cast.judged_submission(entrant)
    return entrant


def published(submission: Submission) -> bool:
    try:
        actions.publish_submission(submission=submission)
    except NotPublishable:
        return False
    return True


def unpublished(cast: Cast, name: str, **facts: str) -> Submission:
    entrant = Entrant(team=cast.northwood, name=name, slug="another", **facts)
    entrant.save()
    return cast.judged_submission(entrant, publish=False)


def test_a_lookalike_waits_for_staff_and_an_equal_name_does_not(cast: Cast, birch: Entrant) -> None:
    submission = unpublished(cast, LOOKALIKE)
    assert not published(submission)
    entrant = submission.entrant
    entrant.name = "birch"
    entrant.save()
    assert published(submission)


def test_a_name_of_two_scripts_passes(cast: Cast, birch: Entrant) -> None:
    assert published(unpublished(cast, "Сова Birch"))


def test_a_lookalike_passes_if_its_team_has_the_other_name(cast: Cast, birch: Entrant) -> None:
    entrant = cast.entrant(LOOKALIKE, cast.fenland)
    assert published(cast.judged_submission(entrant, publish=False))


def test_a_published_entrant_is_not_renamed_to_a_lookalike(cast: Cast, birch: Entrant) -> None:
    submission = unpublished(cast, "Maple")
    assert free_entrant_name(LOOKALIKE, submission.entrant) == LOOKALIKE
    assert published(submission)
    with pytest.raises(ValidationError, match="looks alike"):
        free_entrant_name(LOOKALIKE, submission.entrant)


def test_rows_with_equal_names_show_their_teams(cast: Cast, client: Client, birch: Entrant) -> None:
    cast.publish(unpublished(cast, "Birch"))
    mark_entrants()
    names = set(Entrant.objects.values_list("told_apart_by", flat=True))
    assert names == {"Northwood", "Fenland"}
    board = cast.rucodeeval.get_absolute_url()
    compared = f"/compare/{cast.rucodeeval.slug}/?entrant=birch&entrant=another"
    task = f"{board}tasks/1/"
    for page in (board, "/entrants/", "/", compared, task, f"{board}board.csv", f"{board}board.md"):
        text = client.get(page).text
        assert "Birch · Northwood" in text, page
        assert "Birch · Fenland" in text, page
    birch.delete()
    mark_entrants()
    assert Entrant.objects.get().told_apart_by == ""


@pytest.mark.parametrize("name", ["Birch · Fenland", "Birch \u2022 Fenland", "Birch\u00a0\u30fb x"])
def test_no_name_looks_like_one_with_its_team(cast: Cast, name: str) -> None:
    for facts in ({"name": name}, {"name": "Larch", "organisation": name}):
        with pytest.raises(ValidationError):
            create_entrant(entrant=Entrant(team=cast.northwood, **facts))


def test_only_a_members_address_confirms_an_organisation(cast: Cast, client: Client) -> None:
    cast.publish(unpublished(cast, "Birch", organisation="Northwood Labs"))
    OrganisationDomain.objects.create(domain="labs.example.org", organisation="northwood labs")

    def is_marked() -> bool:
        mark_entrants()
        return Entrant.objects.get().organisation_confirmed

    assert not is_marked()
    # A long s is another letter of a domain.
    for name, domain in (("erin", "xlabs.example.org"), ("gina", "labſ.example.org")):
        member = confirmed_user(name, f"{name}@{domain}")
        Membership.objects.create(team=cast.northwood, user=member)
        assert not is_marked()
    member = confirmed_user("frank", "frank@labs.example.org")
    membership = Membership.objects.create(team=cast.northwood, user=member)
    assert is_marked()
    mark = 'Northwood Labs <span class="confirmed"'
    assert mark in client.get(reverse("entrants")).text
    entrant = Entrant.objects.get()
    entrant.organisation = "Others (confirmed)"
    entrant.save()
    assert not is_marked()
    assert 'class="confirmed"' not in client.get(reverse("entrants")).text
    entrant.organisation = "Northwood Labs"
    entrant.save()
    assert is_marked()
    membership.delete()
    assert not is_marked()


def decide(client: Client, row: Team | Entrant, **data: str) -> int:
    kind = "team" if isinstance(row, Team) else "entrant"
    page = reverse(f"admin:accounts_{kind}_name", args=[row.pk])
    return client.post(page, {"reason": "It is not yours.", **data}).status_code


def test_staff_allow_a_lookalike_and_the_team_is_told(
    cast: Cast, client: Client, birch: Entrant
) -> None:
    submission = unpublished(cast, LOOKALIKE)
    client.force_login(cast.dora)
    page = reverse("admin:accounts_entrant_name", args=[submission.entrant_id])
    assert "Fenland" in client.get(page).text
    waiting = client.get(reverse("admin:accounts_entrant_changelist"), {"name": "waits"}).text
    assert page in waiting
    assert reverse("admin:accounts_entrant_name", args=[birch.pk]) not in waiting
    assert "1 name looks like" in client.get(reverse("admin-overview")).text
    assert decide(client, submission.entrant, allow="1") == 302
    assert published(submission)
    told = [address for letter in mail.outbox for address in letter.to]
    assert sorted(told) == [cast.alice.email, cast.bob.email]
    assert "It is not yours." in mail.outbox[0].body


def test_staff_rename_and_lock_a_name(cast: Cast, client: Client, birch: Entrant) -> None:
    client.force_login(cast.dora)
    cast.entrant("Alder", cast.fenland)
    page = reverse("admin:accounts_entrant_name", args=[birch.pk])
    taken = client.post(page, {"rename": "1", "name": "Alder", "reason": "It is rude."}).text
    assert "<b>Birch</b>" in taken and "<b>Alder</b>" not in taken
    for refused in ("assay", "", "Alder"):
        assert decide(client, birch, rename="1", name=refused) == 200, refused
    assert decide(client, birch, rename="1", name="Fenland 1", locked="on") == 302
    birch.refresh_from_db()
    assert (birch.name, birch.slug, birch.name_locked) == ("Fenland 1", "fenland-1", True)
    assert "cannot change it" in mail.outbox[0].body
    assert client.get(page).context["form"].initial == {"name": "Fenland 1", "locked": True}
    assert decide(client, birch, rename="1", name="Fenland 1") == 302
    birch.refresh_from_db()
    assert (birch.name, birch.slug, birch.name_locked) == ("Fenland 1", "fenland-1", False)
    assert 'decided on the name "Fenland 1"' in mail.outbox[-1].body
    assert decide(client, birch, rename="1", name="Fenland 1", locked="on") == 302
    client.force_login(cast.charlie)
    address = reverse("entrant-edit", args=[birch.slug])
    assert "staff chose this name" in client.get(address).text
    assert "staff chose this name" in client.post(address, {"name": "Birch"}).text
    assert client.post(address, {"name": "Fenland 1"}).status_code == 302


def test_no_two_teams_have_names_that_look_alike(cast: Cast, client: Client) -> None:
    lookalike = "N\u043erthwood"  # Cyrillic
    assert free_team_name("NORTHWOOD", cast.northwood) == "NORTHWOOD"
    with pytest.raises(ValidationError, match="looks alike"):
        free_team_name(lookalike)
    client.force_login(cast.dora)
    assert decide(client, cast.fenland, rename="1", name=lookalike) == 200


def test_staff_hide_the_name_of_a_team(cast: Cast, client: Client) -> None:
    client.force_login(cast.dora)
    team = cast.northwood
    assert decide(client, team, hide="1") == 302
    team.refresh_from_db()
    assert re.fullmatch(r"team-\w{5}", team.name)
    assert team.name == team.slug
    client.force_login(cast.alice)
    client.post(reverse("team-rename", args=[team.slug]), {"name": "Northwood"})
    team.refresh_from_db()
    assert team.name == "Northwood"
    team.name_locked = True
    team.save()
    assert "staff chose this name" in client.get(team.get_absolute_url()).text
    client.post(reverse("team-rename", args=[team.slug]), {"name": "Southwood"})
    team.refresh_from_db()
    assert team.name == "Northwood"


def test_a_team_without_mail_reads_the_reason_while_the_decision_stands(
    cast: Cast, client: Client, birch: Entrant
) -> None:
    EmailAddress.objects.filter(user=cast.charlie).update(verified=False)
    team = cast.fenland.get_absolute_url()
    client.force_login(cast.dora)
    assert decide(client, birch, hide="1") == 302
    assert "The decision is stored. 0 members get an e-mail." in client.get("/admin/").text
    client.force_login(cast.charlie)
    assert "It is not yours." in client.get(team).text
    birch.refresh_from_db()
    birch.name = "Heron"
    birch.save()
    assert "It is not yours." not in client.get(team).text
    client.force_login(cast.dora)
    assert decide(client, cast.fenland, name="Fenwick") == 302
    client.force_login(cast.charlie)
    cast.fenland.refresh_from_db()
    page = client.get(cast.fenland.get_absolute_url())
    assert "decided on the name Fenwick: It is not yours." in page.text
    client.force_login(cast.dora)
    assert decide(client, birch, allow="1") == 302
    client.force_login(cast.charlie)
    assert "the name Heron" not in client.get(cast.fenland.get_absolute_url()).text


def test_only_staff_with_the_right_decide(cast: Cast, client: Client, birch: Entrant) -> None:
    page = reverse("admin:accounts_entrant_name", args=[birch.pk])
    erin = confirmed_user("erin", "erin@example.org", is_staff=True)
    for user, status in ((None, 302), (cast.alice, 302), (erin, 403)):
        if user:
            client.force_login(user)
        assert client.get(page).status_code == status
        assert decide(client, birch, hide="1") == status
    birch.refresh_from_db()
    assert birch.name == "Birch"

"""Tests of the export of an account, and of its deletion."""

import json
import time
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from auditlog.models import LogEntry
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, models
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.work import actions
from evaluation.work.deleting import remove_entrants
from evaluation.work.leaving import delete_account
from leaderboard.accounts import teams
from leaderboard.accounts.models import Entrant, Invitation, Membership, Team, User
from leaderboard.accounts.teams import LastOwner
from leaderboard.annotation import assigning, campaigns, rating
from leaderboard.annotation.models import Campaign, Draft, Rating
from leaderboard.generation.models import Run, RunKey, RunState
from leaderboard.mail.models import OutgoingMail
from leaderboard.pages.accounts.export import SECTIONS
from leaderboard.submissions.intake import forget_files, remove_leftovers
from leaderboard.submissions.models import Generation, LedgerEntry, Submission, Upload, UploadState
from tests.support.cast import PASSWORD, Cast, predictions
from tests.support.ordering import ordered

EXPORT, DELETE = "/account/export/", "/account/delete/"
As = Callable[[str], Client]
SURE = {"password": PASSWORD, "sure": "on"}


@pytest.fixture(autouse=True)
def allowed(settings: Settings) -> None:
    settings.ENDPOINT_RUNS = 1
    settings.KEY_SECRETS = ["a secret of more than 32 characters"]


def uploaded(cast: Cast, entrant: Entrant, user: User) -> Upload:
    assert cast.rucodeeval.current is not None
    name = f"of-{user.username}.jsonl"
    return actions.submit_file(
        user=user, entrant=entrant, revision=cast.rucodeeval.current, setting="base",
        file=SimpleUploadedFile(name, predictions(cast.rucodeeval)),
    )  # fmt: skip


def rated(cast: Cast, submission: Submission, *people: User) -> None:
    """Each person marks one item, and begins another."""
    campaign = campaigns.create_campaign(
        revision=submission.revision, title="Helpfulness", user=cast.dora,
        family_slug="aixbench_nl", per_item=3,
    )  # fmt: skip
    rows = Submission.objects.filter(pk=submission.pk)
    campaigns.add_submissions(campaign=campaign, submissions=rows)
    campaigns.open_campaign(campaign=campaign)
    marks = {criterion.name: 1 for criterion in campaign.criteria}
    for person in people:
        rater = campaigns.add_rater(campaign=campaign, user=person)
        comments = dict.fromkeys(marks, f"comment of {person.username}")
        first = assigning.take_next(rater=rater, owner="a test")
        assert first is not None
        rating.save_ratings(assignment=first, marks=marks, comments=comments)
        second = assigning.take_next(rater=rater, owner="a test")
        assert second is not None
        comments = dict.fromkeys(marks, f"draft of {person.username}")
        rating.save_draft(assignment=second, version=0, marks=marks, comments=comments)


# --- Export -----------------------------------------------------------------------------


@pytest.mark.any_database
def test_the_export_has_what_the_person_did_and_nothing_of_others(
    as_person: As, cast: Cast
) -> None:
    larch = cast.entrant("Larch Coder 32B")
    heron = cast.entrant("Heron 14B", cast.fenland)
    for entrant, user in ((larch, cast.alice), (larch, cast.bob), (heron, cast.charlie)):
        uploaded(cast, entrant, user)
    ordered(cast, entrant=larch)
    published = cast.judged_submission(larch)
    rated(cast, published, cast.charlie, cast.dora)
    teams.invite(team=cast.northwood, typed="charlie", role="member")
    teams.invite(team=cast.northwood, typed="else@example.org", role="member")

    answer = as_person("charlie").get(EXPORT)
    assert answer.streaming
    assert answer["Content-Disposition"] == 'attachment; filename="account.json"'
    text = answer.getvalue().decode()
    held = json.loads(text)
    [account] = held["account"]
    assert (account["username"], account["email"]) == ("charlie", "charlie@example.org")
    assert held["addresses"] == [
        {"email": "charlie@example.org", "verified": True, "primary": True}
    ]
    assert held["memberships"] == [
        {"team__name": "Fenland", "team__slug": "fenland", "role": "owner"}
    ]
    assert [row["team__slug"] for row in held["invitations"]] == ["northwood"]
    assert [row["name"] for row in held["uploads"]] == ["of-charlie.jsonl"]
    assert (held["submissions"], held["runs"]) == ([], [])
    assert {row["comment"] for row in held["ratings"]} == {"comment of charlie"}
    assert [set(row["comments"].values()) for row in held["drafts"]] == [{"draft of charlie"}]
    for other in ("alice", "bob", "dora", "else@example.org", "Larch", cast.charlie.password):
        assert other not in text, other

    theirs = json.loads(as_person("alice").get(EXPORT).getvalue())
    assert [row["pk"] for row in theirs["submissions"]] == [published.pk]
    assert [row["user"] for row in Run.objects.values("user")] == [cast.alice.pk]
    assert len(theirs["runs"]) == 1
    assert theirs["ratings"] == []


@pytest.mark.any_database
def test_who_left_a_team_does_not_read_its_names_in_the_export(as_person: As, cast: Cast) -> None:
    larch = cast.entrant("Larch Coder 32B")
    uploaded(cast, larch, cast.bob)
    Membership.objects.filter(user=cast.bob).delete()
    Entrant.objects.update(name="A secret name")
    text = as_person("bob").get(EXPORT).getvalue().decode()
    assert "of-bob.jsonl" in text
    assert not any(name in text for name in ("A secret name", "Larch", "Northwood"))


def test_every_row_that_names_a_person_is_exported_or_left_out_on_purpose() -> None:
    """Decisions of staff are about others. Changes of marks repeat marks."""
    left_out = {
        "accounts.Invitation",  # by its own rule
        "admin.LogEntry", "annotation.Campaign", "annotation.CampaignChange",
        "annotation.MarkChange", "benchmarks.TaskExclusion",
        "auditlog.LogEntry", "evaluation.Review", "submissions.Copy",
    }  # fmt: skip
    naming = {
        model._meta.label
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey) and field.related_model is User
    }
    exported = {model for _name, model, _lookup, _columns in SECTIONS}
    assert naming - exported == left_out & {model._meta.label for model in apps.get_models()}


# --- Who may delete ---------------------------------------------------------------------


@pytest.mark.any_database
def test_deletion_takes_the_password_and_a_confirmation(as_person: As) -> None:
    client = as_person("bob")
    wrong = [{}, {"sure": "on"}, {"password": PASSWORD}, SURE | {"password": "wrong"}]
    assert [client.post(DELETE, data).status_code for data in wrong] == [422] * 4
    assert client.get(DELETE).status_code == 200
    assert User.objects.filter(username="bob").exists()
    page = client.post(DELETE, SURE, follow=True)
    assert page.redirect_chain == [("/", 302)]
    assert "Your account is deleted." in page.text
    assert not User.objects.filter(username="bob").exists()
    assert not EmailAddress.objects.filter(email="bob@example.org").exists()


@pytest.mark.any_database
def test_a_stolen_session_does_not_guess_the_password_on_the_page(as_person: As) -> None:
    client = as_person("bob")
    wrong = SURE | {"password": "guess"}
    assert [client.post(DELETE, wrong).status_code for _ in range(22)] == [422] * 20 + [429] * 2
    assert client.post(DELETE, SURE).status_code == 429
    # Others are not held up.
    assert as_person("charlie").post(DELETE, SURE).status_code == 302


@pytest.mark.any_database
def test_an_account_without_a_password_takes_a_sign_in_of_the_last_minutes(
    as_person: As, cast: Cast
) -> None:
    cast.bob.set_unusable_password()
    cast.bob.save()
    client = as_person("bob")

    def signed_in(seconds_ago: float) -> int:
        session = client.session
        session["account_authentication_methods"] = [{"at": time.time() - seconds_ago}]
        session["account_authentication_methods_user"] = str(cast.bob.pk)
        session.save()
        return client.post(DELETE, {"sure": "on"}).status_code

    assert client.post(DELETE, {"sure": "on"}).status_code == 422
    assert [signed_in(301), signed_in(10)] == [422, 302]


@pytest.mark.any_database
def test_all_sessions_of_the_person_end(as_person: As) -> None:
    here, elsewhere, other = as_person("bob"), as_person("bob"), as_person("alice")
    here.post(DELETE, SURE)
    assert [client.get("/account/").status_code for client in (here, elsewhere, other)] == [
        302, 302, 200,
    ]  # fmt: skip


@pytest.mark.any_database
def test_the_last_superuser_stays(as_person: As, cast: Cast) -> None:
    client = as_person("dora")
    User.objects.create_superuser("closed", "closed@example.org", PASSWORD, is_active=False)
    page = client.post(DELETE, SURE)
    assert (page.status_code, "You are the last superuser." in page.text) == (422, True)
    User.objects.create_superuser("erin", "erin@example.org", PASSWORD)
    assert client.post(DELETE, SURE).status_code == 302


# --- Successors -------------------------------------------------------------------------


@pytest.mark.any_database
def test_the_last_owner_names_a_successor_first(as_person: As, cast: Cast) -> None:
    client = as_person("alice")
    assert "New owner of Northwood (northwood)" in client.get(DELETE).text
    bob, alice, charlie = (
        Membership.objects.get(user__username=n).pk for n in ("bob", "alice", "charlie")
    )
    field = f"team-{cast.northwood.pk}"
    for chosen in ("", str(alice), str(charlie)):
        assert client.post(DELETE, SURE | {field: chosen}).status_code == 422
    assert client.post(DELETE, SURE | {field: str(bob)}).status_code == 302
    assert list(cast.northwood.memberships.values_list("user__username", "role")) == [
        ("bob", "owner")
    ]


@pytest.mark.any_database
def test_a_member_and_one_of_two_owners_name_nobody(as_person: As, cast: Cast) -> None:
    assert "New owner" not in as_person("bob").get(DELETE).text
    Membership.objects.filter(user=cast.bob).update(role="owner")
    client = as_person("alice")
    assert "New owner" not in client.get(DELETE).text
    assert client.post(DELETE, SURE).status_code == 302


def test_the_second_of_two_owners_who_delete_at_once_names_a_successor(cast: Cast) -> None:
    """Both loaded the page while the other one was an owner."""
    Membership.objects.create(team=cast.northwood, user=cast.charlie, role="owner")
    delete_account(user=cast.alice, successors={})
    with pytest.raises(LastOwner):
        delete_account(user=cast.charlie, successors={})
    own = Membership.objects.get(user=cast.charlie)
    with pytest.raises(LastOwner):
        delete_account(user=cast.charlie, successors={cast.northwood.pk: own.pk})
    assert User.objects.filter(pk=cast.charlie.pk).exists()


# --- What goes and what stays -----------------------------------------------------------


@pytest.mark.any_database
def test_what_a_person_did_for_others_stays_without_the_name(as_person: As, cast: Cast) -> None:
    larch = cast.entrant()
    private = cast.judged_submission(larch, publish=False)
    Submission.objects.update(user=cast.bob)
    upload = uploaded(cast, larch, cast.bob)
    rated(cast, cast.judged_submission(cast.entrant("Heron", cast.fenland)), cast.bob)
    before = set(Rating.objects.values_list("value", "comment"))
    as_person("bob").post(DELETE, SURE)
    assert Submission.objects.get(pk=private.pk).user is None
    assert Upload.objects.get(pk=upload.pk).user is None
    assert Upload.objects.get(pk=upload.pk).state == UploadState.RECEIVED
    assert set(Rating.objects.values_list("value", "comment")) == before
    assert not Draft.objects.exists()
    text = "".join(as_person("dora").get(url).text for url in ("/admin/accounts/user/",))
    assert "bob" not in text
    # Pages and marks of raters without an account.
    campaign = Campaign.objects.get()
    for page in ("campaign-raters", "campaign-marks", "campaign-items", "campaign"):
        assert as_person("dora").get(reverse(page, args=[campaign.pk])).status_code == 200
    rater = campaign.raters.get()
    assert (
        as_person("dora")
        .get(reverse("campaign-rater", args=[campaign.pk, rater.number]))
        .status_code
        == 200
    )


@pytest.mark.any_database
def test_a_team_without_other_members_keeps_what_the_public_saw(as_person: As, cast: Cast) -> None:
    larch, secret = cast.entrant("Larch"), cast.entrant("Secret", organisation="Secret")
    published = cast.judged_submission(larch)
    withdrawn = cast.judged_submission(cast.entrant("Elm"))
    actions.withdraw_submission(submission=withdrawn)
    private = cast.judged_submission(secret, publish=False)
    marked = cast.judged_submission(secret, publish=False)
    judging = cast.submission(secret)
    evaluation = actions.open_evaluation(submission=judging)
    rated(cast, marked, cast.charlie)
    upload, run = uploaded(cast, secret, cast.alice), ordered(cast, entrant=secret)
    teams.invite(team=cast.northwood, typed="erin", role="member")
    theirs = cast.judged_submission(cast.entrant("Heron", cast.fenland), publish=False)
    entries = LedgerEntry.objects.filter(team=cast.northwood)
    numbers = entries.count()
    assert entries.filter(submission=private).exists()
    Membership.objects.filter(user=cast.bob).delete()
    assert RunKey.objects.exists()

    client = as_person("alice")
    assert "Northwood (northwood), in which nobody else is" in client.get(DELETE).text
    assert client.post(DELETE, SURE).status_code == 302
    evaluation = Evaluation.objects.get(pk=evaluation.pk)
    assert evaluation.state == EvaluationState.CANCELLED
    # Gone from every page at once; the reconciler removes the rows.
    # The withdrawn one is in an edition of its board.
    kept = {published.pk, withdrawn.pk, marked.pk, theirs.pk}
    assert set(Submission.objects.values_list("pk", flat=True)) == kept
    remove_leftovers()
    forget_files()
    left = set(Submission.with_unfinished.values_list("pk", flat=True))
    assert left == kept
    assert set(Generation.with_unfinished.values_list("submission", flat=True)) == left
    assert not Verdict.objects.exclude(evaluation__submission__in=left).exists()
    assert entries.count() == numbers
    upload.refresh_from_db()
    assert (upload.state, bool(upload.file)) == (UploadState.DISCARDED, False)
    run.refresh_from_db()
    assert (run.state, RunKey.objects.exists()) == (RunState.STOPPED, False)
    assert not Invitation.objects.exists()
    names = Entrant.objects.filter(team=cast.northwood).values_list("name", "organisation")
    assert ("Larch", "Northwood") in names
    for url in ("/benchmarks/rucodeeval/", published.get_absolute_url()):
        assert "Larch" in Client().get(url).text
    assert "Northwood" in Client().get(reverse("team-results", args=["northwood"])).text


@pytest.mark.any_database
def test_a_team_that_did_nothing_goes_with_its_only_member(as_person: As, cast: Cast) -> None:
    as_person("charlie").post(DELETE, SURE)
    assert not Team.objects.filter(slug="fenland").exists()


@pytest.mark.any_database
def test_an_entrant_without_a_published_result_loses_its_name(as_person: As, cast: Cast) -> None:
    secret = cast.entrant("Secret", cast.fenland, link="https://example.org/secret")
    as_person("charlie").post(DELETE, SURE)
    assert not Entrant.objects.exists()
    left = Entrant.with_deleted.get(pk=secret.pk)
    assert left.team == cast.fenland
    assert left.name == left.slug and left.name.startswith("deleted-")
    assert (left.organisation, left.link) == ("", "")
    # Once they are removed, the team's name is free.
    remove_entrants()
    assert not Team.objects.filter(slug="fenland").exists()


def test_no_row_goes_with_the_account_but_the_persons_own() -> None:
    """Every other row that names the person is science or a record, and stays without the name."""
    cascading = {
        model._meta.label
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey)
        and field.related_model is User
        and field.remote_field.on_delete is models.CASCADE
    }
    own = {"account.EmailAddress", "accounts.Membership", "accounts.Token", "admin.LogEntry"}
    own |= {"mfa.Authenticator", "socialaccount.SocialAccount", "usersessions.UserSession"}
    assert cascading == own & {model._meta.label for model in apps.get_models()}


def everything_stored() -> str:
    """Every column of every table, sessions and mail decoded."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows = [
            cursor.execute(f'SELECT * FROM "{table}"') and cursor.fetchall() for table in tables
        ]
    sessions = [session.get_decoded() for session in Session.objects.all()]
    mail = [bytes(row.content).decode() for row in OutgoingMail.objects.all()]
    return repr((rows, sessions, mail)).lower()


@pytest.mark.any_database
@pytest.mark.parametrize("by_staff", [False, True], ids=["by the person", "by staff"])
def test_no_table_keeps_a_trace_of_the_person(
    as_person: As, cast: Cast, settings: Settings, by_staff: bool
) -> None:
    settings.EMAIL_BACKEND = "leaderboard.mail.outbox.Outbox"
    name, address, client_address = "Zebedee", "zebedee.q@example.org", "203.0.113.77"
    alice, dora = as_person("alice"), as_person("dora")
    client = Client(REMOTE_ADDR=client_address)
    invite = reverse("member-add", args=[cast.northwood.slug])
    sign_up = {"username": name, "email": address, "password1": PASSWORD, "password2": PASSWORD}
    for typed in (name, name.upper(), address):
        alice.post(invite, {"person": typed, "role": "member"})
    assert client.post("/sign-up/", sign_up).status_code == 302
    user = User.objects.get(username=name)
    page = reverse("admin:accounts_user_change", args=[user.pk])
    inline = "emailaddress_set"
    form = {
        "username": name, "email": address, "is_active": "on", "is_staff": "on",
        "date_joined_0": "2026-01-01", "date_joined_1": "10:00",
        f"{inline}-TOTAL_FORMS": "2", f"{inline}-INITIAL_FORMS": "1",
        f"{inline}-0-id": EmailAddress.objects.get(user=user).pk, f"{inline}-0-user": user.pk,
        f"{inline}-0-email": address, f"{inline}-0-verified": "on",
        f"{inline}-1-user": user.pk, f"{inline}-1-email": "second." + address,
    }  # fmt: skip
    assert dora.post(page, form).status_code == 302
    for answer in ("decline", "accept"):
        for typed in (name, address.upper()):
            alice.post(invite, {"person": typed, "role": "member"})
        invitations = Invitation.objects.addressed_to(user)
        assert len(invitations) > 1
        url = reverse("invitation-answer", args=[invitations[0].pk])
        assert client.post(url, {"answer": answer}).status_code == 302
    member = Membership.objects.get(user=user)
    alice.post(reverse("member-role", args=[cast.northwood.slug, member.pk]), {"role": "owner"})
    alice.post(reverse("member-remove", args=[cast.northwood.slug, member.pk]))
    for typed in (name, address):
        alice.post(invite, {"person": typed, "role": "member"})
    client.get(reverse("admin:accounts_user_changelist"))
    Client(REMOTE_ADDR=client_address).post("/sign-in/", {"login": name, "password": PASSWORD})
    Client().post("/password-reset/", {"email": address})
    before = everything_stored()
    traces = (name.lower(), address, client_address)
    assert [trace for trace in traces if trace not in before] == []
    records = {*LogEntry.objects.values_list("pk", flat=True)}
    if by_staff:
        page = reverse("admin:accounts_user_delete", args=[user.pk])
        assert dora.post(page, {"post": "yes"}).status_code == 302
    else:
        assert client.post(DELETE, SURE).status_code == 302
    after = everything_stored()
    assert [trace for trace in traces if trace in after] == []
    assert records <= {*LogEntry.objects.values_list("pk", flat=True)}


@pytest.mark.any_database
def test_mail_to_an_address_that_another_account_claims_stays(as_person: As, cast: Cast) -> None:
    cast.charlie.email = cast.bob.email.upper()
    cast.charlie.save()
    EmailAddress.objects.filter(user=cast.charlie).update(email=cast.bob.email, verified=False)
    mail = OutgoingMail.objects.create(content=b"", recipients=[cast.bob.email])
    assert as_person("charlie").post(DELETE, SURE).status_code == 302
    assert OutgoingMail.objects.filter(pk=mail.pk).exists()
    assert as_person("bob").post(DELETE, SURE).status_code == 302
    assert not OutgoingMail.objects.exists()


@pytest.mark.any_database
def test_staff_delete_no_last_owner(as_person: As, cast: Cast) -> None:
    page = reverse("admin:accounts_user_delete", args=[cast.alice.pk])
    answer = as_person("dora").post(page, {"post": "yes"}, follow=True)
    change = reverse("admin:accounts_user_change", args=[cast.alice.pk])
    assert answer.redirect_chain == [(change, 302)]
    assert "Make another member an owner first." in answer.text
    assert User.objects.filter(pk=cast.alice.pk).exists()

"""E-mail addresses: confirmed, changed, claimed by several accounts and owned by one."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import User
from leaderboard.accounts.teams import person_named
from tests.support.cast import PASSWORD, Cast

pytestmark = pytest.mark.any_database


def sign_up(client: Client, name: str, email: str) -> User:
    data = {"username": name, "email": email, "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/sign-up/", data).status_code == 302
    return User.objects.get(username=name)


def link_in(message: mail.EmailMessage) -> str:
    link = re.search(r"https?://testserver(/(?:account|password-reset)/\S+)", message.body)
    assert link is not None, message.body
    return link[1]


@pytest.mark.parametrize("page", ["/submit/", "/runs/new/"])
def test_without_a_confirmed_e_mail_nothing_is_uploaded_or_ordered(
    client: Client, cast: Cast, settings: Settings, page: str
) -> None:
    settings.ENDPOINT_RUNS = 1
    eve = sign_up(client, "eve", "eve@example.org")
    for answer in (client.get(page, follow=True), client.post(page, follow=True)):
        assert answer.redirect_chain == [("/account/e-mail/", 302)]
        assert "Confirm your e-mail first" in answer.text
        assert 'name="action_send"' in answer.text
    client.post(link_in(mail.outbox[-1]))
    assert eve.confirmed
    assert client.get(page).status_code == 200


def test_who_never_confirms_an_address_does_not_block_its_owner(client: Client, cast: Cast) -> None:
    squatter = sign_up(client, "squatter", "eve@example.org")
    assert person_named("eve@example.org") is None
    owner_client = Client()
    owner = sign_up(owner_client, "eve", "eve@example.org")
    owner_client.post(link_in(mail.outbox[-1]))
    assert owner.confirmed
    assert person_named("Eve@Example.org") == owner
    # The squatter's own link does nothing now, even for whoever has it.
    client.post(link_in(mail.outbox[0]))
    assert not squatter.confirmed
    mail.outbox.clear()
    client.post("/password-reset/", {"email": "eve@example.org"})
    (message,) = mail.outbox
    assert "eve" in message.body
    assert "squatter" not in message.body


Claims = list[tuple[str, bool, bool]]


@pytest.mark.parametrize(
    ("claims", "receives_link"),
    [
        ([("primary", True, True)], True),
        ([("primary", False, True)], True),
        ([("second", True, True)], True),
        ([("second", False, True)], False),
        ([("primary", False, True), ("primary", False, True)], False),
        ([("primary", False, True), ("second", False, True)], False),
        ([("primary", True, True), ("primary", False, True)], True),
        ([("primary", True, False)], False),
        ([("primary", True, False), ("primary", False, True)], False),
        ([], False),
    ],
)
def test_a_reset_opens_no_account_that_may_be_a_strangers(
    client: Client, cast: Cast, claims: Claims, receives_link: bool
) -> None:
    """`claims`: whether the address is an account's first, is confirmed, and the account active.
    Only the first account may receive a link."""
    for number, (place, verified, active) in enumerate(claims):
        email = "eve@example.org" if place == "primary" else f"{number}@example.org"
        user = User.objects.create(username=f"user-{number}", email=email, is_active=active)
        user.set_password(PASSWORD)
        user.save()
        user.emailaddress_set.create(email="eve@example.org", verified=verified)
    answer = client.post("/password-reset/", {"email": "Eve@example.org"})
    assert (answer.status_code, answer["Location"]) == (302, "/password-reset/sent/")
    (message,) = mail.outbox
    assert message.to == ["eve@example.org"]
    assert ("/password-reset/" in message.body) is receives_link
    assert ("user-0" in message.body) is receives_link


def test_signing_up_with_a_taken_address_is_answered_as_with_a_free_one(
    client: Client, cast: Cast
) -> None:
    assert cast.alice.confirmed
    locations = []
    for name, email in (("eve", "eve@example.org"), ("mallory", cast.alice.email)):
        data = {"username": name, "email": email, "password1": PASSWORD, "password2": PASSWORD}
        answer = Client().post("/sign-up/", data)
        locations.append((answer.status_code, answer["Location"]))
    assert len(set(locations)) == 1
    assert [message.subject for message in mail.outbox] == [mail.outbox[0].subject] * 2
    assert person_named(cast.alice.email) == cast.alice


def test_a_new_address_takes_the_password_and_counts_when_it_is_confirmed(
    client: Client, cast: Cast
) -> None:
    data = {"login": "alice", "password": PASSWORD}
    client.force_login(cast.alice)
    change = {"email": "new@example.org", "action_add": ""}
    assert client.post("/account/e-mail/", change)["Location"].startswith("/account/again/")
    assert not EmailAddress.objects.filter(email="new@example.org").exists()
    client.post("/sign-out/")
    client.post("/sign-in/", data)
    client.post("/account/again/", {"password": PASSWORD})
    client.post("/account/e-mail/", change)
    cast.alice.refresh_from_db()
    assert cast.alice.email == "alice@example.org"
    client.post(link_in(mail.outbox[-1]))
    cast.alice.refresh_from_db()
    assert cast.alice.email == "new@example.org"
    assert person_named("alice@example.org") is None


def test_the_operator_of_the_command_line_needs_no_mail(db: None) -> None:
    assert User.objects.create_superuser("root2", "root2@example.org", PASSWORD).confirmed


def test_the_operator_cannot_take_a_confirmed_address(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    with pytest.raises(CommandError, match=r"Another account has confirmed this e-mail\."):
        call_command(
            "createsuperuser", interactive=False, username="root2", email=cast.alice.email.upper()
        )
    assert not User.objects.filter(username="root2").exists()

"""Signing up, in and out, and passwords."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import Membership, User
from tests.leaderboard.test_translations import english_texts
from tests.support.cast import PASSWORD, Cast

pytestmark = pytest.mark.any_database

SIGN_IN, SIGN_UP, RESET = "/sign-in/", "/sign-up/", "/password-reset/"
EVE = {
    "username": "eve",
    "email": "eve@example.org",
    "password1": PASSWORD,
    "password2": PASSWORD,
    "team": "",
}


def signed_in(client: Client) -> str:
    """The name of the signed-in user; empty without one."""
    pk = client.session.get("_auth_user_id")
    return User.objects.get(pk=pk).username if pk else ""


@pytest.mark.parametrize(
    ("query", "team", "address"),
    [
        ("", "Lapis Lab", "/teams/lapis-lab/entrants/new/"),
        ("", "", "/account/"),
        ("?next=/submit/", "Lapis Lab", "/submit/"),
    ],
)
def test_a_new_person_is_signed_in_and_led_on(
    client: Client, db: None, query: str, team: str, address: str
) -> None:
    response = client.post(SIGN_UP + query, EVE | {"team": team})
    assert (response.headers["Location"], signed_in(client)) == (address, "eve")
    memberships = Membership.objects.values_list("user__username", "team__name", "role")
    assert list(memberships) == ([("eve", team, "owner")] if team else [])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("password1", "12345678"),
        ("password1", "123"),
        ("username", "Alice"),
        ("username", "admin"),
        ("username", "eve@example.org"),
        ("username", ""),
        ("email", "no mail"),
        ("password2", "another"),
        ("team", "northwood"),
        ("team", "Human baseline"),
        ("team", "a\u202eb"),
    ],
)
def test_what_is_taken_or_kept_is_refused_beside_its_field(
    client: Client, cast: Cast, field: str, value: str
) -> None:
    assert cast.northwood
    weak = {"password2": value} if field == "password1" else {}
    response = client.post(SIGN_UP, EVE | weak | {field: value})
    assert list(response.context["form"].errors) == [field]
    for code in ("ru", "zh-hans"):
        headers = {"Accept-Language": code}
        page = client.post(SIGN_UP, EVE | weak | {field: value}, headers=headers).text
        assert english_texts(page) == []
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_sign_up_can_be_closed(client: Client, db: None, settings: Settings, method: str) -> None:
    settings.OPEN_SIGN_UP = False
    assert getattr(client, method)(SIGN_UP, EVE).status_code == 403
    assert User.objects.count() == 0


@pytest.mark.parametrize("name", ["ALICE", "Alice@Example.org"])
def test_people_sign_in_by_name_or_e_mail(client: Client, cast: Cast, name: str) -> None:
    assert cast.alice
    client.post(SIGN_IN, {"login": name, "password": PASSWORD})
    assert signed_in(client) == "alice"


def test_the_link_of_a_reset_sets_a_password_once(client: Client, cast: Cast) -> None:
    client.post(RESET, {"email": cast.alice.email})
    link = re.search(r"https?://testserver(/\S+)", mail.outbox[0].body)
    assert link is not None
    form = client.get(link[1], follow=True)
    new = {"password1": "another good one", "password2": "another good one"}
    assert client.post(form.redirect_chain[-1][0], new).status_code == 302
    client.post(SIGN_IN, {"login": "alice", "password": "another good one"})
    assert signed_in(client) == "alice"
    assert "already been used" in Client().get(link[1], follow=True).content.decode()


@pytest.mark.parametrize("confirmed", [True, False])
def test_notices_go_to_confirmed_addresses(client: Client, cast: Cast, confirmed: bool) -> None:
    EmailAddress.objects.filter(user=cast.alice).update(verified=confirmed)
    client.force_login(cast.alice)
    new = {"oldpassword": PASSWORD, "password1": "another good 1", "password2": "another good 1"}
    assert client.post("/account/password/", new).status_code == 302
    assert [message.to for message in mail.outbox] == [[cast.alice.email]] * confirmed


def test_a_password_is_changed_by_who_knows_it(client: Client, cast: Cast) -> None:
    client.force_login(cast.alice)
    new = {"password1": "another good one", "password2": "another good one"}
    wrong = client.post("/account/password/", new | {"oldpassword": "wrong"})
    assert list(wrong.context["form"].errors) == ["oldpassword"]
    # It has the spaces between fields although django-allauth gives this form no tags.
    assert '<form class="form form-narrow"' in wrong.content.decode()
    right = client.post("/account/password/", new | {"oldpassword": PASSWORD}, follow=True)
    assert "Password successfully changed." in right.content.decode()
    assert signed_in(client) == "alice"

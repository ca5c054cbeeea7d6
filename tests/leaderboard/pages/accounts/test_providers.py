"""Accounts at an OpenID Connect provider, which is a real server."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from django.test import Client
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import Membership, User
from tests.support.cast import PASSWORD, Cast
from tests.support.oidc import Provider, known_to

pytestmark = pytest.mark.any_database
LOGIN = "/sign-in/oidc/lab/login/"


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with known_to(settings) as running:
        yield running


def come_from(client: Client, query: str = "?process=login") -> str:
    """Goes to the provider and back. Returns the address that the site leads to."""
    there = client.post(LOGIN + query)["Location"]
    back = requests.get(there, allow_redirects=False, timeout=10).headers["Location"]
    parts = urlsplit(back)
    answer = client.get(f"{parts.path}?{parts.query}")
    assert answer.status_code == 302, answer.text
    return str(answer["Location"])


def test_a_new_person_chooses_a_name_and_needs_no_mail(
    client: Client, db: None, provider: Provider
) -> None:
    page = come_from(client)
    form = client.get(page).context["form"]
    assert (form["username"].value(), form["email"].value()) == ("eve", "eve@example.org")
    refused = client.post(page, {"username": "admin", "email": "eve@example.org"})
    assert list(refused.context["form"].errors) == ["username"]
    sent = {"username": "eve", "email": "eve@example.org", "team": "Lapis Lab"}
    assert client.post(page, sent)["Location"] == "/teams/lapis-lab/entrants/new/"
    eve = User.objects.get(username="eve")
    assert eve.confirmed
    assert Membership.objects.get(user=eve).team.name == "Lapis Lab"
    another = Client()
    assert come_from(another, "?process=login&next=/account/") == "/account/"
    assert another.get("/account/").context["user"] == eve


def test_another_address_than_the_providers_is_not_confirmed(
    client: Client, db: None, provider: Provider
) -> None:
    page = come_from(client)
    client.post(page, {"username": "eve", "email": "other@example.org", "team": ""})
    rows = EmailAddress.objects.filter(user__username="eve").values_list("email", "verified")
    assert dict(rows)["other@example.org"] is False


def test_a_providers_address_never_opens_an_account_that_has_it(
    client: Client, cast: Cast, provider: Provider
) -> None:
    provider.claims["email"] = cast.alice.email
    page = come_from(client)
    assert page == "/account/providers/signup/"
    client.post(page, {"username": "mallory", "email": cast.alice.email, "team": ""})
    assert client.get("/account/").context["user"].username == "mallory"
    assert not User.objects.get(username="mallory").confirmed
    owner = EmailAddress.objects.get(email=cast.alice.email, verified=True).user
    assert owner == cast.alice


def test_whoever_is_signed_in_connects_an_account_and_signs_in_with_it(
    client: Client, cast: Cast, provider: Provider
) -> None:
    assert cast.alice.confirmed
    client.post("/sign-in/", {"login": "alice", "password": PASSWORD})
    client.post("/account/again/", {"password": PASSWORD})
    assert come_from(client, "?process=connect") == "/account/providers/"
    another = Client()
    come_from(another)
    assert another.get("/account/").context["user"] == cast.alice


def test_sign_up_that_is_closed_is_closed_here_too(
    client: Client, db: None, provider: Provider, settings: Settings
) -> None:
    settings.OPEN_SIGN_UP = False
    there = client.post(LOGIN)["Location"]
    back = requests.get(there, allow_redirects=False, timeout=10).headers["Location"]
    parts = urlsplit(back)
    assert client.get(f"{parts.path}?{parts.query}").status_code == 403
    assert not User.objects.exists()


def test_forms_may_lead_to_the_provider_only_where_people_sign_in(
    client: Client, cast: Cast, provider: Provider
) -> None:
    def targets(page: str) -> str:
        policy = client.get(page)["Content-Security-Policy"]
        return next(part for part in policy.split("; ") if part.startswith("form-action"))

    ours = "form-action 'self'"
    for page in ("/sign-in/", "/sign-up/", LOGIN):
        assert targets(page) == f"{ours} {provider.url}", page
    for page in ("/", "/password-reset/", "/admin/login/", "/nothing/"):
        assert targets(page) == ours, page
    client.force_login(cast.alice)
    assert targets("/account/providers/") == f"{ours} {provider.url}"
    assert targets("/account/") == ours


def test_a_provider_that_is_down_is_no_error_of_the_site(
    client: Client, db: None, provider: Provider, settings: Settings
) -> None:
    provider.url = "http://127.0.0.1:9"
    settings.SOCIALACCOUNT_PROVIDERS = provider.settings()
    assert client.post(LOGIN)["Location"] == "/account/providers/login/error/"

"""Tokens of the API: made and shown once on the account page, ended by what ends a right."""

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts.models import Membership, Token, User
from leaderboard.accounts.teams import remove_member
from leaderboard.submissions.models import Submission
from tests.leaderboard.api.conftest import Bearer, client_with
from tests.support.cast import PASSWORD, Cast

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ROOT = "/api/v1"
FORM = {"name": "job", "scopes": ["read", "submit"], "days": "90"}


@pytest.fixture
def bob(cast: Cast) -> Client:
    """A browser in which bob has just given his password again."""
    assert cast.northwood and cast.fenland
    client = Client()
    client.force_login(cast.bob)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def membership(user: User) -> Membership:
    return Membership.objects.get(user=user, team__slug="northwood")


def problem(client: Client, path: str = "/token") -> tuple[int, str]:
    response = client.get(f"{ROOT}{path}")
    assert response["Content-Type"] == "application/problem+json"
    return response.status_code, response.json()["detail"]


def test_a_token_is_shown_once_and_stored_as_its_digest(bob: Client, cast: Cast) -> None:
    page = bob.post(reverse("tokens"), FORM | {"membership": membership(cast.bob).pk})
    assert (page.status_code, page["Cache-Control"]) == (201, "no-store")
    (text,) = re.findall(r"assay_[\w-]{43}", page.text)
    token = Token.objects.get()
    assert token.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert token.expires - timezone.now() > timedelta(days=89)
    assert text not in bob.get(reverse("tokens")).text
    assert text not in str([*LogEntry.objects.values()])
    answer = client_with(text).get(f"{ROOT}/token", headers={"Accept-Language": "ru"})
    assert answer["Cache-Control"] == "no-store"
    assert {**answer.json(), "expires": ""} == {
        "name": "job", "user": "bob", "team": "northwood", "scopes": ["read", "submit"],
        "expires": "",
    }  # fmt: skip
    page = bob.get(reverse("tokens"))
    assert "127.0.0.1" in page.text
    bob.post(reverse("token-revoke", args=[token.pk]))
    assert problem(client_with(text))[0] == 401


def test_a_form_that_asks_for_too_much_makes_nothing(bob: Client, cast: Cast) -> None:
    own = {"membership": membership(cast.bob).pk}
    foreign = {"membership": Membership.objects.get(user=cast.charlie).pk}
    wrong: list[dict[str, Any]] = [
        own | {"days": "366"}, own | {"days": "0"}, own | {"scopes": ["staff"]},
        own | {"scopes": []}, foreign,
    ]  # fmt: skip
    assert [bob.post(reverse("tokens"), FORM | one).status_code for one in wrong] == [422] * 5
    assert not Token.objects.exists()


def test_a_stolen_session_makes_no_token_without_the_password(cast: Cast) -> None:
    assert cast.northwood
    client = Client()
    client.force_login(cast.bob)
    answer = client.post(reverse("tokens"), FORM | {"membership": membership(cast.bob).pk})
    assert answer["Location"].startswith(reverse("account_reauthenticate"))
    assert not Token.objects.exists()
    page = client.post(answer["Location"], {"password": PASSWORD})
    assert (page.status_code, "assay_" in page.text) == (201, True)


def end_of_membership(cast: Cast) -> None:
    remove_member(membership=membership(cast.bob))
    Membership.objects.create(user=cast.bob, team=cast.northwood)


def given_to_another(cast: Cast) -> None:
    """Staff may change the person of a membership in the admin."""
    Membership.objects.filter(user=cast.bob).update(user=cast.charlie)


def new_password(cast: Cast) -> None:
    cast.bob.set_password("another correct horse")
    cast.bob.save()


def closed_account(cast: Cast) -> None:
    User.objects.filter(pk=cast.bob.pk).update(is_active=False)


def ended(cast: Cast) -> None:
    Token.objects.update(expires=timezone.now())


@pytest.mark.parametrize(
    "end", [end_of_membership, given_to_another, new_password, closed_account, ended]
)
def test_what_ends_a_right_ends_the_token(cast: Cast, bearer: Bearer, end: Any) -> None:
    assert cast.northwood
    client = bearer(cast.bob, "northwood")
    assert client.get(f"{ROOT}/token").status_code == 200
    end(cast)
    status, detail = problem(client)
    assert status == 401
    assert "Make another one" in detail


def test_a_new_hash_of_the_same_password_ends_no_token(
    cast: Cast, bearer: Bearer, settings: Any
) -> None:
    assert cast.northwood
    client = bearer(cast.bob, "northwood")
    name = "django.contrib.auth.hashers"
    settings.PASSWORD_HASHERS = [f"{name}.PBKDF2SHA1PasswordHasher", *settings.PASSWORD_HASHERS]
    before = User.objects.get(pk=cast.bob.pk).password
    Client().post(reverse("sign-in"), {"login": "bob", "password": PASSWORD})
    assert User.objects.get(pk=cast.bob.pk).password != before
    assert client.get(f"{ROOT}/token").status_code == 200


def test_a_token_says_what_it_lacks(cast: Cast, bearer: Bearer) -> None:
    assert cast.northwood
    submitting = bearer(cast.bob, "northwood", ["submit"])
    status, detail = problem(submitting, "/entrants")
    assert (status, detail) == (403, "This needs a token with the scope read; this one has submit.")
    for header in ("Bearer assay_wrong", "Basic Ym9iOg==", "Bearer", "Bearer sk-1", "é"):
        answer = Client(headers={"Authorization": header}).get(f"{ROOT}/benchmarks")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer"), header
    assert problem(Client())[0] == 401


def test_a_token_has_no_rights_of_staff_and_none_of_other_teams(cast: Cast, bearer: Bearer) -> None:
    """Dora may see everything as staff, and is a member of two teams."""
    for team in (cast.northwood, cast.fenland):
        Membership.objects.create(user=cast.dora, team=team)
    other = cast.team("Moorland", owner=cast.charlie)
    private = {
        team.slug: cast.judged_submission(cast.entrant(team.name, team), publish=False)
        for team in (cast.northwood, cast.fenland, other)
    }
    client = bearer(cast.dora, "northwood")
    codes = {
        team: client.get(f"{ROOT}/submissions/{row.public_id}").status_code
        for team, row in private.items()
    }
    assert codes == {"northwood": 200, "fenland": 404, "moorland": 404}
    assert User.objects.get(pk=cast.dora.pk).is_superuser
    seen = client.get(f"{ROOT}/team/submissions").json()["items"]
    assert [row["submission"] for row in seen] == [private["northwood"].public_id]
    assert Submission.objects.count() == 3

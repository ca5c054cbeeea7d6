"""Second factors: set up, asked for, stored encrypted, and required of staff."""

import json
import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.mfa.webauthn.forms import EditWebAuthnForm
from django.core.cache import cache
from django.template.loader import render_to_string
from django.test import Client
from django.utils.translation import override
from pytest_django.fixtures import Settings

from tests.leaderboard.test_translations import english_texts
from tests.support.cast import PASSWORD, Cast

# allauth tells of a new factor after the commit.
pytestmark = [pytest.mark.any_database, pytest.mark.django_db(transaction=True)]
ACTIVATE, PROVE = "/account/second-factor/totp/activate/", "/account/second-factor/reauthenticate/"
# Pages that staff rights open, or that show staff more.
STAFF_PAGES = ("/admin/", "/admin/evaluation/verdict/desk/", "/campaigns/", "/teams/fenland/")


@pytest.fixture
def strict(settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = True
    cache.clear()  # remembers the codes that were used


def sign_in(name: str) -> Client:
    client = Client()
    client.post("/sign-in/", {"login": name, "password": PASSWORD})
    return client


def code(secret: str) -> str:
    cache.clear()
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def set_up(client: Client) -> str:
    """Returns the secret."""
    client.post("/account/again/", {"password": PASSWORD})
    found = re.search(r'id="authenticator_secret"[^>]* value="(\w+)"', client.get(ACTIVATE).text)
    assert found is not None
    assert client.post(ACTIVATE, {"code": code(found[1])}).status_code == 302
    return found[1]


def test_who_has_a_second_factor_signs_in_with_it(client: Client, cast: Cast) -> None:
    assert cast.alice.confirmed
    secret = set_up(sign_in("alice"))
    answer = client.post("/sign-in/", {"login": "alice", "password": PASSWORD})
    assert answer["Location"] == "/account/second-factor/authenticate/"
    assert client.get("/account/").status_code == 302
    wrong = client.post(answer["Location"], {"code": "000000"})
    assert wrong.status_code == 200
    client.post(answer["Location"], {"code": code(secret)})
    assert client.get("/account/").status_code == 200


def test_a_recovery_code_works_once(cast: Cast) -> None:
    assert cast.alice.confirmed
    first = sign_in("alice")
    set_up(first)
    codes = re.findall(r"^\d{8}$", first.get("/account/second-factor/recovery-codes/").text, re.M)
    for expected in (200, 302):
        client = sign_in("alice")
        client.post("/account/second-factor/authenticate/", {"code": codes[0]})
        assert client.get("/account/").status_code == expected


def test_secrets_are_stored_encrypted(cast: Cast) -> None:
    assert cast.alice.confirmed
    client = sign_in("alice")
    secret = set_up(client)
    stored = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert stored.count("gAAAA") == 2  # the app's secret and the seed of the recovery codes


@pytest.mark.usefixtures("strict")
def test_staff_without_a_second_factor_reach_only_its_set_up(cast: Cast) -> None:
    assert cast.dora.confirmed and cast.fenland
    client = sign_in("dora")
    for page in (*STAFF_PAGES, "/", "/submissions/"):
        assert client.get(page)["Location"] == "/account/second-factor/", page
        assert client.post(page)["Location"] == "/account/second-factor/", page
    assert "Staff need a second factor" in client.get("/", follow=True).text
    set_up(client)
    assert [client.get(page).status_code for page in STAFF_PAGES] == [200] * len(STAFF_PAGES)


@pytest.mark.usefixtures("strict")
def test_another_session_with_the_password_alone_gains_no_staff_rights(cast: Cast) -> None:
    assert cast.dora.confirmed and cast.fenland
    thief, owner = sign_in("dora"), sign_in("dora")
    secret = set_up(owner)
    # Not even with the password can it add a factor of its own.
    for page in (*STAFF_PAGES, "/account/again/", ACTIVATE, "/account/second-factor/webauthn/add/"):
        assert thief.get(page)["Location"].startswith(PROVE), page
        assert thief.post(page, {"password": PASSWORD})["Location"].startswith(PROVE), page
    owner.post(f"{PROVE}?next=/admin/", {"code": code(secret)})
    assert thief.post(f"{PROVE}?next=/admin/", {"code": code(secret)})["Location"] == "/admin/"
    assert thief.get("/admin/").status_code == 200


@pytest.mark.usefixtures("strict")
def test_staff_who_remove_their_second_factor_are_stopped_at_once(cast: Cast) -> None:
    assert cast.dora.confirmed
    client = sign_in("dora")
    set_up(client)
    client.post("/account/second-factor/totp/deactivate/")
    assert client.get("/admin/")["Location"] == "/account/second-factor/"


@pytest.mark.usefixtures("strict")
def test_others_need_none(client: Client, cast: Cast) -> None:
    assert cast.alice.confirmed
    assert client.get("/").status_code == 200
    assert sign_in("alice").get("/account/").status_code == 200


def test_the_admin_is_entered_by_the_sites_own_sign_in(client: Client, cast: Cast) -> None:
    assert cast.dora.confirmed
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0] == "/sign-in/?next=%2Fadmin%2F"
    data = {"username": "dora", "password": PASSWORD}
    assert client.post("/admin/login/?next=/admin/", data).status_code == 302
    assert client.get("/admin/").status_code == 302
    client.post("/sign-in/", {"login": "dora", "password": PASSWORD})
    assert client.get("/admin/").status_code == 200


def test_staff_delete_a_lost_factor_and_see_no_secret(cast: Cast) -> None:
    assert cast.alice.confirmed
    set_up(sign_in("alice"))
    row = Authenticator.objects.get(type=Authenticator.Type.TOTP)
    client = sign_in("dora" if cast.dora.confirmed else "")
    page = client.get(f"/admin/mfa/authenticator/{row.pk}/change/").text
    assert row.data["secret"] not in page
    client.post(f"/admin/mfa/authenticator/{row.pk}/delete/", {"post": "yes"})
    assert not Authenticator.objects.filter(pk=row.pk).exists()


def test_a_factor_that_cannot_be_read_says_what_to_do(cast: Cast, settings: Settings) -> None:
    assert cast.alice.confirmed
    client = sign_in("alice")
    secret = set_up(client)
    settings.SECRET_KEY = "another secret key, since the first is lost"
    client.force_login(cast.alice)
    client.post("/account/again/", {"password": PASSWORD})
    for page in ("", "recovery-codes/", "recovery-codes/download/", "recovery-codes/generate/"):
        answer = client.get(f"/account/second-factor/{page}", follow=True)
        assert answer.status_code == 200
        assert (not page) or "cannot read this second factor" in answer.text, page
    sentence = "The site cannot read this second factor, because its secrets have changed."
    answer = client.post(PROVE, {"code": code(secret)})
    assert (answer.status_code, list(answer.context["form"].errors)) == (200, ["code"])
    assert sentence in answer.text
    other = sign_in("alice")
    answer = other.post("/account/second-factor/authenticate/", {"code": code(secret)})
    assert sentence in answer.text
    client.post("/account/second-factor/totp/deactivate/")
    assert not Authenticator.objects.exists()


@pytest.mark.usefixtures("strict")
def test_machines_that_ask_for_staff_without_a_factor_get_their_answer(cast: Cast) -> None:
    """A redirect would be an error of the proxy."""
    assert cast.dora.confirmed
    client = sign_in("dora")
    statuses = {page: client.get(page).status_code for page in ("/signed-in/", "/health/")}
    assert statuses == {"/signed-in/": 204, "/health/": 200}
    assert client.get("/ready/").status_code in (200, 503)


@pytest.mark.parametrize("code", ["ru", "zh-hans"])
def test_the_pages_of_keys_have_no_english_left_over(client: Client, cast: Cast, code: str) -> None:
    data = {"name": "№ 1", "credential": {"clientExtensionResults": {}}}
    key = Authenticator.objects.create(user=cast.alice, type="webauthn", data=data)
    with override(code):
        field = EditWebAuthnForm(instance=key)["name"]
        assert ">Name" not in render_to_string("parts/field.html", {"field": field})
    client.force_login(cast.alice)
    page = client.get("/account/second-factor/webauthn/", headers={"Accept-Language": code})
    assert "№ 1" in page.text and "Not used" not in page.text
    assert english_texts(page.text) == []


def test_a_person_ends_other_sessions(cast: Cast) -> None:
    assert cast.alice.confirmed
    first, second = sign_in("alice"), sign_in("alice")
    assert first.get("/account/sessions/").text.count("127.0.0.1") == 2
    first.post("/account/sessions/")
    assert [one.get("/account/").status_code for one in (first, second)] == [200, 302]

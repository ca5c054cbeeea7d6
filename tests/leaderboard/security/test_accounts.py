"""Tests that signing in and password resets do not reveal who has an account."""

import re
import time
from statistics import median
from typing import Any, ClassVar

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import User
from tests.leaderboard.addresses.marked import Site
from tests.support.cast import PASSWORD

pytestmark = pytest.mark.any_database


class CountingHasher(MD5PasswordHasher):
    """Counts how often a password is hashed, which takes the time in production."""

    worked: ClassVar[list[str]] = []

    def encode(self, password: str, salt: str) -> str:
        self.worked.append(password)
        return super().encode(password, salt)


def said(answer: Any, *own: str) -> str:
    """The page without tokens and without what was typed."""
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", answer.text)
    for word in own:
        text = text.replace(word, "")
    return text


def test_an_unknown_name_and_a_wrong_password_are_answered_alike(site: Site) -> None:
    for pair in (("veiled-dora", "nobody"), ("veiled-dora@example.org", "nobody@example.org")):
        known, unknown = (
            said(Client().post(reverse("sign-in"), {"login": name, "password": "wrong"}), name)
            for name in pair
        )
        assert "password you specified are not correct" in known
        assert known == unknown


def test_as_much_work_is_done_for_an_unknown_name(site: Site, settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    site.cast.alice.set_password("something else")
    site.cast.alice.save()
    for username in ("veiled-alice", "veiled-alice@example.org", "nobody", "n@o.xy"):
        CountingHasher.worked.clear()
        Client().post(reverse("sign-in"), {"login": username, "password": "guess"})
        assert CountingHasher.worked == ["guess"], username


@pytest.fixture
def claimants(site: Site, settings: Settings) -> list[User]:
    """Ten accounts that claim an address without confirming it; then work is counted."""
    people = [
        User.objects.create_user(f"claims-{number}", "claimed@example.org", PASSWORD)
        for number in range(10)
    ]
    for person in people:
        EmailAddress.objects.create(user=person, email="claimed@example.org", primary=True)
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    CountingHasher.worked.clear()
    return people


def test_an_unconfirmed_address_is_no_way_in_and_no_work(claimants: list[User]) -> None:
    for address in ("claimed@example.org", "Claimed@Example.org"):
        client = Client()
        client.post(reverse("sign-in"), {"login": address, "password": PASSWORD})
        assert client.get(reverse("account")).status_code == 302
    assert len(CountingHasher.worked) == 2
    client = Client()
    client.force_login(claimants[0])
    CountingHasher.worked.clear()
    client.post("/account/again/", {"password": "guess"})
    assert CountingHasher.worked == ["guess"]


def test_a_confirmed_address_signs_its_owner_in_among_those_who_claim_it(
    claimants: list[User],
) -> None:
    EmailAddress.objects.filter(user=claimants[3]).update(verified=True)
    client = Client()
    client.post(reverse("sign-in"), {"login": "Claimed@example.org", "password": PASSWORD})
    assert client.get(reverse("account")).context["user"] == claimants[3]


def test_a_reset_is_answered_alike_and_its_link_sent_to_the_owner_alone(
    site: Site, mailoutbox: list[Any]
) -> None:
    url = reverse("password-reset")
    known, unknown = site.cast.alice.email, "nobody@example.org"
    answers = [Client().post(url, {"email": one}, follow=True) for one in (known, unknown)]
    assert said(answers[0], known) == said(answers[1], unknown)
    assert [mail.to for mail in mailoutbox] == [[known], [unknown]]
    link = re.compile(r"/password-reset/\w+-\w+")
    assert [bool(link.search(mail.body)) for mail in mailoutbox] == [True, False]


def test_a_reset_takes_as_long_for_an_unknown_address(site: Site) -> None:
    """Medians of interleaved requests; the first ones compile templates. Of processor time, because
    on a busy machine a request of a few milliseconds may wait for as long."""
    seconds: dict[str, list[float]] = {site.cast.alice.email: [], "nobody@example.org": []}
    for number in range(25):
        for email, times in seconds.items():
            client = Client(REMOTE_ADDR=f"10.0.0.{number}")
            start = time.thread_time()
            assert client.post(reverse("password-reset"), {"email": email}).status_code == 302
            times.append(time.thread_time() - start)
    known, unknown = (median(times[5:]) for times in seconds.values())
    assert 0.7 < known / unknown < 1.4, (known, unknown)


def test_a_new_password_ends_other_sessions(site: Site) -> None:
    thief = Client()
    thief.force_login(site.cast.alice)
    assert thief.get(reverse("account")).status_code == 200
    site.cast.alice.set_password("another long one 9")
    site.cast.alice.save()
    assert thief.get(reverse("account")).status_code == 302


def test_who_is_signed_in_learns_no_others_team(site: Site) -> None:
    """A team that exists and one that does not get the same answer."""
    client = Client()
    client.force_login(site.cast.charlie)
    there, none = (client.get(f"/teams/{slug}/") for slug in ("northwood", "nowhere"))
    assert (there.status_code, said(there, "northwood")) == (404, said(none, "nowhere"))

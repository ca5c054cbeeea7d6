"""Tests of the limits on requests, and of the client's address."""

import logging
import re
from threading import BoundedSemaphore
from urllib.parse import quote, urlencode

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt
from django.core import mail
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django.fixtures import Settings

from leaderboard import limits
from leaderboard.accounts.models import User
from leaderboard.limits import HOUR, RULES, Limit, Per, client_address
from tests.support.cast import PASSWORD, Cast
from tests.support.commands import ROOT

pytestmark = pytest.mark.any_database

SIGN_IN, SIGN_UP, RESET, ADMIN = "/sign-in/", "/sign-up/", "/password-reset/", "/admin/login/"
HOME, AWAY = "192.0.2.1", "198.51.100.7"
URLENCODED = "application/x-www-form-urlencoded"


class Clock:
    now = 1_800_000_000.0  # the start of an hour

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("leaderboard.limits.time", clock)
    return clock


def statuses(times: int, client: Client, url: str, **fields: str) -> list[int]:
    """The different statuses of so many POST requests, in order."""
    found = [client.post(url, fields).status_code for _ in range(times)]
    return list(dict.fromkeys(found))


def try_password(name: str, password: str, *, at: str = HOME) -> HttpResponse:
    given = {"login": name, "password": password}
    return Client(REMOTE_ADDR=at).post(SIGN_IN, given)  # type: ignore[return-value]


def lower(
    monkeypatch: pytest.MonkeyPatch, route: str, per: Per = Per.ACCOUNT, most: int = 5
) -> None:
    """Lets an account, or an address, send so many forms to the route; the documented limits are
    tested below."""
    rule = limits._BY_ROUTE[route]
    few = [one._replace(most=most) if one.per is per else one for one in rule.limits]
    monkeypatch.setitem(limits._BY_ROUTE, route, rule._replace(limits=tuple(few)))


def routes(resolver: URLResolver, before: str = "") -> set[str]:
    found = set()
    for one in resolver.url_patterns:
        path = f"{before}{one.pattern}"
        found |= {path} if isinstance(one, URLPattern) else routes(one, path)
    return found


def test_every_limited_route_is_an_address_of_the_site() -> None:
    limited = [route for rule in RULES for route in rule.routes]
    assert set(limited) <= routes(get_resolver())
    assert len(set(limited)) == len(limited)


def test_the_documented_limits_are_the_rules() -> None:
    text = (ROOT / "docs/operators/deployment.md").read_text("utf-8")
    section = text.partition("\n## Limits\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [^|`]*\| ([^|]+) \| (\d+) \| (\d+) minutes \|$", section, re.MULTILINE)
    expected = [limit for rule in RULES for limit in rule.limits]
    assert rows == [(one.per.value, str(one.most), str(one.seconds // 60)) for one in expected]


def test_after_ten_wrong_passwords_an_account_waits_at_this_address_alone(
    cast: Cast, clock: Clock
) -> None:
    assert (cast.dora.username, cast.alice.username) == ("dora", "alice")
    wrong = [try_password("dora", f"{number}").status_code for number in range(10)]
    assert wrong == [200] * 10
    for name in ("dora", "DORA", " dora", "dora@example.org", "Dora@example.org"):
        answer = try_password(name, PASSWORD)
        assert (answer.status_code, answer["Retry-After"]) == (429, "900")
        assert "Wait 15 minutes, then" in answer.content.decode()
    assert try_password("dora", PASSWORD, at=AWAY).status_code == 302
    assert try_password("alice", PASSWORD).status_code == 302
    clock.now += 880
    said = try_password("dora", PASSWORD).content.decode()
    assert "Wait 1 minute, then" in said
    clock.now += 20
    assert try_password("dora", PASSWORD).status_code == 302


@pytest.mark.parametrize("extra", ["username", "email", "login"])
def test_fields_that_a_page_does_not_read_change_no_counter(cast: Cast, extra: str) -> None:
    """They neither hide which account is tried nor take back what another account has counted."""
    assert (cast.alice.username, cast.bob.username) == ("alice", "bob")
    for url, field, count, name in (
        (SIGN_IN, "login", 10, "alice"),
        (RESET, "email", 5, "alice@example.org"),
    ):
        client = Client(REMOTE_ADDR=HOME)
        answers = []
        for number in range(count + 1):
            data = {extra: f"nobody-{number}@example.org", "password": "wrong"}
            # The last of two values is the one that counts.
            body = urlencode([*data.items(), (field, "nobody"), (field, name)])
            answers.append(client.post(url, body, content_type=URLENCODED).status_code)
        assert answers[-2:] == [200 if field == "login" else 302, 429], (url, extra)
    if extra != "login":
        Client(REMOTE_ADDR=HOME).post(
            SIGN_IN, {extra: "alice", "login": "bob", "password": PASSWORD}
        )
        assert try_password("alice", PASSWORD).status_code == 429


def test_the_admin_reads_no_password_of_its_own(cast: Cast) -> None:
    """Also not of staff who are signed in already."""
    client = Client(REMOTE_ADDR=HOME)
    client.force_login(cast.dora)
    for password in ("wrong", PASSWORD):
        answer = client.post(ADMIN, {"username": cast.alice.username, "password": password})
        assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert client.get("/account/").context["user"] == cast.dora
    assert Client().get(ADMIN)["Location"] == "/sign-in/?next=%2Fadmin%2Flogin%2F"


def test_a_password_that_a_second_factor_follows_counts_as_a_right_one(cast: Cast) -> None:
    Authenticator.objects.create(user=cast.alice, type="totp", data={"secret": encrypt("A" * 32)})
    for _ in range(12):
        answer = try_password("alice", PASSWORD)
        assert answer["Location"] == "/account/second-factor/authenticate/"
    assert try_password("alice", "wrong").status_code == 200


def test_the_codes_of_an_account_are_guessed_a_few_times_from_all_addresses(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "/account/second-factor/authenticate/"
    lower(monkeypatch, url[1:])
    Authenticator.objects.create(user=cast.alice, type="totp", data={"secret": encrypt("A" * 32)})
    answers = []
    for number in range(6):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        client.post(SIGN_IN, {"login": "alice", "password": PASSWORD})
        answers.append(client.post(url, {"code": "1"}).status_code)
    assert answers == [200] * 5 + [429]
    # Who does not have the password uses up nothing.
    assert Client(REMOTE_ADDR="10.0.0.1").post(url, {"code": "1"}).status_code == 302


def test_an_address_that_tries_many_accounts_waits_and_a_person_elsewhere_does_not(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower(monkeypatch, "sign-in/", Per.ADDRESS, 20)
    names = [f"nobody-{number}" for number in range(20)]
    assert {try_password(name, "wrong").status_code for name in names} == {200}
    assert try_password("nobody", "wrong").status_code == 429
    assert try_password(cast.alice.username, PASSWORD, at=AWAY).status_code == 302


def test_a_right_password_takes_the_wrong_ones_back(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower(monkeypatch, "sign-in/", Per.ADDRESS, 26)
    names = (cast.alice.username, cast.bob.username)
    # An account has more wrong ones than it may have without a right one.
    for _round in range(4):
        for name in names:
            passwords = [*["wrong"] * 3, PASSWORD]
            found = [try_password(name, password).status_code for password in passwords]
            assert found == [200, 200, 200, 302]
    # Right ones do not count for the address: 24 wrong ones leave 2.
    last = [try_password(f"nobody-{number}", "wrong").status_code for number in range(3)]
    assert last == [200] * 2 + [429]


def test_while_others_sign_in_a_further_one_is_sent_away_and_not_counted(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cast.alice
    assert cast.alice
    monkeypatch.setattr(limits, "_PASSWORDS", BoundedSemaphore(1))
    with limits._PASSWORDS:
        found = [try_password("alice", PASSWORD) for _ in range(12)]
        assert {(answer.status_code, answer["Retry-After"]) for answer in found} == {(429, "5")}
        assert "in a few seconds" in found[0].content.decode()
        assert Client().get(SIGN_IN).status_code == 200
    for password in ("wrong", PASSWORD):
        try_password("alice", password)
    assert try_password("alice", PASSWORD).status_code == 302


def test_another_sites_form_does_not_count_as_the_visitors(cast: Cast) -> None:
    given = {"login": cast.alice.username, "password": "wrong"}
    client = Client(enforce_csrf_checks=True, REMOTE_ADDR=HOME)
    assert {client.post(SIGN_IN, given).status_code for _ in range(12)} == {403}
    assert try_password("alice", PASSWORD).status_code == 302


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_odd_names_count_and_break_nothing(db: None, name: str) -> None:
    body = f"login={quote(name.encode('utf-8', 'surrogatepass'))}&password=x"
    found = [Client().post(SIGN_IN, body, content_type=URLENCODED).status_code for _ in range(11)]
    assert found == [200] * 10 + [429]


def test_a_mailbox_gets_few_resets_and_an_address_asks_for_few(cast: Cast) -> None:
    client = Client(REMOTE_ADDR=HOME)
    assert statuses(9, client, RESET, email=cast.alice.email) == [302, 429]
    assert len(mail.outbox) == 5
    others = [client.post(RESET, {"email": f"{n}@example.org"}).status_code for n in range(22)]
    assert others == [302] * 21 + [429]


@pytest.mark.parametrize("url", [SIGN_UP, RESET])
def test_the_site_has_a_limit_in_all(db: None, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """What an address may not do does not count for the others."""
    rule = limits._BY_ROUTE[url.strip("/") + "/"]
    assert rule.limits[-1].per is Per.SITE
    few = (Limit(Per.ADDRESS, 2, HOUR), Limit(Per.SITE, 5, HOUR))
    monkeypatch.setitem(limits._BY_ROUTE, rule.routes[0], rule._replace(limits=few))
    for number in (1, 2):
        assert statuses(9, Client(REMOTE_ADDR=f"10.0.0.{number}"), url)[-1] == 429
    assert statuses(2, Client(REMOTE_ADDR=AWAY), url) == [200, 429]


# The first route of each rule; tests/leaderboard/api tries the API, where no session counts.
SIGNED_IN = {
    rule.routes[0]: rule
    for rule in RULES
    if any(limit.per is Per.ACCOUNT for limit in rule.limits)
    if not rule.routes[0].startswith("api/")
}


@pytest.mark.parametrize("route", SIGNED_IN)
def test_strangers_use_up_no_limit_of_pages_for_signed_in_people(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    rule = SIGNED_IN[route]
    assert cast.northwood.slug == "northwood"
    few = tuple(limit._replace(most=2) for limit in rule.limits)
    monkeypatch.setitem(limits._BY_ROUTE, route, rule._replace(limits=few))
    for slug in ("northwood", "no-such-team"):
        url = "/" + route.replace("<slug:slug>", slug).replace("<int:pk>", "1")
        assert 429 not in [Client(REMOTE_ADDR=HOME).post(url).status_code for _ in range(4)]
    alice = Client(REMOTE_ADDR=HOME)
    alice.force_login(cast.alice)
    assert [alice.post(url).status_code == 429 for _ in range(3)] == [False, False, True]


def test_an_account_has_one_counter_of_codes_before_and_after_it_signs_in(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not that of the account whose key in decimals is its own in base 36."""
    again, login = "account/second-factor/reauthenticate/", "account/second-factor/authenticate/"
    few = (Limit(Per.ADDRESS, 99, HOUR), Limit(Per.ACCOUNT, 2, HOUR))
    for route in (again, login):
        rule = limits._BY_ROUTE[route]
        monkeypatch.setitem(limits._BY_ROUTE, route, rule._replace(limits=few))
    clients = []
    for key in (36, 10):
        user = User(pk=key, username=f"user-{key}", email=f"{key}@example.org")
        user.set_password(PASSWORD)
        user.save()
        Authenticator.objects.create(user=user, type="totp", data={"secret": encrypt("A" * 32)})
        client = Client(REMOTE_ADDR=HOME)
        client.force_login(user)
        clients.append(client)
    pending = Client(REMOTE_ADDR=HOME)
    pending.post(SIGN_IN, {"login": "user-36", "password": PASSWORD})
    assert statuses(2, pending, f"/{login}", code="1") == [200]
    answers = [client.post(f"/{again}", {"code": "1"}).status_code for client in clients]
    assert answers == [429, 200]


def test_every_form_that_sends_mail_has_a_limit_for_the_site() -> None:
    by_mail = ("password-reset/", "account/again/code/", "account/again/code/confirm/")
    others = ("sign-up/", "account/providers/signup/", "account/e-mail/")
    for route in (*by_mail, *others, "teams/<slug:slug>/members/"):
        assert limits._BY_ROUTE[route].limits[-1].per is Per.SITE, route


def test_forms_of_signed_out_raters_are_limited_and_those_of_raters_not(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower(monkeypatch, "rate/items/<int:pk>/draft/", Per.ADDRESS)
    url = "/rate/items/1/draft/"
    assert statuses(6, Client(REMOTE_ADDR=HOME), url)[-1] == 429
    rater = Client(REMOTE_ADDR=HOME)
    rater.force_login(cast.alice)
    assert statuses(6, rater, url) == [404]


@pytest.mark.parametrize(
    ("proxies", "peer", "passed_on", "address"),
    [
        (0, HOME, "", HOME),
        (0, HOME, AWAY, HOME),
        (1, "127.0.0.1", f"203.0.113.9, {HOME}", HOME),
        (2, "127.0.0.1", f"203.0.113.9, {HOME}, 10.0.0.2", HOME),
        (2, "127.0.0.1", HOME, "127.0.0.1"),
        (1, "127.0.0.1", "", "127.0.0.1"),
        (0, "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        (1, "127.0.0.1", "2001:db8::9", "2001:db8::/64"),
        (0, f"::ffff:{HOME}", "", HOME),
        (0, "", "", ""),
    ],
)
def test_a_header_is_believed_as_far_as_there_are_proxies(
    settings: Settings, proxies: int, peer: str, passed_on: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {"x-forwarded-for": passed_on} if passed_on else None
    request = RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer)
    assert client_address(request) == address


@pytest.mark.parametrize(("proxies", "lines"), [(0, 1), (1, 0)])
def test_a_proxy_that_no_setting_names_is_warned_of_once(
    db: None,
    client: Client,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    proxies: int,
    lines: int,
) -> None:
    settings.TRUSTED_PROXIES = proxies
    with caplog.at_level(logging.WARNING, "leaderboard.limits"):
        for _ in range(2):
            client.get("/health/", headers={"x-forwarded-for": HOME})
    assert caplog.text.count("ASSAY_TRUSTED_PROXIES is 0") == lines

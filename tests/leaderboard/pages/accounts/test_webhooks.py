"""Tests of the page of a team's webhooks, and that their secrets stay secret."""

import re
import socket
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.test import Client
from django.urls import reverse

from leaderboard.accounts.models import User
from leaderboard.mail.models import Delivery, Webhook
from leaderboard.mail.webhooks import MOST_WEBHOOKS, deliver_waiting, make_webhook
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

PAGE = "/teams/northwood/webhooks/"
URL = "https://hook.example.org/path-of-alice/"


@pytest.fixture
def alice(client: Client, cast: Cast) -> Client:
    assert cast.northwood
    client.force_login(cast.alice)
    return client


def made(client: Client, url: str = URL) -> Any:
    return client.post(PAGE, {"url": url})


def test_the_secret_is_shown_once_and_nowhere_else(
    alice: Client, cast: Cast, caplog: pytest.LogCaptureFixture, monkeypatch: Any
) -> None:
    loopback = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 443))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: [loopback])
    answer = made(alice)
    assert answer.status_code == 201
    assert "no-store" in answer.headers["Cache-Control"]
    [secret] = re.findall(r"whsec_[\w+/=]+", answer.content.decode())
    alice.post(f"{PAGE}{Webhook.objects.get().pk}/", {"change": "test"})
    assert deliver_waiting() == 0
    assert "was not sent" in caplog.text
    dora = Client()
    dora.force_login(cast.dora)
    pages = [alice.get(PAGE), alice.get(reverse("team", args=["northwood"])), dora.get("/admin/")]
    export = b"".join(alice.get(reverse("account-export")).streaming_content)  # type: ignore[attr-defined]
    log = str(list(LogEntry.objects.values()))
    texts = [*(page.content.decode() for page in pages), export.decode(), log, caplog.text]
    stored = str([*Webhook.objects.values(), *Delivery.objects.values()])
    key = secret.removeprefix("whsec_")
    assert [key in text for text in (*texts, stored)] == [False] * 7
    assert ["path-of-alice" in text for text in texts] == [True] + [False] * 5


def test_making_and_deleting_are_recorded(alice: Client, cast: Cast) -> None:
    made(alice)
    alice.post(f"{PAGE}{Webhook.objects.get().pk}/", {"change": "delete"})
    assert not Webhook.objects.exists()
    entries = LogEntry.objects.get_for_model(Webhook).order_by("pk")
    actions = [(entry.action, entry.actor) for entry in entries]
    assert actions == [(action, cast.alice) for action in (0, 2)]


@pytest.mark.parametrize(
    "url",
    [
        "http://hook.example.org/", "https://10.0.0.1/", "https://localhost/", "https://2130706433/",
        "https://hook.example.org:8443/", "https://a:b@hook.example.org/",
        "https://hook.example.org/?token=1", "x",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(alice: Client, url: str) -> None:
    answer = made(alice, url)
    assert answer.status_code == 422
    assert "endpoint" in answer.content.decode()
    assert not Webhook.objects.exists()


def test_a_team_has_five_at_most(alice: Client) -> None:
    statuses = [made(alice).status_code for _ in range(MOST_WEBHOOKS + 1)]
    assert statuses == [201] * MOST_WEBHOOKS + [422]


def test_a_test_waits_once_and_the_log_shows_it(alice: Client, cast: Cast) -> None:
    webhook, _secret = make_webhook(team=cast.northwood, url=URL)
    for _ in range(2):
        alice.post(f"{PAGE}{webhook.pk}/", {"change": "test"})
    delivery = Delivery.objects.get()
    assert "waiting" in alice.get(PAGE).content.decode()
    Delivery.objects.filter(pk=delivery.pk).update(cause="HTTP 500", failures=1)
    page = alice.get(PAGE).content.decode()
    assert "HTTP 500" in page and "next attempt" in page


def test_a_webhook_of_another_team_is_not_found_here(alice: Client, cast: Cast) -> None:
    webhook, _secret = make_webhook(team=cast.fenland, url=URL)
    assert alice.post(f"{PAGE}{webhook.pk}/", {"change": "delete"}).status_code == 404
    assert "path-of-alice" not in alice.get(PAGE).content.decode()


def test_who_has_not_confirmed_the_address_makes_none(alice: Client, cast: Cast) -> None:
    cast.alice.emailaddress_set.update(verified=False)
    assert made(alice).status_code == 302
    assert not Webhook.objects.exists()


def test_a_person_chooses_mail_after_long_evaluations(alice: Client, cast: Cast) -> None:
    wanted = []
    for form in ({"mail_when_judged": "on"}, {}):
        assert alice.post("/account/", form).status_code == 302
        wanted.append(User.objects.get(pk=cast.alice.pk).mail_when_judged)
    assert wanted == [True, False]

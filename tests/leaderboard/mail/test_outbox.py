"""The outbox of mail, and its notifier, with a mail server that answers, refuses, or hangs."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.mail import EmailMultiAlternatives, send_mail
from django.core.management import call_command
from django.db import connections
from django.utils import timezone
from pytest_django.fixtures import Settings

from leaderboard.mail.models import OutgoingMail
from leaderboard.mail.outbox import MOST_DAYS, send_waiting
from tests.evaluation.web.conftest import at_once
from tests.support.commands import wait_for
from tests.support.mail_server import MailServer, mail_server

HOUR = timedelta(hours=1)


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as state:
        yield state


@pytest.fixture
def outbox(db: None, settings: Settings, server: MailServer) -> MailServer:
    """Django's tests replace the mail backend; this is the site's own again."""
    settings.EMAIL_BACKEND = "leaderboard.mail.outbox.Outbox"
    settings.MAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    return server


def send(subject: str = "news") -> None:
    send_mail(subject, "text", "assay@example.org", ["bob@example.org"])


def send_all() -> int:
    return send_waiting(threading.Event())


def make_due() -> None:
    OutgoingMail.objects.update(due=timezone.now() - HOUR)


def test_mail_waits_in_the_database_and_is_deleted_when_sent(outbox: MailServer) -> None:
    send()
    assert outbox.received == []
    assert send_all() == 1
    assert outbox.subjects == ["news"]
    assert not OutgoingMail.objects.exists()


def test_headers_alternatives_and_hidden_recipients_arrive(outbox: MailServer) -> None:
    message = EmailMultiAlternatives(
        "Новости", "Текст\n.\nend", "assay@example.org", ["bob@example.org"],
        bcc=["eve@example.org"], reply_to=["team@example.org"], headers={"X-Kind": "news"},
    )  # fmt: skip
    message.attach_alternative("<p>Текст</p>", "text/html")
    message.send()
    send_all()
    [(recipients, received)] = outbox.received
    assert recipients == ["bob@example.org", "eve@example.org"]
    assert (received["X-Kind"], received["Reply-To"]) == ("news", "team@example.org")
    assert received["Bcc"] is None
    parts = [part for part in received.walk() if not part.is_multipart()]
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert bytes(parts[1].get_payload(decode=True)).decode() == "<p>Текст</p>"


def test_refused_mail_is_tried_again_after_growing_waits(
    outbox: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    send()
    outbox.says = "451 later"
    waits = []
    for _ in range(3):
        make_due()
        assert send_all() == 0
        waits.append((OutgoingMail.objects.get().due - timezone.now()).total_seconds())
    assert [round(wait, -1) for wait in waits] == [30, 60, 120]
    assert "451" in OutgoingMail.objects.get().cause
    assert send_all() == 0, "it is not due"
    outbox.says = "250 kept"
    make_due()
    assert send_all() == 1
    assert len(outbox.received) == 1
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 3


def test_a_mail_server_that_hangs_is_left_after_the_timeout(
    outbox: MailServer, settings: Settings
) -> None:
    send()
    outbox.says, outbox.seconds, settings.EMAIL_TIMEOUT = "451 late", 60, 0.2
    start = time.monotonic()
    assert send_all() == 0
    assert time.monotonic() - start < 5
    assert "timed out" in OutgoingMail.objects.get().cause


def test_one_message_that_fails_holds_up_no_other(outbox: MailServer) -> None:
    send("bad")
    OutgoingMail.objects.update(sender="a\nb@example.org")
    send("good")
    assert send_all() == 1
    assert outbox.subjects == ["good"]


def test_mail_is_given_up_after_days_and_stays_for_people(
    outbox: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    send()
    OutgoingMail.objects.update(created=timezone.now() - timedelta(days=MOST_DAYS, minutes=1))
    outbox.says = "550 no"
    send_all()
    make_due()
    outbox.says = "250 kept"
    assert send_all() == 0
    assert OutgoingMail.objects.get().given_up
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_after_two_kills_a_person_decides(outbox: MailServer) -> None:
    send()
    OutgoingMail.objects.update(attempt=2, lease_until=timezone.now() - HOUR)
    assert send_all() == 0
    assert "killed" in OutgoingMail.objects.get().cause
    assert outbox.received == []


def test_two_notifiers_send_a_message_once(shared_database: None, outbox: MailServer) -> None:
    for number in range(6):
        send(str(number))
    assert sum(at_once(send_all, send_all, send_all)) == 6
    assert sorted(outbox.subjects) == list("012345")


def notifier() -> int:
    """The pid of a process that runs the command. It has connections of its own."""
    connections.close_all()
    if pid := os.fork():
        return pid
    try:
        call_command("notifier")
    except BaseException:
        os._exit(1)
    os._exit(0)


def end(pid: int, by: signal.Signals) -> int:
    """The process's exit code; negative if the signal ended it."""
    os.kill(pid, by)
    ended: list[int] = []

    def has_ended() -> bool:
        if (found := os.waitpid(pid, os.WNOHANG))[0]:
            ended.append(os.waitstatus_to_exitcode(found[1]))
        return bool(ended)

    try:
        wait_for(has_ended)
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise
    return ended[0]


def test_a_notifier_ends_whenever_it_is_asked_to(
    shared_database: None, outbox: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks without a pause, so the signal comes at any point of its loop. A handler that set
    the event of that loop ended in a deadlock."""
    monkeypatch.setattr("evaluation.management.commands.notifier.LOOK_SECONDS", 0.0)
    for number in range(6):
        send(str(number))
        pid = notifier()
        wait_for(lambda: not OutgoingMail.objects.exists())
        assert end(pid, signal.SIGTERM) == 0


def test_kills_lose_no_mail_and_send_it_at_most_twice(
    shared_database: None, outbox: MailServer
) -> None:
    for number in range(12):
        send(str(number))
    outbox.seconds = 0.05
    for _ in range(3):
        received = len(outbox.received)
        pid = notifier()
        wait_for(lambda received=received: len(outbox.received) >= received + 2)
        assert end(pid, signal.SIGKILL) == -signal.SIGKILL
        OutgoingMail.objects.exclude(lease_until=None).update(lease_until=timezone.now() - HOUR)
    pid = notifier()
    wait_for(lambda: not OutgoingMail.objects.exists())
    assert end(pid, signal.SIGTERM) == 0
    times = [outbox.subjects.count(str(number)) for number in range(12)]
    assert set(times) == {1, 2}, "a kill met a message that the server had taken"
    ids = {message["Message-ID"] for _, message in outbox.received}
    assert len(ids) == 12, "receivers can tell a second copy"

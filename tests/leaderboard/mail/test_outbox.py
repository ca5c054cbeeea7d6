"""The outbox of mail, and its notifier, with a mail server that answers, refuses, or hangs."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMultiAlternatives, send_mail
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from leaderboard.mail.models import OutgoingMail
from leaderboard.mail.sending import MOST_DAYS, send_waiting
from tests.evaluation.web.conftest import at_once
from tests.support.commands import ROOT, wait_for
from tests.support.mail_server import MailServer, mail_server

HOUR = timedelta(hours=1)


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as state:
        yield state


@pytest.fixture
def outbox(db: None, settings: Settings, server: MailServer) -> MailServer:
    """Django's tests replace the mail backend; this is the site's own again."""
    settings.EMAIL_BACKEND = "leaderboard.mail.backend.Outbox"
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


def test_mail_of_a_transaction_that_fails_is_not_sent(outbox: MailServer) -> None:
    with suppress(ZeroDivisionError), transaction.atomic():
        send()
        _ = 1 / 0
    assert send_all() == 0


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


class Notifier:
    """A separate process on its own database."""

    def __init__(self, folder: Path, server: MailServer) -> None:
        self.file = folder / "assay.sqlite3"
        self.environment = os.environ | {
            "ASSAY_DATA_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{self.file}",
            "ASSAY_EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "ASSAY_EMAIL_HOST": "127.0.0.1",
            "ASSAY_EMAIL_PORT": str(server.port),
        }

    def run(self, *words: str) -> None:
        subprocess.run(self._command(*words), cwd=ROOT, env=self.environment, check=True)

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command("notifier"), cwd=ROOT, env=self.environment)

    def execute(self, statement: str) -> list[tuple[int]]:
        with closing(sqlite3.connect(self.file, timeout=30)) as database, database:
            return database.execute(statement).fetchall()

    def waits(self) -> int:
        return self.execute("SELECT COUNT(*) FROM mail_outgoingmail")[0][0]

    @staticmethod
    def _command(*words: str) -> list[str]:
        return [sys.executable, "manage.py", *words]


def test_kills_lose_no_mail_and_send_it_at_most_twice(server: MailServer, tmp_path: Path) -> None:
    notifier = Notifier(tmp_path, server)
    notifier.run("migrate", "mail", "--verbosity", "0")
    send_some = (
        "from django.core.mail import send_mail\n"
        "for n in range(12): send_mail(str(n), '', 'a@example.org', ['b@example.org'])"
    )
    notifier.run("shell", "--no-imports", "--command", send_some)
    server.seconds = 0.1
    for _ in range(3):
        got = len(server.received)
        process = notifier.start()
        wait_for(lambda got=got: len(server.received) >= got + 2)
        process.kill()
        process.wait()
        notifier.execute("UPDATE mail_outgoingmail SET lease_until = '2000-01-01 00:00:00'")
    process = notifier.start()
    wait_for(lambda: notifier.waits() == 0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    times = [server.subjects.count(str(number)) for number in range(12)]
    assert set(times) <= {1, 2}
    assert 2 in times, "a kill met a message that the server had taken"
    ids = {message["Message-ID"] for _, message in server.received}
    assert len(ids) == 12, "receivers can tell a second copy"

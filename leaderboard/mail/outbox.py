"""The outbox, and the notifier's steps for mail: it claims a message, sends it, and deletes it.

A message is lost in no kill. It is sent twice if the notifier is killed between the mail server's
answer and the deletion; after a second attempt without a known end a person decides."""

import logging
import threading
from collections.abc import Collection, Sequence
from datetime import timedelta
from email import message_from_bytes
from email.message import Message
from typing import TypeVar

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import MIMEMixin
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from leaderboard.accounts.models import User
from leaderboard.leases import claimed, held, lease_end, owner
from leaderboard.mail.models import Outgoing, OutgoingMail

log = logging.getLogger(__name__)

# Longer than an exchange with a mail server takes, each step of which ends by EMAIL_TIMEOUT.
LEASE_SECONDS = 300.0
# Seconds until the next attempt: doubled after each failure.
FIRST_WAIT, LONGEST_WAIT = 30.0, 4 * 3600.0
MOST_DAYS = 3
# Until a message that was given up is deleted.
GIVEN_UP_DAYS = 30
OVERDUE_MINUTES = 10
# Attempts of one message that may end in a kill.
MOST_CUT_OFF = 2
BATCH = 100

_Row = TypeVar("_Row", bound=Outgoing)


class Outbox(BaseEmailBackend):
    """Django's mail backend of the site. Stores messages in the caller's transaction: they are
    sent if and only if it commits, and nobody waits for a mail server."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            OutgoingMail.objects.create(
                content=message.message().as_bytes(),
                sender=message.from_email,
                recipients=message.recipients(),
            )
        return len(email_messages)


class _StoredContent(MIMEMixin, Message):  # type: ignore[misc]  # as Django's own classes do
    """Can be written with the line ends of SMTP, as Django's backends demand."""


class _StoredMessage(EmailMessage):
    """A row's message. A second copy has the same Message-ID, by which receivers can drop it."""

    def __init__(self, row: OutgoingMail) -> None:
        super().__init__(from_email=row.sender, to=row.recipients)
        self._content = message_from_bytes(bytes(row.content), _class=_StoredContent)

    def message(self) -> _StoredContent:  # type: ignore[override]  # stubs of a later Django
        return self._content


def waiting(rows: QuerySet[_Row]) -> QuerySet[_Row]:
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    return rows.filter(free, due__lte=Now(), given_up=None)


def unsent_mail() -> QuerySet[OutgoingMail]:
    """Mail that was given up, and mail that a running notifier would have tried."""
    overdue = Q(given_up=None, due__lt=Now() - timedelta(minutes=OVERDUE_MINUTES))
    return OutgoingMail.objects.filter(overdue | Q(given_up__isnull=False))


def forget_given_up() -> None:
    since = Now() - timedelta(days=GIVEN_UP_DAYS)
    OutgoingMail.objects.filter(given_up__lt=since).delete()


def forget_mail_to(addresses: Collection[str]) -> None:
    """`addresses` are in lower case."""
    rows = OutgoingMail.objects.values_list("pk", "recipients")
    keys = [pk for pk, recipients in rows if any(to.lower() in addresses for to in recipients)]
    OutgoingMail.objects.filter(pk__in=keys).delete()


def send_waiting(stop: threading.Event) -> int:
    """Tries each message that is due once. Returns how many were sent. Raises DatabaseError."""
    rows = waiting(OutgoingMail.objects.order_by("due", "pk"))
    keys = list(rows.values_list("pk", flat=True)[:BATCH])
    return sum(_send(pk) for pk in keys if not stop.is_set())


def _send(pk: int) -> bool:
    rows = waiting(OutgoingMail.objects.all())
    row = claimed(rows, pk=pk, owner=owner(), seconds=LEASE_SECONDS)
    if row is None:
        return False
    mine = held(OutgoingMail.objects.all(), row)
    if row.attempt - row.failures > MOST_CUT_OFF:
        cause = "The notifier was killed in two attempts; the message may have arrived."
        mine.update(given_up=Now(), cause=cause, lease_until=None)
        log.error("Mail %d is given up. %s", pk, cause)
        return False
    try:
        get_connection(settings.MAIL_BACKEND).send_messages([_StoredMessage(row)])
    except Exception as error:  # Whatever a backend raises, the other messages are sent.
        put_off(row, f"{type(error).__name__}: {error}", MOST_DAYS)
        return False
    mine.delete()
    return True


def put_off(row: Outgoing, cause: str, days: int) -> None:
    """Notes a failed attempt, and when the next one is due: none after `days`."""
    mine = held(type(row)._default_manager.all(), row)
    wait = min(FIRST_WAIT * 2 ** min(row.failures, 20), LONGEST_WAIT)
    since = Now() - timedelta(days=days)
    given_up = mine.filter(created__lt=since).update(given_up=Now())
    mine.update(failures=row.failures + 1, cause=cause, due=lease_end(wait), lease_until=None)
    kind = type(row).__name__
    if given_up:
        log.error("%s %d is given up after %d days. %s", kind, row.pk, days, cause)
    else:
        log.warning("%s %d was not sent; next attempt in %.0f s. %s", kind, row.pk, wait, cause)


def mail_users(users: QuerySet[User], subject: str, text: str) -> int:
    """Stores a message for each user with an active account and a confirmed address. Returns the
    number of messages. Call it in the transaction of the step that it tells of."""
    rows = EmailAddress.objects.filter(user__in=users, user__is_active=True)
    addresses = rows.filter(verified=True, primary=True).values_list("email", flat=True)
    return sum(send_mail(subject, text, None, [address]) for address in addresses)

"""Django's way to the outbox: nothing that sends mail waits for a mail server."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from leaderboard.mail.models import OutgoingMail


class Outbox(BaseEmailBackend):
    """Stores messages in the caller's transaction: they are sent if and only if it commits."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        rows = [
            OutgoingMail(
                content=message.message().as_bytes(),
                sender=message.from_email,
                recipients=message.recipients(),
            )
            for message in email_messages
            if message.recipients()
        ]
        return len(OutgoingMail.objects.bulk_create(rows))

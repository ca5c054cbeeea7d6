"""The outbox: mail and events that wait for the notifier."""

from enum import StrEnum
from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Team
from leaderboard.leases import Leased


class Outgoing(Leased):
    """Stored in the transaction of the step that it tells of, and sent by the notifier."""

    created = models.DateTimeField(_("created"), db_default=Now())
    # Not sent earlier.
    due = models.DateTimeField(_("next attempt"), db_default=Now(), db_index=True)
    # Attempts that ended with an error, and the last error.
    failures = models.PositiveIntegerField(_("failed attempts"), default=0)
    cause = models.TextField(_("cause"), blank=True)
    given_up = models.DateTimeField(_("given up"), null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"#{self.pk}"


class OutgoingMail(Outgoing):
    """A message, which is deleted when it has been sent. Its content holds links that set
    passwords, so no page shows it."""

    # As RFC 5322 describes it, complete except for the Bcc header.
    content = models.BinaryField()
    # Addresses of the envelope.
    sender = models.TextField(_("sender"))
    recipients = models.JSONField(_("recipients"), default=list)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("outgoing mail")
        verbose_name_plural = _("outgoing mail")


class Event(StrEnum):
    """What a webhook tells. docs/users/automation.md describes them."""

    ENDED = "evaluation.ended"
    PUBLISHED = "result.published"
    SUPERSEDED = "result.superseded"
    WITHDRAWN = "result.withdrawn"
    REVIEWED = "review.decided"
    TEST = "test"


class Webhook(models.Model):
    """An address to which a team has its events sent. It may contain a secret: only the team's
    owners see it."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    # The key of its signatures, encrypted.
    sealed = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    # The first failure since the last success.
    failing_since = models.DateTimeField(null=True)
    off = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        # The audit log keeps it: without the address.
        return f"#{self.pk} ({self.team})"


class Delivery(Outgoing):
    """An event for a webhook. It is kept for the team's log."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    # By which receivers drop a second copy.
    message_id = models.UUIDField(default=uuid4)
    # As it is sent, and signed.
    body = models.TextField()
    sent = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

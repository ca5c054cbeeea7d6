"""The outbox: mail that waits for the notifier."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from leaderboard.leases import Leased


class OutgoingMail(Leased):
    """A message that is stored in its sender's transaction and deleted when it has been sent. Its
    content holds links that set passwords, so no page shows it."""

    # As RFC 5322 describes it, complete except for the Bcc header.
    content = models.BinaryField()
    # Addresses of the envelope.
    sender = models.TextField(_("sender"))
    recipients = models.JSONField(_("recipients"), default=list)
    created = models.DateTimeField(_("created"), db_default=Now())
    # Not sent earlier.
    due = models.DateTimeField(_("next attempt"), db_default=Now(), db_index=True)
    # Attempts that ended with an error, and the last error.
    failures = models.PositiveIntegerField(_("failed attempts"), default=0)
    cause = models.TextField(_("cause"), blank=True)
    given_up = models.DateTimeField(_("given up"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("outgoing mail")
        verbose_name_plural = _("outgoing mail")

    def __str__(self) -> str:
        return f"#{self.pk}"

"""Changes that organisers made to a campaign."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.annotation.models.campaign import Campaign


class CampaignChange(models.Model):
    """One changed term, or one submission added or removed. Append-only.

    `name` is the term's column or the submission's number; `old` and `new` are JSON values, or
    numbers of generations in the campaign.
    """

    class Kind(models.TextChoices):
        TERM = "term", _("a term")
        ADDED = "added", _("a submission added")
        REMOVED = "removed", _("a submission taken out")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="changes")
    kind = models.CharField(_("what"), max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=40)
    old = models.JSONField(null=True)
    new = models.JSONField(null=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    reason = models.TextField(_("reason"), blank=True)
    created = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name = _("change of a campaign")
        verbose_name_plural = _("changes of campaigns")

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.old} > {self.new}"
